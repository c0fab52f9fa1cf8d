"""A class as its gradebook knows it: who handed in, and what came of it."""

from __future__ import annotations

from typing import Literal

from grader.model.base import Model
from grader.model.report import Report

GRADEBOOK = "gradebook.sqlite"
"""Its file, in the folder for results."""

CourseSystem = Literal["gradescope", "canvas", "moodle"]


class Person(Model):
    """A student as a course system names them; empty where it does not say."""

    name: str = ""
    email: str = ""
    id: str = ""


class Origin(Model):
    """Where a submission came from.

    `path` is the folder or archive as it was found, for people. `system` is the course system whose export it was
    in, None of a plain folder. `people` are those who handed it in, more than one of a group. `late` is what the
    export says, None where it says nothing; `submitted_at` likewise, in the export's own words.
    """

    path: str
    system: CourseSystem | None = None
    people: tuple[Person, ...] = ()
    late: bool | None = None
    submitted_at: str = ""


class Entry(Model):
    """A row of the gradebook: a submission and what is known of it.

    `name` is the folder of its report. `report` is without evidence (`model/report.py: without_evidence`); it is the
    last one there is, or says NOT GRADED. `earlier_score` is the score before the last change, None if there was none
    or nothing changed. `trouble` says why a later attempt gave no result, so that `report` is not of the newest
    hand-in; empty where nothing did.
    """

    name: str
    origin: Origin
    report: Report
    earlier_score: float | None = None
    trouble: str = ""
