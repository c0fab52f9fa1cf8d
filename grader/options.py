"""Options for grading one submission, and the observer of its progress."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from grader.judge.verdict import GradingEnvironment
from grader.model.plan import RunStep
from grader.model.report import Check, Report
from grader.sandbox.base import ProgressEvent, Sandbox


class Observer:
    """Learns what happens while a submission is graded; subclasses override the methods that they need.

    If several guests work at the same time, several threads call the methods, but never two at once.
    """

    def work_planned(self, runs: Sequence[RunStep]) -> None:
        """Handle the runs that a guest does next, in this order, after its builds."""

    def event_received(self, event: ProgressEvent) -> None:
        """Handle an event: first each guest's toolchain, then builds, runs and steps left out."""

    def check_decided(self, check: Check) -> None:
        """Handle a check that no later event can change; not called for checks that only the end decides."""

    def report_updated(self, make_report: Callable[[], Report]) -> None:
        """Handle newly decided checks; `make_report` returns the report so far, if called before this returns."""

    def judged(self, report: Report) -> None:
        """Handle the report with all verdicts; only the causes of failures are still missing."""


class TimeLeft:
    """The time until a deadline, which is `deadline_s` from now; None if there is no deadline."""

    def __init__(self, deadline_s: float | None = None) -> None:
        self._end_s = None if deadline_s is None else time.monotonic() + deadline_s

    @property
    def left_s(self) -> float | None:
        """Seconds until the deadline, not negative."""
        return None if self._end_s is None else max(self._end_s - time.monotonic(), 0.0)


class Stop(threading.Event):
    """Set from another thread when nothing more may be looked for; running guests are ended by Sandbox.interrupt."""


@dataclass(frozen=True)
class GradeOptions:
    """Options for grading one submission.

    `slots`: see Sandbox.open; if there is one for each program, each program has its own guest, and these work at the
    same time. `copy_slots` are those of the guests that look for explanations, the same ones if it is empty.
    `time_left` is how long guests may work; the rest is not run.
    `stop` ends the search for explanations.
    `selected_checks` are the ids of the checks to judge; None means all. `with_fixes`: the report is for course
    staff, and has the lines of the source as they are when a known bug is fixed. `stops_early`: runs that do not
    end are stopped before they reach their limits; all inputs must be short.
    """

    observer: Observer = field(default_factory=Observer)
    slots: tuple[int, ...] = (0,)
    copy_slots: tuple[int, ...] = ()
    time_left: TimeLeft = field(default_factory=TimeLeft)
    stop: Stop = field(default_factory=Stop)
    selected_checks: frozenset[str] | None = None
    with_fixes: bool = False
    stops_early: bool = False


def environment_of(sandbox: Sandbox, lab_digest: str = "") -> GradingEnvironment:
    """Return what a report says about where, and with which version of the lab, it was made."""
    return GradingEnvironment(sandbox.isolation, sandbox.image_digest, lab_digest)


DEFAULT_OPTIONS = GradeOptions()
