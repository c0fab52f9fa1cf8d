"""Who is who: the people of submissions, the students of a roster, and the words that rules name them by."""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

from grader.course.evidence import HandedIn, matches_of, students_of
from grader.course.index import Index
from grader.course.roster import Roster, Student
from grader.course.rules import Override
from grader.model.counted import counted, listed, listed_up_to
from grader.model.gradebook import Person

MAX_NAMED = 5


@dataclass(frozen=True)
class ClassList:
    """The submissions of a class and the roster, put together.

    `students` are those of each submission, by its name. `missing` have handed in nothing. `unknown` are the
    submissions of people who are not on the roster, and `ambiguous` of those who are not certain. `absent` has
    what was decided about missing students, by their lines in the roster. `people` are those of the submissions for
    which the roster replaces what the export says, such as the members of a group. `notes` are sentences for an
    assistant.
    """

    has_roster: bool = False
    absent: Mapping[int, Override] = field(default_factory=dict)
    students: Mapping[str, tuple[Student, ...]] = field(default_factory=dict)
    missing: tuple[Student, ...] = ()
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()
    people: Mapping[str, tuple[Person, ...]] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    @property
    def on_roster(self) -> Iterator[Student]:
        """The students of the roster, first those who handed in."""
        yield from (student for students in self.students.values() for student in students)
        yield from self.missing

    def sections(self, name: str) -> tuple[str, ...]:
        """Return the sections of a submission."""
        return tuple(dict.fromkeys(section for one in self.students.get(name, ()) for section in one.sections))

    def people_of(self, entry: HandedIn) -> tuple[Person, ...]:
        """Return who handed a submission in."""
        return self.people.get(entry.name, entry.origin.people)


def class_list(entries: Sequence[HandedIn], roster: Roster | None) -> ClassList:
    """Find the students of a roster who handed in; without a roster nothing is missing and nothing unknown."""
    if roster is None:
        return ClassList(notes=tuple(_unproven_numbers(entries)))
    table = students_of(roster)
    found: dict[str, tuple[Student, ...]] = {}
    people: dict[str, tuple[Person, ...]] = {}
    unknown, ambiguous, contradicted, renamed, seen = [], [], [], [], set()
    for entry, matches in matches_of(entries, table):
        keys = {key for match in matches if match.is_certain for key in match.keys}
        if not all(match.is_certain for match in matches):
            ambiguous.append(entry.name)
        elif len(keys) < max(1, len(entry.origin.people)):
            unknown.append(entry.name)
        seen |= keys
        found[entry.name] = table.sorted(keys)
        if any(match.people is not None for match in matches):
            pairs = zip(matches, entry.origin.people, strict=True)
            people[entry.name] = tuple(
                one for match, person in pairs for one in (match.people if match.people is not None else (person,))
            )
        if any(match.is_renamed for match in matches):
            renamed.append(f"{entry.name} ({listed(student.label for student in found[entry.name])})")
        contradicted += [
            f"{entry.name} ({listed(student.label for student in table.sorted(match.keys))})"
            for match in matches
            if match.contradicted
        ]
    return ClassList(
        has_roster=True,
        students=found,
        missing=tuple(student for key, student in table.by_key.items() if key not in seen),
        unknown=tuple(unknown),
        ambiguous=tuple(ambiguous),
        people=people,
        notes=(
            *_notes(roster, renamed, contradicted, is_of_others=bool(entries) and not (seen or ambiguous)),
            *(() if table.is_of("moodle") else _unproven_numbers(entries, people)),
        ),
    )


def _unproven_numbers(entries: Sequence[HandedIn], known: Container[str] = ()) -> Iterator[str]:
    """Say that nothing tells whether the numbers of an export of Moodle are those of students."""
    numbered = (entry for entry in entries if entry.origin.system == "moodle" and entry.name not in known)
    if any(person.id for entry in numbered for person in entry.origin.people):
        yield (
            "moodle.csv takes the numbers of Moodle's export for those of students. If the assignment is of groups, "
            "they are the groups': give Moodle's grading worksheet as --roster"
        )


def _notes(
    roster: Roster, renamed: Sequence[str], contradicted: Sequence[str], *, is_of_others: bool
) -> Iterator[str]:
    if roster.unused:
        yield f"roster: {listed(roster.unused)} is not used; if it has the students' names, call it name"
    if contradicted:
        yield (
            f"roster: {counted(len(contradicted), 'submission')} not assigned, as only the name says whose it is, "
            f"and its number may be another person's: {listed_up_to(MAX_NAMED, contradicted)}. "
            "Give a table that has the numbers of the export as --roster"
        )
    if renamed:
        yield (
            f"roster: {counted(len(renamed), 'submission')} found by number, as the name is another one: "
            f"{listed_up_to(MAX_NAMED, renamed)}. If they are of groups, name these in a column `group` of the "
            "roster, so that all members get the grade"
        )
    if is_of_others:
        yield (
            "roster: nobody on it has handed in anything. Is it of another course? "
            f"Columns that were used: {listed(roster.columns)}"
        )


def people_index(entries: Sequence[HandedIn], known: ClassList) -> Index:
    """Return the submissions by the words for their people, and students who handed in nothing by their line."""
    index = Index()
    for entry in entries:
        exact, names = {entry.name}, {person.name for person in entry.origin.people}
        for person in known.people_of(entry):
            exact |= {person.id, person.email}
            names.add(person.name)
        for student in known.students.get(entry.name, ()):
            exact |= {*student.ids, student.email, student.login}
            names.add(student.name)
        index.add(f"entry {entry.name}", exact, names)
    for student in known.missing:
        index.add(f"line {student.line}", {*student.ids, student.email, student.login}, [student.name])
    return index


def entry_name(key: str) -> str | None:
    """Return the name of the submission of a key of `people_index`, None if it is of a student without one."""
    kind, _, name = key.partition(" ")
    return name if kind == "entry" else None


def lines_of(keys: Iterable[str]) -> list[int]:
    """Return the lines of students without a submission among keys of `people_index`."""
    return [int(line) for kind, _, line in (key.partition(" ") for key in keys) if kind == "line"]


def owner_of(entry: HandedIn, known: ClassList) -> tuple[str, ...] | None:
    """Return what is the same for all submissions of the same people; None if it is not known who they are."""
    students = known.students.get(entry.name, ())
    people = known.people_of(entry)
    if students and len(students) >= len(people):
        return tuple(sorted(f"line {student.line}" for student in students))
    words = [person.id or person.email for person in people]
    if not words or not all(words):
        return None
    return tuple(sorted(f"{entry.origin.system} {word}" for word in words))


NO_ROSTER = ClassList()
