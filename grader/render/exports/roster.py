"""The people of a class as one course system knows them, each with the score of what they handed in."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from grader.model.gradebook import CourseSystem, Entry, Person


@dataclass(frozen=True)
class RosterRow:
    """One person's row; a group has one for each of its members. `score` is None where nothing was graded."""

    person: Person
    score: float | None
    max_score: float


def handed_in(entries: Iterable[Entry], system: CourseSystem) -> list[Entry]:
    """Return the entries that came out of this course system."""
    return [entry for entry in entries if entry.origin.system == system]


def roster(entries: Iterable[Entry]) -> Iterator[RosterRow]:
    """Yield a row a person, in the order of the entries; who has no number in the course system is left out.

    Course systems that do not find a number go on to guess: Canvas by the name, which two may have.
    """
    for entry in entries:
        for person in entry.origin.people:
            if is_number(person.id):
                yield RosterRow(person, entry.report.score, entry.report.max_score)


def without_number(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries whose grade a course system cannot be told, in whole or for one of the group."""
    return [
        entry
        for entry in entries
        if not entry.origin.people or not all(is_number(person.id) for person in entry.origin.people)
    ]


def is_number(text: str) -> bool:
    """Return whether text is digits only: Canvas and Moodle read `12x` as 12, who is somebody else."""
    return text.isascii() and text.isdigit()
