"""What proofs and the search for memory errors share: both run failing cases again, when the verdicts are known."""

from __future__ import annotations

from collections.abc import Mapping

from grader.grading.options import TimeLeft
from grader.model.plan import Plan
from grader.sandbox.base import Job

SMALL_BYTES = 100_000
"""Largest input that is run again without a special reason."""

NEEDED_S = 30.0
"""With fewer seconds left until the deadline, nothing is run again: the rest of the grading needs them."""


def is_enough(time_left: TimeLeft) -> bool:
    """Return whether something may be run again."""
    left_s = time_left.left_s
    return left_s is None or left_s >= NEEDED_S


def job_of(plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]) -> Job:
    """Return a job with those of the lab's inputs that the plan needs."""
    needed = {step.input for step in plan.runs}
    return Job(plan, sources, {name: data for name, data in inputs.items() if name in needed})
