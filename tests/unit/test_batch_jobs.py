from __future__ import annotations

import threading
from collections.abc import Callable, Sequence

from grader.batch import Output, grade_all
from grader.errors import SandboxError
from grader.intake.folder import Found
from grader.sandbox.base import Job, Progress

from .batches import NAMES, RIGHT, grading, ignore, owner
from .sandboxes import Script


def test_two_jobs_work_at_the_same_time_each_in_a_slot_of_its_own(found: list[Found], output: Output) -> None:
    together = threading.Barrier(2, timeout=10)

    def script(_job: Job) -> Sequence[Progress | Exception]:
        together.wait()  # passes only when two are here
        return RIGHT

    setting, place = grading(script)
    assert len(list(grade_all(setting, found, output, 2, ignore))) == len(NAMES)
    assert set(place.slots) == {1, 2}


def interruptible(started: threading.Event, stopped: threading.Event) -> Script:
    def script(job: Job) -> Sequence[Progress | Exception]:
        if owner(job) == "ada":
            return RIGHT
        started.set()
        assert stopped.wait(10)
        return [SandboxError("interrupted")]

    return script


def test_closing_early_ends_the_guest_at_work_and_starts_no_other(found: list[Found], output: Output) -> None:
    started, stopped = threading.Event(), threading.Event()
    setting, place = grading(interruptible(started, stopped))
    place.on_interrupt = stopped.set
    reports = grade_all(setting, found, output, 1, ignore)
    assert next(reports).submission.name == "ada"
    assert started.wait(10)
    close: Callable[[], None] = reports.close  # type: ignore[attr-defined]  # a generator is what it is
    close()
    assert place.interrupted >= 1
    assert place.at_work == 0
    assert [owner(job) for job in place.jobs] == ["ada", "bob"]
    assert (output.folder / "ada" / "report.json").exists()
    assert not (output.folder / "bob").exists()
