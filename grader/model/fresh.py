"""Runs that no case of a lab has, and what the reference did in them."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.evidence import RunDone
from grader.model.plan import RunStep


@dataclass(frozen=True)
class FreshRun:
    """A run of a program that is based on a case, with other operands or another input, and the reference's run.

    `step.case` is the case that it is based on, and `data` is the input or the content of the file that was changed.
    `is_in_shape`: its operands and input look like those of the cases, so that every right program does the same.
    """

    step: RunStep
    data: bytes
    is_in_shape: bool
    expected: RunDone
