"""The people of a class as one course system knows them, each with the score of their submission."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.course.people import NO_ROSTER, ClassList
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


def handed_in(entries: Iterable[Entry], system: CourseSystem, known: ClassList = NO_ROSTER) -> list[Entry]:
    """Return the entries from an export of this course system.

    With Canvas's gradebook as the roster, those from elsewhere follow the same way, with the people of the roster:
    Canvas has one number for a student. Moodle has another in each assignment, and the roster may be of another one.
    """
    found = [*entries]
    if system == "canvas" and any(student.system == system for student in known.on_roster):
        found = [_as_on_roster(entry, system, known) for entry in found]
    return [entry for entry in found if entry.origin.system == system]


def _as_on_roster(entry: Entry, system: CourseSystem, known: ClassList) -> Entry:
    if entry.origin.system == system:
        return entry
    students = [one for one in known.students.get(entry.name, ()) if one.system == system]
    people = [Person(name=one.name, email=one.email, id=one.number) for one in students]
    # Members of a group who are not on the roster, or nobody, have no number.
    people += [Person()] * (max(1, len(entry.origin.people)) - len(people))
    origin = entry.origin.model_copy(update={"system": system, "people": tuple(people)})
    return entry.model_copy(update={"origin": origin})


def roster(entries: Iterable[Entry]) -> Iterator[RosterRow]:
    """Yield one row per person, in the order of the entries, without people who have no number in the course system.

    Left out are attempts that do not count, and people of whom several count: only one score can be theirs.
    A course system that does not find a number guesses: Canvas goes by the name, which two people may have.
    """
    counting = [entry for entry in entries if _counts(entry)]
    several = _people_of_several(counting)
    for entry in counting:
        excused = entry.report.grade is not None and entry.report.grade.excused
        for person in entry.origin.people:
            if is_number(person.id) and person.id not in several:
                yield RosterRow(person, entry.final_score, entry.report.max_score, excused)


def undecided_attempts(entries: Iterable[Entry]) -> list[Entry]:
    """Return the entries of people of whom several count, so that nobody knows which score is theirs."""
    counting = [entry for entry in entries if _counts(entry)]
    several = _people_of_several(counting)
    return [entry for entry in counting if any(person.id in several for person in entry.origin.people)]


def _counts(entry: Entry) -> bool:
    return entry.report.grade is None or entry.report.grade.counts


def _people_of_several(entries: Iterable[Entry]) -> set[str]:
    numbers = Counter(person.id for entry in entries for person in entry.origin.people if is_number(person.id))
    return {number for number, count in numbers.items() if count > 1}


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
        {student.number for student in students} <= {person.id for person in entry.origin.people}
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
