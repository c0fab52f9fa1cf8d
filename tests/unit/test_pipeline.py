from __future__ import annotations

import threading
from collections.abc import Sequence
from dataclasses import replace

import pytest

from grader.errors import EngineUnavailableError, GraderError, SandboxError, SilentGraderError
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.pipeline import GradingContext, grade, grade_safely
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut, Toolchain
from grader.model.mutant import KnownBugs
from grader.model.signature import Signatures
from grader.model.submission import Submission, UnusableSource
from grader.options import GradeOptions
from grader.sandbox.base import Job, ProgressEvent
from grader.sandbox.collector import collect

from .facts import LAB, SUBMISSION, TOOLCHAIN, evidence, run
from .lab import INPUTS, PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Recorder, events_of, unfetched

WRONG = INPUTS["random"][:-1]


def grading(script: Sequence[ProgressEvent | Exception], **outputs: bytes) -> tuple[GradingContext, FakeSandbox]:
    sandbox = FakeSandbox(lambda _job: script, {step.replace("_", "."): data for step, data in outputs.items()})
    return GradingContext(LAB, sandbox), sandbox


def test_a_right_submission_gets_all_points_and_each_step_is_shown() -> None:
    events = events_of(evidence())
    context, sandbox = grading(events)
    recorder = Recorder()
    report = grade(context, SUBMISSION, GradeOptions(recorder, slots=(3,)))
    assert report.score == SPEC.max_score
    assert recorder.steps == events
    assert sandbox.slots == [3]
    assert sandbox.at_work == 0
    assert sandbox.jobs[0].inputs == INPUTS
    assert sandbox.jobs[0].sources == {f"{program}.c": b"int main;" for program in PROGRAMS}


def share(found: Evidence, job: Job) -> list[ProgressEvent]:
    """The part of a submission's evidence that the guest of one program finds."""
    (program,) = (build.program for build in job.plan.builds)
    named = {program, *(run.id for run in job.plan.runs)}
    return [event for event in events_of(found) if isinstance(event, Toolchain) or _named(event) in named]


def _named(event: BuildDone | RunDone | StepLeftOut) -> str:
    return event.program if isinstance(event, BuildDone) else event.step


def test_with_a_slot_for_each_program_they_work_at_the_same_time_and_the_report_is_the_same() -> None:
    found = unfetched(evidence({"many.random": run("many.random", WRONG)}), "many.random")
    both = threading.Barrier(len(PROGRAMS))
    recorder = Recorder()

    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        both.wait(10)  # passes only when all are here
        return share(found, job)

    sandbox = FakeSandbox(script, {"many.random": WRONG})
    report = grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions(recorder, slots=(1, 2)))
    alone, _ = grading(events_of(found), many_random=WRONG)
    assert report == grade(alone, SUBMISSION)
    assert sorted(sandbox.slots) == [1, 2]
    # One may include another, as it may where all are built in one place.
    assert [sorted(job.sources) for job in sandbox.jobs] == [sorted(f"{program}.c" for program in PROGRAMS)] * 2
    assert len(recorder.steps) == len(events_of(found)) + 1, "each guest says what it found around it"
    assert sandbox.at_work == 0


def test_where_one_of_two_guests_breaks_the_submission_is_not_graded() -> None:
    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        first = job.plan.builds[0].program == PROGRAMS[0]
        return share(evidence(), job) if first else [TOOLCHAIN, SandboxError("the engine died")]

    sandbox = FakeSandbox(script)
    report = grade(GradingContext(LAB, sandbox), SUBMISSION, GradeOptions(slots=(1, 2)))
    assert (report.status, report.score, report.reason) == ("not_graded", None, "the engine died")
    assert sandbox.at_work == 0


def test_what_one_of_two_guests_could_not_use_is_missing() -> None:
    lacks = TOOLCHAIN.model_copy(update={"missing": {"account": "no /proc"}})

    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        first = job.plan.builds[0].program == PROGRAMS[0]
        events = share(evidence(), job)
        return events if first else [lacks if isinstance(event, Toolchain) else event for event in events]

    report = grade(GradingContext(LAB, FakeSandbox(script)), SUBMISSION, GradeOptions(slots=(1, 2)))
    assert any("could not be used where this ran: no /proc" in note for note in report.notes)


def test_one_program_to_run_has_one_guest_in_the_first_slot() -> None:
    found = evidence()
    sandbox = FakeSandbox(lambda job: share(found, job))
    half = Submission("ada", {**SUBMISSION.sources, PROGRAMS[1]: UnusableSource("it is missing")})
    assert grade(GradingContext(LAB, sandbox), half, GradeOptions(slots=(1, 2))).status == "graded"
    assert sandbox.slots == [1]


def test_only_outputs_that_differ_and_are_not_at_hand_are_fetched() -> None:
    changed: dict[str, RunDone | None] = {
        "many.random": run("many.random", WRONG),
        "many.copy": run("many.copy", b"short and at hand"),
    }
    seen = unfetched(evidence(changed), "many.random", "many.pattern", "single.random")
    context, sandbox = grading(events_of(seen), many_random=WRONG)
    report = grade(context, SUBMISSION)
    assert sandbox.fetched == ["many.random"]
    failed = {check.id: check for check in report.checks if check.status == "failed"}
    assert set(failed) == {"many.large", "many.output"}
    assert "1 byte of" in failed["many.large"].message


@pytest.mark.parametrize("after", [0, 1, 4, 20])
def test_a_sandbox_that_breaks_at_any_time_is_not_graded_and_never_0_points(after: int) -> None:
    context, sandbox = grading([*events_of(evidence())[:after], SandboxError("the engine died")])
    report = grade(context, SUBMISSION)
    assert (report.status, report.score, report.reason) == ("not_graded", None, "the engine died")
    assert sandbox.at_work == 0


@pytest.mark.parametrize("after", [0, 1, 20])
@pytest.mark.parametrize(("silences", "status"), [(1, "graded"), (2, "not_graded")])
def test_a_submission_whose_guest_heard_nothing_from_us_is_graded_once_more(
    after: int, silences: int, status: str
) -> None:
    whole = events_of(evidence())
    left = [SilentGraderError("no sign of life")] * silences

    sandbox = FakeSandbox(lambda _: [*whole[:after], left.pop()] if left else whole)
    report = grade(GradingContext(LAB, sandbox), SUBMISSION)
    assert report.status == status
    if status == "graded":
        alone, _ = grading(whole)
        assert report == grade(alone, SUBMISSION)
    assert len(sandbox.jobs) == 2
    assert sandbox.at_work == 0


def test_a_sandbox_that_cannot_be_had_is_for_the_caller() -> None:
    context, _ = grading([EngineUnavailableError("no engine")])
    with pytest.raises(EngineUnavailableError):
        grade(context, SUBMISSION)


def test_nothing_to_build_needs_no_sandbox() -> None:
    context, sandbox = grading([])
    nothing = Submission("ada", dict.fromkeys(PROGRAMS, UnusableSource("it is missing")))
    report = grade(context, nothing)
    assert (report.status, report.score) == ("graded", 0)
    assert sandbox.jobs == []
    assert {check.status for check in report.checks} == {"failed", "skipped"}


def test_only_usable_sources_reach_the_sandbox() -> None:
    both = evidence()
    only = Evidence(
        toolchain=TOOLCHAIN,
        builds={"single": both.builds["single"]},
        runs={step: done for step, done in both.runs.items() if step.startswith("single.")},
        left_out={},
    )
    context, sandbox = grading(events_of(only))
    half = Submission("ada", {**SUBMISSION.sources, "many": UnusableSource("many.c is empty")})
    assert grade(context, half).score == SPEC.max_score / len(PROGRAMS)
    assert set(sandbox.jobs[0].sources) == {"single.c"}


def test_events_become_evidence_by_program_and_step() -> None:
    seen = evidence(left_out={"many.copy": "submission-time"})
    assert collect(events_of(seen)) == seen


def test_wrong_outputs_are_handed_over_whole() -> None:
    context, _ = grading(events_of(evidence({"many.copy": run("many.copy", b"short")})))
    assert grade_safely(context, SUBMISSION).outputs == {"many.copy": b"short"}


class FakeKnownBugs(LazyKnownBugs):
    """Knows one bug, or none and says why."""

    def __init__(self, known: KnownBugs | GraderError) -> None:
        self._answer = known
        self.asked = 0

    def get(self) -> KnownBugs:
        self.asked += 1
        if isinstance(self._answer, GraderError):
            raise self._answer
        return self._answer


def test_known_bugs_are_asked_for_only_where_something_failed() -> None:
    bugs = FakeKnownBugs(KnownBugs((), Signatures(key="", traits={})))
    for changed, asked in (({}, 0), ({"many.copy": run("many.copy", b"wrong")}, 1)):
        context, _ = grading(events_of(evidence(changed)))
        report = grade(replace(context, known_bugs=bugs), SUBMISSION)
        assert (report.causes, report.notes, bugs.asked) == ((), (), asked)


def test_trouble_with_known_bugs_costs_no_verdict() -> None:
    context, _ = grading(events_of(evidence({"many.copy": run("many.copy", b"wrong")})))
    report = grade(replace(context, known_bugs=FakeKnownBugs(SandboxError("the engine died"))), SUBMISSION)
    assert report.status == "graded"
    assert report.notes == ("the grader could not look for causes: the engine died",)
