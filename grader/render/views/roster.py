"""The people of a class as one course system knows them, each with the score of their submission."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.course.people import ClassList
from grader.model.gradebook import CourseSystem, Entry, Person
from grader.render.text.phrases import points_words


@dataclass(frozen=True)
class RosterRow:
    """One person with a final score; a group has a row for each member.

    `score` is None if nothing was graded, or if the person is `excused`. `comment` is what was decided about somebody
    who handed in nothing, in sentences.
    """

    person: Person
    score: float | None
    max_score: float
    excused: bool = False
    comment: str = ""


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


def decided(entries: Sequence[Entry], known: ClassList, system: CourseSystem) -> Iterator[RosterRow]:
    """Yield a row for each student who handed in nothing and is excused, or was given a total.

    The number comes from the roster, if that has the same numbers as the submissions: Moodle gives participants other
    numbers in each assignment (mod/assign/locallib.php, get_uniqueid_for_user), so that of another assignment may be
    somebody else's.
    """
    if not _has_numbers_of(entries, known, system):
        return
    max_score = max(entry.report.max_score for entry in entries)
    taken = {person.id for entry in entries for person in entry.origin.people}
    for student in known.missing:
        override = known.absent.get(student.line)
        if override is None or student.system != system or not is_number(student.number) or student.number in taken:
            continue
        excused = override.excused is not None
        score = None if excused or override.total is None else float(override.total.points)
        person = Person(name=student.name, email=student.email, id=student.number)
        reason = (
            f"Final score {points_words(score)}: {override.total.reason}." if override.total and not excused else ""
        )
        yield RosterRow(person, score, max_score, excused, " ".join(filter(None, (reason, override.comment))))


def _has_numbers_of(entries: Iterable[Entry], known: ClassList, system: CourseSystem) -> bool:
    """Whether the students of a table have the same numbers as in the export of this course system."""
    same = [
        {student.number for student in students} == {person.id for person in entry.origin.people}
        for entry in entries
        if (students := [one for one in known.students.get(entry.name, ()) if one.system == system])
    ]
    return bool(same) and all(same)


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
