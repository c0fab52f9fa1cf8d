"""Inputs of which each submission gets a size of its own."""

from __future__ import annotations

from typing import Any

import pytest
from pydantic import ValidationError

from grader.model.lab import Lab
from grader.model.spec.cases import PatternInput, RandomInput, input_bytes
from grader.model.spec.draws import PUBLIC
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission

from .facts import LAB, SUBMISSION
from .lab import DOCUMENT, SPEC

OWN = PatternInput(kind="pattern", data=b"abc", size_bytes=500, least_bytes=100)
WHOLE = b"abc" * 200
OTHER = Submission("bob", {program: Source(b"int main;;") for program in SPEC.programs})


def lab(secret: str = PUBLIC, **changes: int | None) -> Lab:
    inputs = {**SPEC.inputs, "own": OWN.model_copy(update=changes)}
    spec = SPEC.model_copy(update={"inputs": inputs}).drawn(secret)
    return Lab(spec, {**LAB.inputs, "own": WHOLE[:500]}, LAB.reference)


def size_of(submission: Submission, secret: str = PUBLIC, **changes: int | None) -> int:
    return len(lab(secret, **changes).for_submission(submission).inputs["own"])


def submissions(count: int) -> list[Submission]:
    return [Submission("one", {"copy": Source(f"// {number}".encode())}) for number in range(count)]


def test_the_size_is_the_same_each_time_and_within_its_bounds() -> None:
    sizes = [size_of(one) for one in submissions(500)]
    assert sizes == [size_of(one) for one in submissions(500)]
    assert min(sizes) >= 100
    assert max(sizes) <= 500
    assert len(set(sizes)) > 200


def test_without_least_bytes_everybody_has_the_same() -> None:
    assert size_of(OTHER, least_bytes=None) == 500


def test_a_cut_input_has_a_size_too() -> None:
    assert size_of(OTHER, size_bytes=50) == 50


def test_a_random_input_can_have_one_too() -> None:
    text = RandomInput(kind="random", content="text", seed="seed", drawn_percent=0, size_bytes=500, least_bytes=100)
    spec = SPEC.model_copy(update={"inputs": {**SPEC.inputs, "own": text}}).drawn("one")
    lab = Lab(spec, {**LAB.inputs, "own": input_bytes(spec.inputs["own"])}, LAB.reference)
    own = [lab.for_submission(submission).inputs["own"] for submission in submissions(50)]
    assert len({*own}) > 20
    assert all(100 <= len(data) <= 500 and lab.inputs["own"].startswith(data) for data in own)


def test_only_who_knows_the_secret_of_the_class_knows_the_size() -> None:
    by_secret = [size_of(OTHER, secret) for secret in ("one", "two", "three")]
    assert len({*by_secret, size_of(OTHER)}) > 2
    assert by_secret == [size_of(OTHER, secret) for secret in ("one", "two", "three")]


def test_a_submission_gets_the_beginning_of_the_input() -> None:
    assert LAB.for_submission(SUBMISSION) is LAB
    for one in (SUBMISSION, OTHER):
        own = lab().for_submission(one)
        declared = own.spec.inputs["own"]
        assert isinstance(declared, PatternInput)
        # Commands in reports have the size that the submission got.
        assert own.inputs["own"] == WHOLE[: declared.size_bytes]
    assert lab().for_submission(SUBMISSION).inputs["own"] != lab().for_submission(OTHER).inputs["own"]


@pytest.mark.parametrize(
    ("changes", "says"),
    [({"least_bytes": 501}, "is more than size_bytes"), ({"least_bytes": 100}, "expect: either")],
)
def test_what_does_not_fit(changes: dict[str, int], says: str) -> None:
    own: dict[str, Any] = {"kind": "pattern", "data": "abc", "size_bytes": 500, **changes}
    cases = {**DOCUMENT["cases"], "own": {"operands": [], "input": "own"}}
    with pytest.raises(ValidationError, match=says):
        Spec.model_validate({**DOCUMENT, "inputs": {**DOCUMENT["inputs"], "own": own}, "cases": cases})
