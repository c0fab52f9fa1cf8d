from __future__ import annotations

import threading
from collections.abc import Sequence

import pytest

from grader.batch.workers import guests_each, local_workers
from grader.errors import SandboxError
from grader.grading import pipeline
from grader.grading.pipeline import grade_safely
from grader.model.report import Isolation
from grader.model.submission import Source, Submission
from grader.options import DEFAULT_OPTIONS
from grader.sandbox.base import Job, ProgressEvent
from grader.sandbox.slots import Slots

from .batches import NAMES, RIGHT, Class, grading, ignore, owner
from .facts import evidence, run
from .lab import PROGRAMS
from .sandboxes import Script, events_of


def submission(name: str = "ada") -> Submission:
    return Submission(name, {program: Source(name.encode()) for program in PROGRAMS})


def test_two_jobs_work_at_the_same_time_each_in_a_slot_of_its_own(students: Class) -> None:
    together = threading.Barrier(2)

    def script(_job: Job) -> Sequence[ProgressEvent | Exception]:
        together.wait(10)  # passes only when two are here
        return RIGHT

    context, sandbox = grading(script)
    assert len(students.graded(context, jobs=2)) == len(NAMES)
    assert set(sandbox.slots) == {1, 2}


def test_each_of_two_guests_of_each_of_two_jobs_has_a_slot_of_its_own() -> None:
    slots = Slots(2, guests=2)
    with slots.taken() as one, slots.taken() as other:
        assert sorted((*one, *other)) == [1, 2, 3, 4]
        assert len(one) == len(other) == 2


def test_a_single_guest_has_all_cpus() -> None:
    with Slots(1).taken() as own:
        assert own == (0,)


@pytest.mark.parametrize(
    ("cpus", "jobs", "isolation", "guests"),
    [
        (2, 1, "container", 2),
        (2, 2, "container", 1),
        (3, 2, "container", 1),
        (4, 2, "uid", 2),
        (1, 1, "container", 1),
        (8, 1, "none", 1),
    ],
)
def test_programs_work_at_the_same_time_where_cpus_would_be_idle_and_nothing_of_one_reaches_the_other(
    cpus: int, jobs: int, isolation: Isolation, guests: int
) -> None:
    context, sandbox = grading(lambda _job: RIGHT)
    sandbox.cpus, sandbox.isolation = cpus, isolation
    assert guests_each(context, jobs) == guests


def interruptible(started: threading.Event, stopped: threading.Event) -> Script:
    def script(job: Job) -> Sequence[ProgressEvent | Exception]:
        if owner(job) == "ada":
            return RIGHT
        started.set()
        assert stopped.wait(10)
        return [SandboxError("interrupted")]

    return script


def test_closing_early_ends_the_guest_at_work_and_starts_no_other(students: Class) -> None:
    started, stopped = threading.Event(), threading.Event()
    context, sandbox = grading(interruptible(started, stopped))
    sandbox.on_interrupt = stopped.set
    with students.opened(context) as (batch, _):
        results = batch.grade(local_workers(context, 1, ignore), students.todo(batch), meanwhile=lambda: None)
        assert next(results).report.submission.name == "ada"
        assert started.wait(10)
        results.close()
    assert sandbox.interrupted >= 1
    assert sandbox.at_work == 0
    assert [owner(job) for job in sandbox.jobs] == ["ada", "bob"]
    assert (students.results.folder / "ada" / "report.json").exists()
    assert list((students.results.folder / "bob").glob("*")) == [], "it has no report"


def test_a_submission_s_wrong_outputs_are_kept_up_to_a_limit(monkeypatch: pytest.MonkeyPatch) -> None:
    wrong = events_of(evidence({f"many.{case}": run(f"many.{case}", b"wrong") for case in ("copy", "piped")}))
    context, _ = grading(lambda _job: wrong)
    everything = grade_safely(context, submission(), DEFAULT_OPTIONS).outputs
    assert everything == {"many.copy": b"wrong", "many.piped": b"wrong"}
    monkeypatch.setattr(pipeline, "KEPT_BYTES", 2 * len(b"wrong") - 1)
    assert len(grade_safely(context, submission(), DEFAULT_OPTIONS).outputs) == 1
