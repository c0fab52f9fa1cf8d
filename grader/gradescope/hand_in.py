"""A hand-in as a course system's hook tells of it: by whom, when, and what came before."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime

from pydantic import FiniteFloat

from grader.model.base import Model
from grader.model.gradebook import Person
from grader.model.report import Report
from grader.model.spec.rubric import Visibility


class Remembered(Model):
    """What a run leaves for the next one of the same student.

    `score` is what was given, `report` is without evidence (`model/report.py: without_evidence`). `visibility` says
    when the student may see that score: not before every check is shown.
    """

    schema_version: int = 1
    score: FiniteFloat
    report: Report
    visibility: Visibility = "visible"


@dataclass(frozen=True)
class Earlier:
    """An earlier hand-in; `score` is None where it has none.

    `failed`: the run broke, or ended as a fault of ours, which is no student's fault.
    """

    submitted_at: datetime | None
    score: float | None
    failed: bool


@dataclass(frozen=True)
class SubmissionMetadata:
    """What is known of a hand-in; all of it may be missing, and `problem` then says why.

    Times have a time zone. `earlier` is from the oldest to the newest. `last` is what the newest earlier run left,
    None where that cannot be read or there is none.
    """

    people: tuple[Person, ...] = ()
    created_at: datetime | None = None
    due_at: datetime | None = None
    earlier: tuple[Earlier, ...] = ()
    last: Remembered | None = None
    problem: str = ""
