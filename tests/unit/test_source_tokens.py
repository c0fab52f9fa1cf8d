"""Sources that were made to harm the process that parses them cost only themselves."""

from __future__ import annotations

from resource import RUSAGE_CHILDREN, getrusage

import pytest

from grader.batch.source_tokens import AT_ONCE, source_tokens
from grader.errors import GraderError
from grader.sandbox.confined_process import MAX_SOURCE_BYTES
from grader.similarity.c_tokens import MAX_TOKENS, tokens

from .children import let_children

HONEST = b"int main(void) { int c; while ((c = getchar()) != EOF) putchar(c); }\n"
HOSTILE = {
    "a megabyte": b"x" * 1_000_000,
    "100,000 functions": b"int f(){}\n" * 100_000,
    "as many functions as fit": b"int f(){}\n" * (MAX_SOURCE_BYTES // 10),
    "parentheses": b"(" * MAX_SOURCE_BYTES,
    "braces": b"void f(void) " + b"{" * 30_000 + b"}" * 30_000,
    "blocks of if": b"void f(void) {" + b"if(1)" * 13_000 + b";}",
    "NUL bytes": b"\0" * MAX_SOURCE_BYTES,
    "all bytes": bytes(range(256)) * 200,
    "nothing": b"",
}


@pytest.mark.parametrize("name", HOSTILE)
def test_a_hostile_source_does_not_keep_others_from_being_read(name: str) -> None:
    before = getrusage(RUSAGE_CHILDREN)
    first, hostile, last = source_tokens([HONEST, HOSTILE[name], HONEST], 1)
    after = getrusage(RUSAGE_CHILDREN)
    assert first == last == tuple(tokens(HONEST))
    assert hostile is None or len(hostile) <= MAX_TOKENS
    assert after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime < 4


def test_many_sources_keep_their_order() -> None:
    sources = [HONEST * (number % 3) for number in range(2 * AT_ONCE + 1)]
    assert source_tokens(sources, 2) == [tuple(tokens(source)) for source in sources]
    assert source_tokens([], 2) == []


def test_a_source_that_takes_too_much_has_no_tokens(monkeypatch: pytest.MonkeyPatch) -> None:
    let_children(monkeypatch, "if question == b'1': raise MemoryError\nyield b'[]'")
    assert source_tokens([b"0", b"1"], 1) == [(), None]


@pytest.mark.parametrize(
    ("act", "error"), [("raise KeyError(97)", RuntimeError), ("os.kill(os.getpid(), signal.SIGKILL)", GraderError)]
)
def test_what_is_not_the_source_s_is_an_error(
    act: str, error: type[Exception], monkeypatch: pytest.MonkeyPatch
) -> None:
    let_children(monkeypatch, act)
    with pytest.raises(error):
        source_tokens([HONEST], 1)
