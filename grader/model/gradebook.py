"""The entries of a gradebook: who handed in what, and the results."""

from __future__ import annotations

from typing import Literal

from pydantic import ConfigDict, Field

from grader.model.base import Model
from grader.model.report import Report

GRADEBOOK = "gradebook.sqlite"
"""Name of the gradebook's file, in the output folder."""

RESULTS_MARK = ".grader-results"
"""Name of the file next to it by which a user's own results are known."""

COURSE_FILE, OVERRIDES_FILE = "course.yaml", "overrides.yaml"
"""Files next to the submissions of a class, which are the course's."""

CourseSystem = Literal["gradescope", "canvas", "moodle", "blackboard", "d2l"]

COURSE_SYSTEMS: dict[CourseSystem, str] = {
    "gradescope": "Gradescope",
    "canvas": "Canvas",
    "moodle": "Moodle",
    "blackboard": "Blackboard",
    "d2l": "D2L",
}
"""The names of course systems in sentences."""


class Person(Model):
    """A student as a course system names them; unknown fields are empty."""

    name: str = ""
    email: str = ""
    id: str = ""


class Origin(Model):
    """Where a submission came from.

    `path` is the folder or archive, as shown to people. `system` is the course system whose export contained it,
    None for a plain folder. `people` are the students who handed it in, several if they worked as a group. `late` and
    `submitted_at` (in the format of the export) are None and empty if the export does not contain them.
    """

    path: str
    system: CourseSystem | None = None
    people: tuple[Person, ...] = ()
    late: bool | None = None
    submitted_at: str = ""


class Entry(Model):
    """What a row of the gradebook says about one submission.

    `name` is the folder of its report. `report` is the latest report without evidence (`model/report.py:
    without_evidence`), or says NOT GRADED. `earlier_score` is the score before the last change, None if there was
    none or nothing changed. `last_error` is the error that prevented a result for the newest hand-in, so that
    `report` belongs to an earlier one; it is empty if there was no error. Files call it `trouble`.
    """

    model_config = ConfigDict(populate_by_name=True)

    name: str
    origin: Origin
    report: Report
    earlier_score: float | None = None
    last_error: str = Field("", alias="trouble")

    @property
    def final_score(self) -> float | None:
        """The score to give out: the final one if the course has rules, otherwise the computed one."""
        grade = self.report.grade
        return self.report.score if grade is None else grade.final
