"""What the runs of a copy say about a check, and which of its outputs are compared."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.explain.second_run import SecondGuests
from grader.explain.trials import FailingProgram, Fix, Trials
from grader.grading.pipeline import GradingContext, grade
from grader.grading.plan_builder import build_plan
from grader.judge.facts import Facts
from grader.model.evidence import LeftFile, Marks
from grader.model.lab import Lab
from grader.model.report import Check, Report
from grader.model.spec.cases import CaseFile
from grader.options import GradeOptions

from .facts import LAB, SUBMISSION, build, captured, evidence, limit, run
from .sandboxes import FakeSandbox, events_of

RIGHT = LAB.reference.evidence.runs["many.copy"]
PLAN = build_plan(LAB.spec, SUBMISSION)
STOPPED = RIGHT.model_copy(update={"ending": limit("cpu")})


def lab_of(reference_s: float) -> Lab:
    """The lab with a reference that needs so much time for a case."""
    slow = {"many.copy": RIGHT.model_copy(update={"own_s": reference_s})}
    return replace(LAB, reference=replace(LAB.reference, evidence=evidence(slow)))


def trials_of(lab: Lab, kind: type[Trials] = Trials) -> Trials:
    return kind(lab, SUBMISSION, {}, SecondGuests(FakeSandbox(lambda _: ()), (0,), ()), GradeOptions())


def report_of(output: bytes) -> Report:
    seen = evidence({"many.copy": run("many.copy", output)})
    return grade(GradingContext(LAB, FakeSandbox(lambda _job: events_of(seen))), SUBMISSION, GradeOptions())


def check_of(report: Report) -> Check:
    return next(
        check
        for check in report.checks
        if any(result.case == "copy" for result in check.results) and check.program == "many"
    )


class Stopped(Trials):
    """Runs nothing: each copy is stopped in the case `copy`, and right in all others."""

    def _run(self, *_: object) -> Facts:
        return self.facts(evidence({"many.copy": STOPPED}))


@pytest.mark.parametrize(
    ("had_passed", "reference_s", "outcome"),
    [(False, 0.01, "failed"), (False, 0.4, "unknown"), (True, 0.01, "broken"), (True, 0.4, "broken")],
)
def test_a_run_that_was_stopped_says_nothing_of_a_failed_check_that_takes_long(
    *, had_passed: bool, reference_s: float, outcome: str
) -> None:
    report = report_of((RIGHT.stdout.data or b"") if had_passed else b"wrong")
    check = check_of(report)
    assert check.status == ("passed" if had_passed else "failed")
    trials = trials_of(lab_of(reference_s), Stopped)
    trial = trials.on_failed(FailingProgram("many", b"", report, PLAN, "many"), Fix("many", b"", {}))
    assert trial is not None
    assert (check.id in trial.run, check.id in trial.broken) == (outcome == "failed", outcome == "broken")
    assert check.id not in trial.passed


def test_files_are_compared_like_outputs() -> None:
    step = next(step for step in PLAN.runs if step.id == "many.copy")
    trials = trials_of(LAB)
    assert trials.compared(run("many.copy", b"wrong"), step) == [(b"wrong", RIGHT.stdout.data)]
    case = LAB.spec.cases["copy"].model_copy(update={"files": {"dst": CaseFile(expect="reference-output")}})
    spec = LAB.spec.model_copy(update={"cases": {**LAB.spec.cases, "copy": case}})
    left = {"dst": LeftFile(kind="regular", content=captured(b"right"))}
    seen = evidence({"many.copy": RIGHT.model_copy(update={"files": left})})
    trials = trials_of(replace(LAB, spec=spec, reference=replace(LAB.reference, evidence=seen)))
    assert trials.compared(run("many.copy", b"wrong"), step) == [(b"wrong", RIGHT.stdout.data), (b"", b"right")]


@pytest.mark.parametrize(
    ("marks", "passes"), [(None, False), (Marks(copied_bytes=10, read_bytes=10, written_bytes=10), True)]
)
def test_a_copy_that_does_not_copy_proves_nothing_about_the_functions_it_uses(
    *, marks: Marks | None, passes: bool
) -> None:
    many = LAB.spec.programs["many"]
    rule = many.symbols.model_copy(update={"used_in": "slice"})
    programs = {**LAB.spec.programs, "many": many.model_copy(update={"symbols": rule})}
    lab = replace(LAB, spec=LAB.spec.model_copy(update={"programs": programs}))

    class Copied(Trials):
        def _run(self, *_: object) -> Facts:
            return self.facts(evidence(builds={"many": build("many").model_copy(update={"marks": marks})}))

    elsewhere = build("many").model_copy(update={"marks": Marks(copied_bytes=10, read_bytes=0, written_bytes=10)})
    seen = evidence(builds={"many": elsewhere})
    report = grade(GradingContext(lab, FakeSandbox(lambda _job: events_of(seen))), SUBMISSION, GradeOptions())
    assert [check.id for check in report.checks if check.status == "failed"] == ["many.functions"]
    failing = FailingProgram("many", b"", report, build_plan(lab.spec, SUBMISSION), "many")
    trial = trials_of(lab, Copied).on_failed(failing, Fix("many", b"", {}))
    assert trial is not None
    assert ("many.functions" in trial.passed) == passes
