"""Programs that were copied and changed are found, and programs that were written independently are not.

tests/wrong/programs stand for the independent ones: they are small, all of one lab, and were written one by one.
"""

from __future__ import annotations

from functools import cache
from pathlib import Path

import pytest

from grader.similarity.c_tokens import MAX_TOKENS, tokens
from grader.similarity.matching import COMMON_AT_LEAST, GRAM
from grader.similarity.submissions import (
    MIN_SHARED,
    ComparedSubmission,
    Similarities,
    TokenizedProgram,
    similarities,
)
from tests.disguises import DISGUISES

FOLDER = Path(__file__).parents[1] / "wrong" / "programs"


@cache
def program(source: bytes) -> TokenizedProgram:
    return TokenizedProgram(source, tuple(tokens(source)))


@cache
def independent(letter: str) -> tuple[bytes, ...]:
    return tuple(path.read_bytes() for path in sorted(FOLDER.glob(f"{letter}-*.c")))


def compared(*sources: bytes, known: bytes = b"", earlier: tuple[bytes, ...] = ()) -> Similarities:
    submissions = [ComparedSubmission(f"s{at}", {"p": program(source)}) for at, source in enumerate(sources)]
    submissions += [ComparedSubmission(f"e{at}", {"p": program(one)}, "2024") for at, one in enumerate(earlier)]
    return similarities(submissions, {"p": [program(known)]})


def ends(found: Similarities) -> set[tuple[int, int]]:
    return {(pair.left, pair.right) for pair in found.pairs}


@pytest.mark.parametrize("letter", ["b", "u"])
def test_independent_programs_are_not_alike(letter: str) -> None:
    assert ends(compared(*independent(letter))) == set()


@pytest.mark.long
@pytest.mark.parametrize("disguise", DISGUISES)
@pytest.mark.parametrize("letter", ["b", "u"])
def test_disguised_copies_are_found(letter: str, disguise: str) -> None:
    originals = independent(letter)[::2]
    found = enough = 0
    for first in range(0, len(originals), 20):
        copied = originals[first : first + 20]
        result = compared(*originals, *map(DISGUISES[disguise], copied))
        expected = {(first + at, len(originals) + at) for at in range(len(copied))}
        assert ends(result) <= expected, "nobody else is named"
        found += len(ends(result))
        enough += len([pair for pair in expected if not {*pair} & {*result.too_little}])
    # A program without enough code of its own cannot be distinguished from others, and is listed as such.
    assert enough >= 0.75 * len(originals)
    assert found >= 0.9 * enough


def test_the_template_is_not_a_match() -> None:
    template, *others = independent("b")[:3]
    assert ends(compared(template, template)) == {(0, 1)}
    result = compared(template, template, *others, known=template)
    assert ends(result) == set()
    assert result.too_little == (0, 1)


def test_code_that_many_have_is_not_a_match() -> None:
    shared = (
        b"int helper(int a, int b) { while (a < b && a != 7) { a = a * 2 + b; b = b - a / 3; } return a ? b : a; }\n"
    )
    alike = [shared + source for source in independent("b")]
    assert ends(compared(*alike)) == set()
    assert ends(compared(*(alike[:2]), *independent("b")[2:40])) == set(), "it is too small a part of these programs"
    assert ends(compared(shared * 2 + b"int x;", shared * 2, *independent("b"))) == {(0, 1)}


def test_a_large_group_of_copies_does_not_make_its_code_common() -> None:
    copied, *others = independent("u")[:12]
    result = compared(*[copied] * 30, *others)
    assert result.groups == (tuple(range(30)),)
    assert all(pair.programs[0].identical for pair in result.pairs)
    assert COMMON_AT_LEAST < 30


def test_earlier_terms_are_compared_with_the_class_and_not_with_each_other() -> None:
    first, second, *others = independent("u")[:20]
    renamed = DISGUISES["renamed"]
    result = compared(first, *others, earlier=(renamed(first), second, renamed(second)))
    assert ends(result) == {(0, 19)}


def test_a_group_is_connected_by_pairs() -> None:
    first, *others = independent("u")[:10]
    result = compared(first, *others, DISGUISES["renamed"](first), DISGUISES["reordered"](first))
    assert result.groups == ((0, 10, 11),)
    assert ends(result) == {(0, 10), (0, 11)}, "the renamed program is the same, so it is compared once"


def test_short_programs_are_not_compared() -> None:
    tiny = b"int main(void) { return 0; }\n"
    assert len(tokens(tiny)) < GRAM < MIN_SHARED
    assert compared(tiny, tiny) == Similarities((), 0, (), (0, 1))


def test_tokens_do_not_depend_on_names_layout_comments_and_kinds_of_loops() -> None:
    one = b"int f(int a) { for (int i = 0; i < a; i++) { putchar(i); } return g(a); }"
    other = b"""static long
    ff(long x) /* x */ { unsigned k = 7; while (k < x) { putchar (k); k++; } return g (x); } // end"""
    assert [token.kind for token in tokens(one)] == [token.kind for token in tokens(other)]
    assert "call putchar" in [token.kind for token in tokens(one)]


def test_functions_of_the_program_may_be_renamed_and_those_of_libraries_not() -> None:
    kinds = [token.kind for token in tokens(b"void f(void) { g(); } void h(void) { f(); }")]
    assert "call g" in kinds
    assert "call f" not in kinds


def test_a_huge_source_is_not_read_to_its_end() -> None:
    assert len(tokens(b"int a;" * 10 * MAX_TOKENS)) == MAX_TOKENS + 1
