"""Sentences about proofs: if two differ only in the program and its lines, they become one."""

from __future__ import annotations

import pytest

from grader.grading.fix_trials import Tried
from grader.grading.fixed_copies import Fix
from grader.grading.proof_sentences import ProofWriter, joined_sentences
from grader.grading.source_patterns import FoundPlace
from grader.model.spec.lab import Spec

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


@pytest.mark.parametrize(
    ("says", "reason"),
    [
        ("with `strlen(from)` instead of `sizeof(from)`", "(the size of a pointer, however long its string is)"),
        ("with `strlen` instead of both `sizeof`", "(the size of a pointer, however long its string is)"),
        ("without the call of `_exit`", "(which discards what stdio has not yet written)"),
        ("without the call of `exit`", ""),
        ("with `<` instead of `<=`", ""),
    ],
)
def test_a_change_that_does_not_explain_itself_has_a_reason(says: str, reason: str, spec: Spec) -> None:
    place = FoundPlace(lines=(3,), edits=(), says=says, one=True, proof=True)
    tried = Tried(Fix("tr2b", b"", {"cause": (place,)}), ("tr2b.text",), ("tr2b.text",), ())
    sentence = ProofWriter(spec, {}, shows_fixes=False).proof([tried]).sentence
    words = f"{says[0].upper()}{says[1:]}"
    assert sentence == f"{words}{reason and ' '}{reason} in line 3 of tr2b.c, the check text passes."
