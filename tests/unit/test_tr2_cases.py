"""The cases of tr2 for bytes that appear twice in FROM: every search that misses some pairs misses one of them."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cache
from pathlib import Path

import pytest

from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
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


SECRETS = [f"secret {number}" for number in range(20)]


@cache
def drawn() -> Sequence[Spec]:
    return [SPEC.drawn(secret) for secret in SECRETS]


NOT_FOUND: dict[str, Callable[[int, int], bool]] = {
    "digits": lambda byte, _distance: byte in b"0123456789",
    "blanks": lambda byte, _distance: byte in b" \t\n\v\f\r",
    "control bytes": lambda byte, _distance: byte < ord(" "),
    "7F": lambda byte, _distance: byte == 0x7F,
    "far away": lambda _byte, distance: distance > 20,
}
"""Duplicates that a program may not find: the byte, and how far away it is."""


def duplicates(operand: bytes) -> list[tuple[int, int]]:
    places = range(len(operand))
    return [(operand[i], j - i) for i in places for j in places[i + 1 :] if operand[i] == operand[j]]


@pytest.mark.parametrize("kind", NOT_FOUND)
def test_each_class_has_duplicates_of_any_byte_and_distance(kind: str) -> None:
    for spec in drawn():
        found = [
            duplicates(case.arguments[0])
            for case in spec.cases.values()
            if case.expect == "operand-error" and case.arguments
        ]
        assert any(all(NOT_FOUND[kind](*one) for one in pairs) for pairs in found if pairs)


FORMS_OF_TO = [
    "\\r",
    "\\e",
    "\\q",
    "\\x41",
    '\\"',
    "[=a=]",
    "[.b.]",
    "[:graph:]",
    "[:cntrl:]",
    "!-/",
    "%%",
    "\x07\x07",
]
FORMS_OF_FROM = ["!-/", "z-w", "[x*4]", "\\", "%d"]


def copied(spec: Spec, place: int) -> list[bytes]:
    """Return the operands of the drawn cases that copy."""
    cases = [spec.cases[name] for name in spec.drawn_cases if name.startswith("drawn-forms")]
    assert all(case.expect == "reference-output" for case in cases)
    return [case.arguments[place] for case in cases]


def test_each_class_has_special_forms_of_every_kind() -> None:
    for spec in drawn():
        first, second = (b"\0".join(copied(spec, place)) for place in (0, 1))
        assert [form for form in FORMS_OF_TO if form.encode() not in second] == []
        assert first.count(b"\\") >= 6
        assert {begin for begin in b"^-~! +" if any(one[0] == begin for one in copied(spec, 0))} == {*b"^-~! +"}
        assert {begin for begin in b"~-^ " if any(one[0] == begin for one in copied(spec, 1))} == {*b"~-^ "}
    every = b"\0".join(one for spec in drawn() for one in copied(spec, 0))
    assert [
        form for form in (*FORMS_OF_FROM, "\\r", "\\x41", "\\e", "\\q", '\\"') if form.encode() not in every
    ] == []


def test_each_class_has_equal_operands_and_lengths_that_are_the_same_in_a_char() -> None:
    for spec in drawn():
        first, second = spec.cases["drawn-equal"].arguments
        assert first == second != b""
        first, second = spec.cases["drawn-longer"].arguments
        assert len(second) - len(first) == 256
        first, second = spec.cases["drawn-equivalence"].arguments
        assert (first[:2], first[3:], len(second)) == (b"[=", b"=]", 1)


def test_the_spec_may_be_written_as_json_and_read_as_yaml(tmp_path: Path) -> None:
    """JSON may have the byte 7F as it is, and YAML may not."""
    path = tmp_path / "tr2.yaml"
    path.write_text(SPEC.model_dump_json(by_alias=True), encoding="utf-8")
    assert read_spec(path).digest() == SPEC.digest()
