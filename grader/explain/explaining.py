"""Run the steps that explain a report, none of which may lose a verdict: what goes wrong in one becomes a note."""

from __future__ import annotations

import logging
import os
import traceback
from collections.abc import Callable
from typing import TypeVar

from grader.errors import NO_MEMORY, GraderError, lacks_memory
from grader.model.report import GraderFault, Report
from grader.options import Stop

log = logging.getLogger(__name__)

STRICT_VARIABLE = "GRADER_RAISE_FAULTS"
"""If this environment variable is set, a bug in an explanation is raised: the tests set it."""

TRACEBACK_CHARS = 8_000

STOPPED = "the search for causes was interrupted, so explanations may be missing; checks and scores are complete"

Result = TypeVar("Result")


class Explaining:
    """The steps that explain one submission, and the faults in them. After a stop, no further step begins."""

    def __init__(self, name: str, stop: Stop) -> None:
        self._name = name
        self._stop = stop
        self._faults: list[GraderFault] = []
        self._notes: list[str] = []

    def attempt(
        self, step: str, work: Callable[[], Result], otherwise: Result, *, after_stop: bool = False
    ) -> Result:
        """Return what a step finds, or `otherwise` if it fails or must not begin; after a stop, few steps may."""
        if self._stop.is_set() and not after_stop:
            return otherwise
        try:
            return work()
        except GraderError as error:
            self.give_up(step, str(error))
        except Exception as error:
            if lacks_memory(error):
                self.give_up(step, NO_MEMORY)
                return otherwise
            if is_strict():
                raise
            self.add_fault(step, f"{type(error).__name__}: {error}", traceback.format_exc())
        return otherwise

    def change(self, step: str, report: Report, work: Callable[[Report], Report]) -> Report:
        """Return the report as a step changes it; unchanged if the step fails."""
        return self.attempt(step, lambda: work(report), report)

    def give_up(self, step: str, reason: str) -> None:
        """Remember that a step has found less than there may be."""
        # After a stop, guests end in the middle of their work.
        if not self._stop.is_set():
            self._notes.append(f"the explanation is incomplete ({step}): {reason}")

    def add_fault(self, step: str, error: str, trace: str) -> None:
        """Remember a bug of the grader, and log it once.

        Raises:
            RuntimeError: the tests are running, which must fail.
        """
        if is_strict():
            raise RuntimeError(trace)
        # With its end, which has the place.
        trace = trace[-TRACEBACK_CHARS:]
        log.error("explaining %s failed (%s), which is a bug in the grader:\n%s", self._name, step, trace)
        self._faults.append(GraderFault(step=step, error=error[:TRACEBACK_CHARS], traceback=trace))

    def with_verdicts_of(self, judged: Report, explained: Report) -> Report:
        """Return the explained report, or the judged one if a step has changed a verdict."""
        if _verdicts(explained) == _verdicts(judged):
            return explained
        self.add_fault("all steps", "AssertionError: an explanation changed a verdict", "")
        return judged

    def with_notes(self, report: Report) -> Report:
        """Return the report with what went wrong."""
        notes = list(self._notes)
        if self._stop.is_set():
            notes.append(STOPPED)
        # The message of an error may contain bytes of a hidden input, and students read notes.
        notes += [
            f"the explanation is incomplete, because the grader has a bug ({fault.error.partition(':')[0]} in"
            f" {fault.step}); checks and scores are not affected. Please report it."
            for fault in self._faults
        ]
        if not notes:
            return report
        return report.model_copy(
            update={
                "notes": (*report.notes, *dict.fromkeys(notes)),
                "grader_faults": (*report.grader_faults, *self._faults),
            }
        )


def _verdicts(report: Report) -> tuple[object, ...]:
    return report.score, tuple((check.id, check.status, check.points) for check in report.checks)


def is_strict() -> bool:
    """Return whether bugs in explanations are raised."""
    return bool(os.environ.get(STRICT_VARIABLE))
