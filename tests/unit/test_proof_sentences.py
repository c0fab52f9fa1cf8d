"""The sentence on a proof and the instruction: what differs only in the file and its lines is said once."""

from __future__ import annotations

from pathlib import Path

import pytest

import grader
from grader.model.proof_words import instruction_of, sentence_of
from grader.model.report import Proof, ProofChange, ProofStep

SWAPPED = ProofChange(says="with `<` instead of `<=`", verb="write", order="`<` instead of `<=`", lines=(25,))
REMOVED = ProofChange(says="without the `!`", verb="remove", order="the `!`", because="it negates", lines=(3, 5))
ADDED = ProofChange(
    says="with a check, at the beginning of `main`", verb="add", order="a check, at the beginning of `main`"
)


def step(*changes: ProofChange, file: str = "b.c", passes: str = "the check x passes", left: str = "") -> ProofStep:
    return ProofStep(file=file, changes=changes, passes=passes, left=left)


def elsewhere(change: ProofChange, line: int) -> ProofChange:
    return change.model_copy(update={"lines": (line,)})


@pytest.mark.parametrize(
    ("steps", "sentence", "instruction"),
    [
        (
            [step(SWAPPED)],
            "With `<` instead of `<=` in line 25 of b.c, the check x passes.",
            "Write `<` instead of `<=` in line 25. Then the check x passes.",
        ),
        (
            [step(SWAPPED), step(elsewhere(SWAPPED, 26), file="u.c")],
            "With `<` instead of `<=` in line 25 of b.c and in line 26 of u.c, the check x passes.",
            "Write `<` instead of `<=` in line 25 of b.c and in line 26 of u.c. Then the check x passes.",
        ),
        (
            [step(SWAPPED), step(REMOVED, file="u.c")],
            (
                "With `<` instead of `<=` in line 25 of b.c, the check x passes."
                " Without the `!` (it negates) in lines 3 and 5 of u.c, the check x passes."
            ),
            (
                "Write `<` instead of `<=` in line 25 of b.c. Then the check x passes."
                " Remove the `!` (it negates) in lines 3 and 5 of u.c. Then the check x passes."
            ),
        ),
        (
            [step(ADDED), step(ADDED, file="u.c")],
            "With a check, at the beginning of `main` of b.c and of u.c, the check x passes.",
            "Add a check, at the beginning of `main` of b.c and of u.c. Then the check x passes.",
        ),
        (
            [step(SWAPPED, REMOVED, elsewhere(REMOVED, 9))],
            (
                "With `<` instead of `<=` in line 25, without the `!` (it negates) in lines 3 and 5"
                " and without the `!` in line 9 of b.c, the check x passes."
            ),
            (
                "Write `<` instead of `<=` in line 25, remove the `!` (it negates) in lines 3 and 5"
                " and the `!` in line 9 of b.c. Then the check x passes."
            ),
        ),
        (
            [step(SWAPPED), step(REMOVED, passes="the check y passes", left="z, which still fails")],
            (
                "With `<` instead of `<=` in line 25 of b.c, the check x passes."
                " Also without the `!` (it negates) in lines 3 and 5 of b.c, the check y passes;"
                " left to repair: z, which still fails."
            ),
            (
                "Write `<` instead of `<=` in line 25. Then the check x passes."
                " Also remove the `!` (it negates) in lines 3 and 5. Then the check y passes;"
                " left to repair: z, which still fails."
            ),
        ),
    ],
    ids=["one", "the same in two files", "two files", "without a line", "several changes", "one after another"],
)
def test_a_proof_has_a_sentence_and_an_instruction(steps: list[ProofStep], sentence: str, instruction: str) -> None:
    proof = Proof(sentence=sentence_of(steps), checks=(), steps=tuple(steps))
    assert proof.sentence == sentence
    assert instruction_of(proof) == instruction


def test_a_sentence_of_another_form_is_the_instruction() -> None:
    assert instruction_of(Proof(sentence="Line 7 lets it through.", checks=())) == "Line 7 lets it through."
    assert instruction_of(None) == ""


def test_nothing_reads_the_sentence_of_a_proof() -> None:
    """Its parts are in `steps`. What repairs a symptom is its advice as well, as it was before it had a proof."""
    package = Path(grader.__file__).parent
    readers = {path.name for path in package.rglob("*.py") if "proof.sentence" in path.read_text("utf-8")}
    assert readers == {"credit.py", "proof_words.py"}
