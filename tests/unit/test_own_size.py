"""Inputs whose size follows from the submission."""

from __future__ import annotations

import pytest
from pydantic import ValidationError

from grader.model.spec.cases import PatternInput
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission

from .facts import LAB, SUBMISSION
from .lab import DOCUMENT, SPEC

OWN = PatternInput(kind="pattern", data=b"abc", size_bytes=500, least_bytes=100)


def test_the_size_is_the_same_each_time_and_within_its_bounds() -> None:
    sizes = [OWN.size_for(f"sha256:{number}") for number in range(2000)]
    assert sizes == [OWN.size_for(f"sha256:{number}") for number in range(2000)]
    assert min(sizes) >= 100
    assert max(sizes) <= 500
    assert len(set(sizes)) > 300


def test_without_least_bytes_everybody_has_the_same() -> None:
    assert OWN.model_copy(update={"least_bytes": None}).size_for("sha256:1") == 500


def test_a_cut_input_has_a_size_too() -> None:
    assert OWN.model_copy(update={"size_bytes": 50}).size_for("sha256:1") == 50


def test_a_submission_gets_the_beginning_of_the_input() -> None:
    lab = LAB.for_submission(SUBMISSION)
    assert lab is LAB
    spec = SPEC.model_copy(update={"inputs": {**SPEC.inputs, "own": OWN}})
    whole = b"abc" * 200
    own = type(LAB)(spec, {**LAB.inputs, "own": whole[:500]}, LAB.reference)
    other = Submission("bob", {program: Source(b"int main;;") for program in SPEC.programs})
    first, second = own.for_submission(SUBMISSION).inputs["own"], own.for_submission(other).inputs["own"]
    assert first == whole[: OWN.size_for(SUBMISSION.digest())]
    assert first != second


@pytest.mark.parametrize(
    ("changes", "says"),
    [({"least_bytes": 501}, "is more than size_bytes"), ({"least_bytes": 100}, "expect: either")],
)
def test_what_does_not_fit(changes: dict[str, int], says: str) -> None:
    own = {"kind": "pattern", "data": "abc", "size_bytes": 500, **changes}
    cases = {**DOCUMENT["cases"], "own": {"operands": [], "input": "own"}}
    with pytest.raises(ValidationError, match=says):
        Spec.model_validate({**DOCUMENT, "inputs": {**DOCUMENT["inputs"], "own": own}, "cases": cases})
