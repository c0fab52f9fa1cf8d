"""The people of a class as one course system knows them, each with the score of their submission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.model.gradebook import CourseSystem, Entry, Person


@dataclass(frozen=True)
class RosterRow:
    """One person with a final score; a group has a row for each member.

    `score` is None if nothing was graded, or if the person is `excused`.
    """

    person: Person
    score: float | None
    max_score: float
    excused: bool = False


def handed_in(entries: Iterable[Entry], system: CourseSystem) -> list[Entry]:
    """Return the entries from an export of this course system."""
    return [entry for entry in entries if entry.origin.system == system]


def roster(entries: Iterable[Entry]) -> Iterator[RosterRow]:
    """Yield one row per person, in the order of the entries, without people who have no number in the course system.

    Attempts that do not count are left out.
    A course system that does not find a number guesses: Canvas goes by the name, which two people may have.
    """
    for entry in entries:
        grade = entry.report.grade
        if grade is not None and not grade.counts:
            continue
        excused = grade is not None and grade.excused
        for person in entry.origin.people:
            if is_number(person.id):
                yield RosterRow(person, entry.final_score, entry.report.max_score, excused)


def without_number(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries that lack the number of anyone who handed in: no course system can take their grade."""
    return [
        entry
        for entry in entries
        if not entry.origin.people or not all(is_number(person.id) for person in entry.origin.people)
    ]


def is_number(text: str) -> bool:
    """Return whether text is digits only, because Canvas and Moodle read `12x` as 12, who is somebody else."""
    return text.isascii() and text.isdigit()
