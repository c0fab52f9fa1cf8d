"""Reports that are published while a submission is being graded."""

from __future__ import annotations

import pytest

from grader.grading.pipeline import GradeOptions, GradingContext, grade
from grader.model.evidence import Evidence, StepLeftOut
from grader.model.plan import Work
from grader.model.report import Check, Report
from grader.model.submission import Submission, UnusableSource

from .facts import REFERENCE, SUBMISSION, build, evidence, limit, run
from .lab import INPUTS, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, events_of, unfetched

CHECKS = len(SPEC.rubric) * len(PROGRAMS)


def whole(seen: Evidence, work: Work) -> Evidence:
    """Every step of the plan is run or left out: a guest never passes over one in silence."""
    silent = [step.id for step in work.runs if step.id not in seen.runs and step.id not in seen.left_out]
    more = {step: StepLeftOut(step=step, why="not-cheap") for step in silent}
    return seen.model_copy(update={"left_out": {**seen.left_out, **more}})


def published(seen: Evidence, submission: Submission = SUBMISSION) -> tuple[list[Report], Report]:
    outputs = {"many.random": INPUTS["random"][:-1]}
    place = FakeSandbox(lambda job: events_of(whole(seen, job.work)), outputs)
    found: list[Report] = []
    judged: list[Report] = []
    told: list[Check] = []
    way = GradeOptions(decided=told.append, publish=found.append, judged=judged.append)
    last = grade(GradingContext(SPEC, place, REFERENCE, INPUTS), submission, way)
    assert len({check.id for check in told}) == len(told), "each check is told once"
    assert {check.id for check in told} <= {check for report in found for check in decided(report)}
    assert told or not found
    assert all(check in last.checks for check in told), "and as it is at the end"
    assert judged == [last], "without bugs to look for there is nothing to add"
    return found, last


def decided(report: Report) -> set[str]:
    return {check.id for check in report.checks if check.id not in report.not_run}


@pytest.fixture(scope="module")
def right() -> tuple[list[Report], Report]:
    return published(evidence())


def test_each_says_more_than_the_one_before_and_none_what_turns_out_otherwise(
    right: tuple[list[Report], Report],
) -> None:
    reports, last = right
    final = {check.id: check for check in last.checks}
    before: set[str] = set()
    for report in reports:
        now = decided(report)
        assert before < now or not before
        assert len(report.checks) == CHECKS
        assert all(check.status == "skipped" for check in report.checks if check.id in report.not_run)
        assert {check.id: check for check in report.checks if check.id in now} == {key: final[key] for key in now}
        before = now
    assert before == set(final)


def test_the_first_comes_with_the_last_program_compiled(right: tuple[list[Report], Report]) -> None:
    reports, _ = right
    at_once = {f"{program}.{name}" for program in PROGRAMS for name in ("build", "functions")}
    assert decided(reports[0]) == at_once
    assert {check.message for check in reports[0].checks if check.id in reports[0].not_run} == {"not run yet"}


def test_a_check_waits_for_each_of_its_runs(right: tuple[list[Report], Report]) -> None:
    reports, _ = right
    first = next(report for report in reports if "many.output" in decided(report))
    assert "many.errors" not in decided(first)


def test_a_large_output_that_is_wrong_is_told_at_the_end_only() -> None:
    seen = unfetched(evidence({"many.random": run("many.random", INPUTS["random"][:-1])}), "many.random")
    reports, last = published(seen)
    assert all("many.large" in report.not_run for report in reports)
    assert last.not_run == ()
    assert {check.id for check in last.checks if check.status == "failed"} >= {"many.large"}


def test_a_wrong_output_at_hand_is_told_at_once() -> None:
    reports, _ = published(evidence({"many.copy": run("many.copy", b"other")}))
    first = next(report for report in reports if "many.output" in decided(report))
    assert next(check.status for check in first.checks if check.id == "many.output") == "failed"


def test_a_failure_is_a_failure_before_the_check_has_ended() -> None:
    late = evidence({"many.copy": run("many.copy", ending=limit("cpu"))}, left_out={"many.piped": "not-yet"})
    _, last = published(late)
    assert next(check.status for check in last.checks if check.id == "many.output") == "failed"
    assert last.not_run == ()


def test_what_does_not_compile_waits_for_nothing() -> None:
    broken = evidence(
        dict.fromkeys(step for step in evidence().runs if step.startswith("many.")),
        {"many": build("many", limit("cpu"))},
        dict.fromkeys((step for step in evidence().runs if step.startswith("many.")), "not-built"),
    )
    reports, last = published(broken)
    assert reports[-1].checks == last.checks
    assert last.not_run == ()


def test_a_source_that_is_missing_is_no_program_to_wait_for() -> None:
    half = Submission("ada", {**SUBMISSION.sources, "many": UnusableSource("it is missing")})
    single = evidence()
    only = single.model_copy(
        update={
            "builds": {"single": single.builds["single"]},
            "runs": {step: done for step, done in single.runs.items() if step.startswith("single.")},
        }
    )
    reports, last = published(only, half)
    assert reports[-1].checks == last.checks


def told_of(seen: Evidence, asked: frozenset[str] | None = None) -> list[str]:
    place = FakeSandbox(lambda job: events_of(whole(seen, job.work)))
    told: list[str] = []
    way = GradeOptions(decided=lambda check: told.append(check.id), asked=asked)
    grade(GradingContext(SPEC, place, REFERENCE, INPUTS), SUBMISSION, way)
    return told


def test_a_program_s_compilation_is_told_without_waiting_for_the_other() -> None:
    first = PROGRAMS[0]
    assert told_of(evidence())[:2] == [f"{first}.build", f"{first}.functions"]


def test_nothing_is_told_of_what_was_not_asked_for() -> None:
    asked = frozenset(["many.build", "many.output"])
    seen = evidence()
    runs = {step: seen.runs[step] for step in ("many.copy", "many.piped")}
    some = seen.model_copy(update={"builds": {"many": seen.builds["many"]}, "runs": runs})
    assert told_of(some, asked) == ["many.build", "many.output"]
