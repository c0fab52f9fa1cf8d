"""How one submission is graded, and who follows it."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

from grader.model.report import Check, Report
from grader.sandbox.base import Progress


class Observer:
    """Learns what happens while a submission is graded; a subclass overrides what it wants to know.

    If several guests work at the same time, the methods are called from several threads, never two at once.
    """

    def step_done(self, event: Progress) -> None:
        """Learn that something was built, run or left out."""

    def check_decided(self, check: Check) -> None:
        """Learn of a check that nothing still to come can change; not called for what only the end decides."""

    def report_updated(self, make_report: Callable[[], Report]) -> None:
        """Learn that another check is decided; `make_report`, to be called at once, returns the report so far."""

    def judged(self, report: Report) -> None:
        """Learn all verdicts; only the causes of failures are still missing."""


@dataclass(frozen=True)
class GradeOptions:
    """How one submission is graded.

    `slots`: see Sandbox.open; if there is one for each program, each program has a guest of its own, and these work
    at the same time. `deadline_s`: what is not done by then, counted from the start of the guest, is not run.
    `selected_checks` are the ids of the checks to judge; None means all.
    """

    observer: Observer = field(default_factory=Observer)
    slots: tuple[int, ...] = (0,)
    deadline_s: float | None = None
    selected_checks: frozenset[str] | None = None


DEFAULT_OPTIONS = GradeOptions()
