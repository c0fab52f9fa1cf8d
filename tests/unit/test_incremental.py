"""Reports that are published while a submission is being graded."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from grader.grading.pipeline import GradingContext, grade
from grader.judge.facts import Facts
from grader.judge.verdict import judge_check
from grader.model.evidence import BuildDone, Evidence, StepLeftOut, Toolchain
from grader.model.plan import Plan
from grader.model.report import Check, Report
from grader.model.spec.rubric import RubricEntry
from grader.model.submission import Submission, UnusableSource
from grader.options import GradeOptions
from grader.sandbox.base import Job, ProgressEvent

from .facts import LAB, SUBMISSION, build, evidence, limit, run
from .lab import INPUTS, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Recorder, events_of, unfetched

CHECKS = len(SPEC.rubric) * len(PROGRAMS)


def whole(seen: Evidence, plan: Plan) -> Evidence:
    """Every step of the plan is run or left out: a guest never passes over one in silence."""
    silent = [step.id for step in plan.runs if step.id not in seen.runs and step.id not in seen.left_out]
    more = {step: StepLeftOut(step=step, why="not-cheap") for step in silent}
    return seen.model_copy(update={"left_out": {**seen.left_out, **more}})


def published(seen: Evidence, submission: Submission = SUBMISSION) -> tuple[list[Report], Report]:
    outputs = {"many.random": INPUTS["random"][:-1]}
    sandbox = FakeSandbox(lambda job: events_of(whole(seen, job.plan)), outputs)
    recorder = Recorder()
    last = grade(GradingContext(LAB, sandbox), submission, GradeOptions(recorder))
    found, announced = recorder.reports, recorder.checks
    assert len({check.id for check in announced}) == len(announced), "each check is announced once"
    assert {check.id for check in announced} <= {check for report in found for check in decided(report)}
    assert announced or not found
    final = [check.model_copy(update={"hint": ""}) for check in last.checks]
    assert all(check.model_copy(update={"hint": ""}) in final for check in announced), "and as it is at the end"
    [judged] = recorder.judgements
    unexplained = last.model_copy(update={"checks": judged.checks, "symptoms": ()})
    assert judged == unexplained, "without bugs to look for only symptoms and hints are added"
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


def test_a_large_output_that_is_wrong_is_announced_at_the_end_only() -> None:
    seen = unfetched(evidence({"many.random": run("many.random", INPUTS["random"][:-1])}), "many.random")
    reports, last = published(seen)
    assert all("many.large" in report.not_run for report in reports)
    assert last.not_run == ()
    assert {check.id for check in last.checks if check.status == "failed"} >= {"many.large"}


def test_a_wrong_output_at_hand_is_announced_at_once() -> None:
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


def announced_for(seen: Evidence, selected_checks: frozenset[str] | None = None) -> list[str]:
    sandbox = FakeSandbox(lambda job: events_of(whole(seen, job.plan)))
    recorder = Recorder()
    grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions(recorder, selected_checks=selected_checks))
    return [check.id for check in recorder.checks]


def test_a_program_s_compilation_is_announced_without_waiting_for_the_other() -> None:
    first = PROGRAMS[0]
    assert announced_for(evidence())[:2] == [f"{first}.build", f"{first}.functions"]


def test_nothing_is_announced_of_what_was_not_asked_for() -> None:
    selected_checks = frozenset(["many.build", "many.output"])
    seen = evidence()
    runs = {step: seen.runs[step] for step in ("many.copy", "many.piped")}
    some = seen.model_copy(update={"builds": {"many": seen.builds["many"]}, "runs": runs})
    assert announced_for(some, selected_checks) == ["many.build", "many.output"]


def test_each_check_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counted(facts: Facts, program: str, item: RubricEntry) -> Check:
        judged.append(f"{program}.{item.name}")
        return judge_check(facts, program, item)

    monkeypatch.setattr("grader.grading.incremental.judge_check", counted)
    monkeypatch.setattr("grader.judge.verdict.judge_check", counted)
    seen = unfetched(evidence({"many.random": run("many.random", INPUTS["random"][:-1])}), "many.random")
    sandbox = FakeSandbox(lambda job: events_of(whole(seen, job.plan)), {"many.random": INPUTS["random"][:-1]})
    grade(GradingContext(LAB, sandbox), SUBMISSION)
    assert sorted(judged) == sorted(SPEC.checks())


def test_who_used_up_the_time_is_known_at_the_end_only() -> None:
    assert "many.output" not in announced_for(evidence(left_out={"many.piped": "deadline"}))


def test_a_build_that_the_deadline_cut_short_is_judged_at_the_end() -> None:
    cut = build("many", limit("wall")).model_copy(update={"cut_short": True})
    assert not [check for check in announced_for(evidence(builds={"many": cut})) if check.startswith("many.")]


def test_nothing_is_decided_before_each_guest_has_said_what_it_found() -> None:
    recorder = Recorder()
    late = threading.Event()

    def script(job: Job) -> Iterator[ProgressEvent]:
        (program,) = (build.program for build in job.plan.builds)
        named = {program, *(step.id for step in job.plan.runs)}
        events = [event for event in events_of(whole(evidence(), job.plan)) if name_of(event) in {None, *named}]
        if program == PROGRAMS[0]:
            yield from events
            assert recorder.checks == []
            late.set()
        else:
            assert late.wait(10)
            yield from events

    options = GradeOptions(recorder, slots=(1, 2))
    grade(GradingContext(LAB, FakeSandbox(script)), SUBMISSION, options)
    assert len(recorder.checks) == CHECKS


def name_of(event: ProgressEvent) -> str | None:
    if isinstance(event, Toolchain):
        return None
    return event.program if isinstance(event, BuildDone) else event.step
