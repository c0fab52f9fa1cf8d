"""Sentences about proofs: if two differ only in the program and its lines, they become one."""

from __future__ import annotations

import pytest

from grader.grading.proof_sentences import joined_sentences

B = "With `<` instead of `<=` in line 25 of tr2b.c, the checks text and operands pass."


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [
        ([B], B),
        (
            [B, B.replace("25 of tr2b", "26 of tr2u")],
            B.replace("tr2b.c", "tr2b.c and in line 26 of tr2u.c"),
        ),
        (
            [
                "With standard error in lines 9, 11 and 14 of tr2b.c, the check x passes.",
                "With standard error in line 3 of tr2u.c, the check x passes.",
            ],
            "With standard error in lines 9, 11 and 14 of tr2b.c and in line 3 of tr2u.c, the check x passes.",
        ),
        (
            [f"With a check, at the beginning of `main` of {name}, the check x passes." for name in ("b.c", "u.c")],
            "With a check, at the beginning of `main` of b.c and of u.c, the check x passes.",
        ),
    ],
)
def test_what_is_the_same_in_several_programs_is_one_sentence(sentences: list[str], expected: str) -> None:
    assert joined_sentences(sentences) == expected


@pytest.mark.parametrize(
    "other",
    [
        "With `<` instead of `<=` in line 26 of tr2u.c, the check text passes.",
        "With `>` instead of `<=` in line 26 of tr2u.c, the checks text and operands pass.",
    ],
)
def test_what_differs_is_two_sentences(other: str) -> None:
    assert joined_sentences([B, other]) == f"{B} {other}"
