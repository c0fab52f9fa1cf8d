"""The sections of a course: how many students, and how they did."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass

from grader.course.people import ClassList
from grader.render.html.class_page.submission_row import SubmissionRow

NO_SECTION = "no section"


@dataclass(frozen=True)
class Section:
    """A section with the numbers of its students, of those who handed in nothing, and of scores.

    `mean` is that of the scores that count, None if there is none.
    """

    name: str
    students: int
    missing: int
    scores: int
    mean: float | None


def sections_of(rows: Sequence[SubmissionRow], known: ClassList) -> tuple[Section, ...]:
    """Return the sections by name; none if the roster has no sections."""
    students: dict[str, set[int]] = {}
    missing: dict[str, int] = {}
    scores: dict[str, list[float]] = {}
    for student in (*known.missing, *(student for found in known.students.values() for student in found)):
        for name in student.sections or (NO_SECTION,):
            students.setdefault(name, set()).add(student.line)
    for student in known.missing:
        for name in student.sections or (NO_SECTION,):
            missing[name] = missing.get(name, 0) + 1
    for row in rows:
        final = row.entry.final_score
        if final is None or not row.is_counted or not row.counts:
            continue
        if known.students.get(row.entry.name):
            for name in row.sections or (NO_SECTION,):
                scores.setdefault(name, []).append(final)
    if set(students) <= {NO_SECTION}:
        return ()
    return tuple(
        Section(
            name,
            len(students[name]),
            missing.get(name, 0),
            len(scores.get(name, ())),
            statistics.fmean(scores[name]) if name in scores else None,
        )
        for name in sorted(students)
    )
