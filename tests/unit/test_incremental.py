"""Reports that are published while a submission is being graded."""

from __future__ import annotations

import threading
from collections.abc import Iterator

import pytest

from grader.grading.options import GradeOptions
from grader.grading.pipeline import GradingContext, grade
from grader.judge.facts import Facts
from grader.judge.verdict import check_of
from grader.model.evidence import BuildDone, Evidence, StepLeftOut, Toolchain
from grader.model.plan import Work
from grader.model.report import Check, Report
from grader.model.spec.rubric import RubricEntry
from grader.model.submission import Submission, UnusableSource
from grader.sandbox.base import Job, Progress

from .facts import LAB, SUBMISSION, build, evidence, limit, run
from .lab import INPUTS, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Recorder, events_of, unfetched

CHECKS = len(SPEC.rubric) * len(PROGRAMS)


def whole(seen: Evidence, work: Work) -> Evidence:
    """Every step of the plan is run or left out: a guest never passes over one in silence."""
    silent = [step.id for step in work.runs if step.id not in seen.runs and step.id not in seen.left_out]
    more = {step: StepLeftOut(step=step, why="not-cheap") for step in silent}
    return seen.model_copy(update={"left_out": {**seen.left_out, **more}})


def published(seen: Evidence, submission: Submission = SUBMISSION) -> tuple[list[Report], Report]:
    outputs = {"many.random": INPUTS["random"][:-1]}
    sandbox = FakeSandbox(lambda job: events_of(whole(seen, job.work)), outputs)
    recorder = Recorder()
    last = grade(GradingContext(LAB, sandbox), submission, GradeOptions(recorder))
    found, told = recorder.reports, recorder.checks
    assert len({check.id for check in told}) == len(told), "each check is told once"
    assert {check.id for check in told} <= {check for report in found for check in decided(report)}
    assert told or not found
    assert all(check in last.checks for check in told), "and as it is at the end"
    assert recorder.judgements == [last], "without bugs to look for there is nothing to add"
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


def told_of(seen: Evidence, selected_checks: frozenset[str] | None = None) -> list[str]:
    sandbox = FakeSandbox(lambda job: events_of(whole(seen, job.work)))
    recorder = Recorder()
    grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions(recorder, selected_checks=selected_checks))
    return [check.id for check in recorder.checks]


def test_a_program_s_compilation_is_told_without_waiting_for_the_other() -> None:
    first = PROGRAMS[0]
    assert told_of(evidence())[:2] == [f"{first}.build", f"{first}.functions"]


def test_nothing_is_told_of_what_was_not_asked_for() -> None:
    selected_checks = frozenset(["many.build", "many.output"])
    seen = evidence()
    runs = {step: seen.runs[step] for step in ("many.copy", "many.piped")}
    some = seen.model_copy(update={"builds": {"many": seen.builds["many"]}, "runs": runs})
    assert told_of(some, selected_checks) == ["many.build", "many.output"]


def test_each_check_is_judged_once(monkeypatch: pytest.MonkeyPatch) -> None:
    judged: list[str] = []

    def counted(facts: Facts, program: str, item: RubricEntry) -> Check:
        judged.append(f"{program}.{item.name}")
        return check_of(facts, program, item)

    monkeypatch.setattr("grader.grading.incremental.check_of", counted)
    monkeypatch.setattr("grader.judge.verdict.check_of", counted)
    seen = unfetched(evidence({"many.random": run("many.random", INPUTS["random"][:-1])}), "many.random")
    sandbox = FakeSandbox(lambda job: events_of(whole(seen, job.work)), {"many.random": INPUTS["random"][:-1]})
    grade(GradingContext(LAB, sandbox), SUBMISSION)
    assert sorted(judged) == sorted(SPEC.checks())


def test_who_used_up_the_time_is_known_at_the_end_only() -> None:
    assert "many.output" not in told_of(evidence(left_out={"many.piped": "deadline"}))


def test_a_build_that_the_deadline_cut_short_is_judged_at_the_end() -> None:
    cut = build("many", limit("wall")).model_copy(update={"cut_short": True})
    assert not [check for check in told_of(evidence(builds={"many": cut})) if check.startswith("many.")]


def test_nothing_is_decided_before_each_guest_has_said_what_it_found() -> None:
    recorder = Recorder()
    late = threading.Event()

    def script(job: Job) -> Iterator[Progress]:
        (program,) = (build.program for build in job.work.builds)
        named = {program, *(step.id for step in job.work.runs)}
        events = [event for event in events_of(whole(evidence(), job.work)) if name_of(event) in {None, *named}]
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


def name_of(event: Progress) -> str | None:
    if isinstance(event, Toolchain):
        return None
    return event.program if isinstance(event, BuildDone) else event.step
