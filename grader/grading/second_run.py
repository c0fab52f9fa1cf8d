"""What proofs and the search for memory errors share: both run failing cases again, when the verdicts are known."""

from __future__ import annotations

import time
from collections.abc import Mapping

from grader.model.plan import Plan
from grader.sandbox.base import Job

SMALL_BYTES = 100_000
"""Largest input that is run again without a special reason."""

NEEDED_S = 30.0
"""With fewer seconds left until the deadline, nothing is run again: the rest of the grading needs them."""


class TimeLeft:
    """The time until a deadline, in seconds from now on; None if there is no deadline."""

    def __init__(self, deadline_s: float | None) -> None:
        self._deadline_s = deadline_s
        self._started = time.monotonic()

    @property
    def left_s(self) -> float | None:
        """Seconds until the deadline."""
        return None if self._deadline_s is None else self._deadline_s - (time.monotonic() - self._started)

    @property
    def is_enough(self) -> bool:
        """Whether something may be run again."""
        left_s = self.left_s
        return left_s is None or left_s >= NEEDED_S


def job_of(plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]) -> Job:
    """Return a job with those of the lab's inputs that the plan needs."""
    needed = {name for step in plan.runs for name in (step.input, *(file.content for file in step.files))}
    return Job(plan, sources, {name: data for name, data in inputs.items() if name in needed})
