"""Hidden runs come last, and in guests of their own."""

from __future__ import annotations

import time
from collections.abc import Sequence
from dataclasses import replace

import pytest

from grader.errors import SandboxError
from grader.explain import explanation
from grader.grading.pipeline import GradingContext, grade
from grader.grading.plan_builder import build_plan, split_hidden
from grader.lab.load import read_spec
from grader.model.evidence import BuildDone, Evidence, Exited, RunDone, StepLeftOut, Toolchain
from grader.model.plan import Plan
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.options import GradeOptions, TimeLeft
from grader.sandbox.base import Job, ProgressEvent
from tests.hidden_lab import hidden_spec

from .facts import LAB, SUBMISSION, TOOLCHAIN, build, evidence
from .lab import PROGRAMS, SPEC
from .sandboxes import FakeSandbox, Recorder, events_of


@pytest.fixture(scope="module")
def full(tmp_path_factory: pytest.TempPathFactory) -> Spec:
    return read_spec(hidden_spec(tmp_path_factory.mktemp("lab")))


def split(spec: Spec, *programs: str) -> tuple[Plan, Plan]:
    submission = Submission("ada", {name: Source(b"int main;") for name in programs or spec.programs})
    return split_hidden(spec, build_plan(spec, submission))


def cases(plan: Plan) -> set[str]:
    return {run.case for run in plan.runs}


def test_runs_that_no_visible_check_rests_on_are_apart(full: Spec) -> None:
    seen, hidden = split(full)
    apart = {"secret-operands", "secret-letters", "secret-noise", "secret-helper"}
    assert cases(hidden) >= apart
    assert not cases(seen) & apart
    assert (
        cases(seen) == cases(build_plan(full, Submission("a", {name: Source(b"") for name in full.programs}))) - apart
    )
    assert [one.program for one in seen.builds] == [one.program for one in hidden.builds] == list(full.programs)


def test_the_hidden_part_repeats_only_what_its_runs_depend_on(full: Spec) -> None:
    large = full.cases["secret-noise"].model_copy(update={"limits": "full"})
    spec = full.model_copy(update={"cases": {**full.cases, "secret-noise": large}})
    seen, hidden = split(spec)
    repeated = {run.id for run in hidden.runs} & {run.id for run in seen.runs}
    needed = {step for run in hidden.runs for step in (run.predicted_by, *run.requires_ended) if step is not None}
    assert repeated == needed
    assert needed


def test_a_lab_without_hidden_cases_is_not_split() -> None:
    plan = build_plan(SPEC, SUBMISSION)
    seen, hidden = split_hidden(SPEC, plan)
    assert seen == plan
    assert hidden.runs == hidden.builds == ()


def test_a_lab_that_shows_nothing_has_nothing_to_keep_apart() -> None:
    rubric = tuple(item.model_copy(update={"visibility": "after_published"}) for item in SPEC.rubric)
    spec = SPEC.model_copy(update={"rubric": rubric})
    plan = build_plan(spec, SUBMISSION)
    assert split_hidden(spec, plan) == (plan, plan.model_copy(update={"builds": (), "runs": ()}))


HIDING = SPEC.model_copy(
    update={
        "rubric": tuple(
            item.model_copy(update={"visibility": "hidden"}) if item.name in ("errors", "terminal") else item
            for item in SPEC.rubric
        )
    }
)
"""The lab of these tests, with some checks hidden whose runs depend on others."""

LAB_THAT_HIDES = replace(LAB, spec=HIDING)


def of_job(job: Job, found: Evidence) -> list[ProgressEvent]:
    """What a guest says about its work."""
    named = {*(one.program for one in job.plan.builds), *(run.id for run in job.plan.runs)}
    events = [event for event in events_of(found) if isinstance(event, Toolchain) or _named(event) in named]
    silent = [run.id for run in job.plan.runs if run.id not in found.runs and run.id not in found.left_out]
    return [*events, *(StepLeftOut(step=step, why="not-cheap") for step in silent)]


def _named(event: BuildDone | RunDone | StepLeftOut) -> str:
    return event.program if isinstance(event, BuildDone) else event.step


def graded(sandbox: FakeSandbox, **options: object) -> Report:
    return grade(GradingContext(LAB_THAT_HIDES, sandbox), SUBMISSION, GradeOptions(**options))  # type: ignore[arg-type]


def hidden_ids() -> set[str]:
    seen, hidden = split_hidden(HIDING, build_plan(HIDING, SUBMISSION))
    return {run.id for run in hidden.runs} - {run.id for run in seen.runs}


@pytest.mark.parametrize("slots", [(0,), (1, 2)])
def test_hidden_runs_have_guests_of_their_own_after_all_others(slots: tuple[int, ...]) -> None:
    at_work_before: list[int] = []

    def answer(job: Job) -> list[ProgressEvent]:
        at_work_before.append(sandbox.at_work)
        return of_job(job, evidence())

    sandbox = FakeSandbox(answer)
    recorder = Recorder()
    report = graded(sandbox, observer=recorder, slots=slots)
    alone = grade(GradingContext(LAB_THAT_HIDES, FakeSandbox(lambda job: of_job(job, evidence()))), SUBMISSION)
    assert (report.status, report.score) == ("graded", SPEC.max_score)
    assert report == alone
    guests = 1 if slots == (0,) else len(PROGRAMS)
    first, later = sandbox.jobs[:guests], sandbox.jobs[guests:]
    assert len(sandbox.jobs) == 2 * guests
    assert sorted(sandbox.slots[:guests]) == sorted(sandbox.slots[guests:]) == list(slots)
    assert not hidden_ids() & {run.id for job in first for run in job.plan.runs}
    assert hidden_ids() <= {run.id for job in later for run in job.plan.runs}
    steps = [_named(event) for event in recorder.steps if not isinstance(event, Toolchain)]
    assert len(steps) == len(set(steps)), "what a hidden guest repeats is not told again"


def test_files_are_not_seen_to_be_exchanged_after_hidden_runs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    after_hidden: list[bool] = []

    def look(*_: object) -> None:
        after_hidden.append(any(hidden_ids() & {run.id for run in job.plan.runs} for job in sandbox.jobs))

    monkeypatch.setattr(explanation, "exchanged_programs", look)
    sandbox = FakeSandbox(lambda job: of_job(job, evidence()))
    graded(sandbox)
    assert after_hidden == [False]


def test_visible_checks_are_decided_before_the_hidden_guest_starts() -> None:
    recorder = Recorder()
    told: list[int] = []

    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        told.append(len(recorder.checks))
        return of_job(job, evidence())

    graded(FakeSandbox(script), observer=recorder)
    hidden = sum(len(item.points) for item in HIDING.rubric if item.visibility == "hidden")
    assert told == [0, len(HIDING.checks()) - hidden]


def test_a_deadline_that_cuts_the_hidden_guest_keeps_what_is_visible() -> None:
    waits_s = 0.3

    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        events = of_job(job, evidence())
        if hidden_ids() & {run.id for run in job.plan.runs}:
            return [
                StepLeftOut(step=event.step, why="deadline") if isinstance(event, RunDone) else event
                for event in events
            ]
        time.sleep(waits_s)
        return events

    sandbox = FakeSandbox(script)
    report = graded(sandbox, time_left=TimeLeft(1000.0))
    first_s, later_s = (job.plan.deadline_s for job in sandbox.jobs)
    assert first_s is not None
    assert later_s is not None
    assert 0 < later_s <= first_s - waits_s <= 1000.0 - waits_s
    assert report.status == "graded"
    left = {f"{program}.{name}" for program in PROGRAMS for name in ("errors", "terminal")} & {*HIDING.checks()}
    assert {*report.not_run} == left
    assert all(check.status == "passed" for check in report.checks if check.id not in left)


def test_what_compiles_only_once_fails_the_hidden_checks() -> None:
    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        events = of_job(job, evidence())
        if not hidden_ids() & {run.id for run in job.plan.runs}:
            return events
        broken = [build(name, ending=Exited(kind="exited", code=1)) for name in PROGRAMS]
        return [TOOLCHAIN, *broken, *(StepLeftOut(step=run.id, why="not-built") for run in job.plan.runs)]

    report = graded(FakeSandbox(script))
    failed = {check.id.partition(".")[2] for check in report.checks if check.status == "failed"}
    assert "errors" in failed
    assert failed <= {"errors", "terminal"}
    (message, *_) = {check.message for check in report.checks if check.id == "many.errors"}
    assert "compiled once" in message


def test_an_engine_that_the_hidden_guest_lacks_is_our_fault() -> None:
    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        events = of_job(job, evidence())
        if hidden_ids() & {run.id for run in job.plan.runs}:
            return [TOOLCHAIN.model_copy(update={"missing": {"filter": "refused"}}), *events[1:]]
        return events

    report = graded(FakeSandbox(script))
    assert (report.status, report.reason) == ("not_graded", "filter worked where this was graded, and then no more")


def test_a_hidden_guest_that_fails_is_our_fault() -> None:
    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        if hidden_ids() & {run.id for run in job.plan.runs}:
            return [SandboxError("the engine died")]
        return of_job(job, evidence())

    assert graded(FakeSandbox(script)).reason == "the engine died"
