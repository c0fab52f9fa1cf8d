"""What trials of fixes say about a cause: nothing is stated that they refute."""

from __future__ import annotations

from typing import Literal

import pytest

from grader.diagnose.edits import Edit
from grader.grading.options import GradeOptions
from grader.grading.proof import Fix, Proofs, Proven, Prover, Tried
from grader.grading.second_run import evidence_of_copy
from grader.grading.source_patterns import FoundPlace
from grader.lab.load import read_spec
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Cause
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.sandbox.local import LocalSandbox

from .facts import evidence
from .render import factory

SOURCE = b"int main(void)\n{\n    char c;\n    char d;\n}\n"
CHECKS = ("tr2b.text", "tr2b.binary")
OTHER = ("tr2b.byte-ff",)


def place(line: int, *, one: bool = False, proof: bool = False) -> FoundPlace:
    return FoundPlace(lines=(line,), edits=(Edit(line, line + 1, "x"),), says="with this", one=one, proof=proof)


PLACE = place(3)


def cause(certainty: Literal["certain", "likely"] = "likely", name: str = "bug") -> Cause:
    return Cause(name=name, title="Title", page="", certainty=certainty, checks=CHECKS)


@pytest.fixture
def prover() -> Prover:
    spec = read_spec(resource("specs", "tr2.yaml"))
    nothing = Evidence(toolchain=None, builds={}, runs={}, left_out={})
    lab = Lab(spec, {}, Reference(evidence=nothing, outputs={}))
    submission = Submission("x", {program: Source(SOURCE) for program in spec.programs})
    return Prover(lab, submission, LocalSandbox(), GradeOptions())


def trial(*passed: str, causes: tuple[str, ...] = ("bug",), run: tuple[str, ...] = CHECKS) -> Tried:
    return Tried(Fix("tr2b", SOURCE, dict.fromkeys(causes, (PLACE,))), run, passed, ())


def known(prover: Prover, of: Cause, *trials: Tried, found: FoundPlace | None = PLACE) -> Proven:
    places = {} if found is None else {"tr2b": (found,)}
    return prover._proven(of, places, {of.name: [*trials]})  # noqa: SLF001 - the rules are its only content


def numbers(proven: Proven) -> list[int]:
    return [line.number for line in proven.lines]


def test_a_fix_that_repairs_all_is_a_proof(prover: Prover) -> None:
    proven = known(prover, cause(), trial(), trial(*CHECKS))
    assert proven.proof is not None
    assert proven.proof.sentence == "With this in line 3 of tr2b.c, the checks text and binary pass."
    assert (proven.proof.checks, proven.proof.fixed, numbers(proven)) == (CHECKS, (), [3])
    assert not proven.is_refuted


def test_the_sentence_names_no_check_that_was_not_run(prover: Prover) -> None:
    proven = known(prover, cause(), trial("tr2b.text", run=("tr2b.text",)))
    assert proven.proof is not None
    assert proven.proof.sentence == "With this in line 3 of tr2b.c, the check text passes."


@pytest.mark.parametrize("certainty", ["certain", "likely"])
def test_a_fix_that_repairs_a_part_proves_and_refutes_nothing(
    prover: Prover, certainty: Literal["certain", "likely"]
) -> None:
    proven = known(prover, cause(certainty), trial("tr2b.text"))
    assert (proven.proof, proven.is_refuted, numbers(proven)) == (None, False, [])


def test_a_fix_that_repairs_nothing_refutes_what_is_only_likely(prover: Prover) -> None:
    assert known(prover, cause("likely"), trial()).is_refuted
    assert not known(prover, cause("certain"), trial()).is_refuted
    assert numbers(known(prover, cause("certain"), trial())) == []
    # Where right programs have the construct too, another place may be the bug.
    assert not known(prover, cause("likely"), trial(), found=place(3, proof=True)).is_refuted


def test_a_likely_cause_whose_construct_is_nowhere_in_the_source_is_refuted(prover: Prover) -> None:
    assert known(prover, cause("likely"), found=None).is_refuted
    assert known(prover, cause("certain"), found=None) == Proven()


def test_without_a_trial_only_a_certain_construct_has_a_line(prover: Prover) -> None:
    assert numbers(known(prover, cause())) == [3]
    assert numbers(known(prover, cause(), found=place(3, proof=True))) == []
    assert numbers(known(prover, cause(), found=place(3, one=True))) == []
    assert known(prover, cause()).proof is None


def test_what_another_fix_repairs_alone_is_not_caused_by_it(prover: Prover) -> None:
    without = trial(*CHECKS, causes=("other",))
    both = trial(*CHECKS, causes=("bug", "other"))
    assert known(prover, cause("likely"), trial(), without, both).is_refuted
    certain = known(prover, cause("certain"), trial(), without, both)
    assert (certain.proof, certain.is_refuted, numbers(certain)) == (None, False, [])
    neither = known(prover, cause("likely"), trial(), trial(causes=("other",)), both)
    assert neither.proof is not None


def test_a_refuted_cause_leaves_its_checks_without_one() -> None:
    report = factory.diagnosed(causes=(factory.cause("char-for-getchar", "tr2b.byte-ff", "tr2b.random-5m"),))
    without = Proofs({"char-for-getchar": Proven(is_refuted=True)}).added_to(report)
    assert without.causes == ()
    assert {check.cause for check in without.checks} == {None}
    assert [check.status for check in without.checks] == [check.status for check in report.checks]
    assert Proofs().added_to(report) is report


def test_a_proof_counts_only_for_the_checks_that_the_cause_still_explains(prover: Prover) -> None:
    proven = known(prover, cause(), trial(*CHECKS))
    report = factory.diagnosed(causes=(factory.cause("bug", "tr2b.text"),))
    (left,) = Proofs({"bug": proven}).added_to(report).causes
    assert (left.certainty, left.proof) == ("certain", None)


def test_the_evidence_of_a_copy_has_the_name_of_its_program() -> None:
    seen = evidence()
    copies = evidence_of_copy(seen, "many", "many_fix0")
    assert {*copies.builds} == {"many_fix0"}
    assert {*copies.runs} == {step.replace("many", "many_fix0") for step in seen.runs if step.startswith("many.")}
    assert evidence_of_copy(copies, "many_fix0", "many").runs == {
        step: done for step, done in seen.runs.items() if step.startswith("many.")
    }
    assert not evidence_of_copy(seen, "none", "many").builds
