"""The cases of tr2 for bytes that appear twice in FROM: every search that misses some pairs misses one of them."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from grader.lab.load import read_spec
from grader.model.spec.rubric import CasesItem
from grader.resources import resource

SPEC = read_spec(resource("specs", "tr2.yaml"))
ITEM = next(item for item in SPEC.rubric if item.name == "error-duplicate")

Compared = Callable[[int, int, int], bool]
INCOMPLETE: dict[str, Compared] = {
    "the first half with everything, not the middle": lambda i, _j, length: i < length // 2,
    "the first half with everything, rounded up": lambda i, _j, length: i < (length + 1) // 2,
    "the first half with everything, and the middle": lambda i, _j, length: i <= length // 2,
    "inside the first half": lambda _i, j, length: j <= length // 2,
    "the first half with the second": lambda i, j, length: i <= length // 2 <= j,
    "each half inside itself": lambda i, j, length: (i <= length // 2) == (j <= length // 2),
    "neighbours": lambda i, j, _length: j == i + 1,
    "no neighbours": lambda i, j, _length: j > i + 1,
    "the first": lambda i, _j, _length: i == 0,
    "all but the first": lambda i, _j, _length: i > 0,
    "the last": lambda _i, j, length: j == length - 1,
    "all but the last": lambda _i, j, length: j < length - 1,
}
"""Which of the places i < j of a FROM of some length are compared."""


OF_SOME_BYTES: dict[str, Callable[[int], bool]] = {
    "ASCII": lambda byte: byte < 0x80,
    "up to EF": lambda byte: byte < 0xF0,
    "letters": lambda byte: chr(byte).isalpha(),
    "letters and digits": lambda byte: chr(byte).isalnum(),
    "small letters": lambda byte: chr(byte).islower(),
}
"""Which bytes are found if they appear twice."""


def operands() -> list[bytes]:
    assert isinstance(ITEM, CasesItem)
    return [SPEC.cases[case].arguments[0] for case in ITEM.cases]


def found(operand: bytes, compared: Compared) -> bool:
    length = len(operand)
    pairs = [(i, j) for i in range(length) for j in range(i + 1, length) if operand[i] == operand[j]]
    return any(compared(i, j, length) for i, j in pairs)


def test_every_from_holds_a_byte_twice() -> None:
    assert [operand for operand in operands() if not found(operand, lambda _i, _j, _length: True)] == []


@pytest.mark.parametrize("search", INCOMPLETE)
def test_an_incomplete_search_misses_a_case(search: str) -> None:
    assert [operand for operand in operands() if not found(operand, INCOMPLETE[search])]


@pytest.mark.parametrize("kind", OF_SOME_BYTES)
def test_a_search_for_some_bytes_misses_a_case(kind: str) -> None:
    twice = [{byte for byte in operand if operand.count(byte) > 1} for operand in operands()]
    assert [operand for operand in twice if not any(map(OF_SOME_BYTES[kind], operand))]
