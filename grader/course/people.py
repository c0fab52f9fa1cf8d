"""Who is who: the people of submissions, the students of a roster, and the words that rules name them by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Container, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Protocol
from unicodedata import normalize

from grader.course.roster import Roster, Student
from grader.course.rules import Override
from grader.model.counted import counted, listed, listed_up_to
from grader.model.gradebook import CourseSystem, Origin, Person

OWN_NUMBERS = ("canvas", "moodle")
"""Course systems with numbers of their own, which may by chance be another student's number elsewhere."""


def normalized(text: str) -> str:
    """Return a text in which capitals, and how accents are stored, make no difference."""
    # File names of macOS have letters and their accents apart; without this, only the letters would be compared.
    return normalize("NFC", normalize("NFC", text).casefold())


def folded(name: str) -> str:
    """Return the letters and digits of a name, which is how exports name files."""
    return "".join(char for char in normalized(name) if char.isalnum())


def names_of(name: str) -> set[str]:
    """Return the ways in which exports write a name: `Doe, Jane` and `Jane Doe` are the same."""
    last, comma, first = name.partition(",")
    return {folded(name), folded(f"{first} {last}")} - {""} if comma else {folded(name)} - {""}


def _names_in(name: str, system: CourseSystem | None) -> set[str]:
    """Return the ways in which exports write the names that a folder's may be: Moodle may put a group in front."""
    parts = name.split("-", MAX_HYPHENS) if system == "moodle" else [name]
    return {written for at in range(len(parts)) for written in names_of("-".join(parts[at:]))}


class HandedIn(Protocol):
    """A submission, graded or not: the name of its results, and where it came from."""

    @property
    def name(self) -> str:
        """The name of its results."""

    @property
    def origin(self) -> Origin:
        """Where it came from."""


MAX_NAMED = 5
MAX_HYPHENS = 10
"""Hyphens of a name that may end a group's."""
MAX_DIGITS = 100
"""Digits of a number that may have lost zeros at its beginning."""


class Index:
    """Keys by the words for them: numbers and addresses first, then names."""

    def __init__(self) -> None:
        self._exact: dict[str, set[str]] = defaultdict(set)
        self._numbers: dict[int, set[str]] = defaultdict(set)
        self._names: dict[str, set[str]] = defaultdict(set)

    def add(self, key: str, exact: Iterable[str], names: Iterable[str]) -> None:
        """Add the words for a key."""
        for word in filter(None, exact):
            self._exact[normalized(word)].add(key)
            if word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS:
                self._numbers[int(word)].add(key)
        for name in names:
            for written in names_of(name):
                self._names[written].add(key)

    def exact(self, word: str) -> set[str]:
        """Return the keys with this number or address."""
        return set(self._exact.get(normalized(word), ()))

    def named(self, name: str) -> set[str]:
        """Return the keys with this name."""
        return {key for written in names_of(name) for key in self._names.get(written, ())}

    def find(self, word: str | int) -> set[str]:
        """Return the keys that a word may mean; a number may lack the zeros at its beginning."""
        if isinstance(word, int):
            return self.exact(str(word)) or set(self._numbers.get(word, ()))
        return self.exact(word) or self.named(word)

    def close(self, word: str | int) -> str:
        """Return the word that was probably meant, empty if none is near."""
        return next(iter(get_close_matches(normalized(str(word)), sorted({*self._exact, *self._names}), n=1)), "")


@dataclass(frozen=True)
class ClassList:
    """The submissions of a class and the roster, put together.

    `students` are those of each submission, by its name. `missing` have handed in nothing. `unknown` are the
    submissions of people who are not on the roster, and `ambiguous` of those who may be several on it. `absent` has
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
    table = _students(roster)
    trusts_numbers = _trusts_numbers(entries, table)
    found: dict[str, tuple[Student, ...]] = {}
    people: dict[str, tuple[Person, ...]] = {}
    unknown, ambiguous, renamed, seen = [], [], [], set()
    for entry in entries:
        matches = _matches(entry, table, trusts_numbers=trusts_numbers)
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
    return ClassList(
        has_roster=True,
        students=found,
        missing=tuple(student for key, student in table.by_key.items() if key not in seen),
        unknown=tuple(unknown),
        ambiguous=tuple(ambiguous),
        people=people,
        notes=(
            *_notes(entries, roster, found, renamed),
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
    entries: Sequence[HandedIn], roster: Roster, found: Mapping[str, Sequence[Student]], renamed: Sequence[str]
) -> Iterator[str]:
    if renamed:
        yield (
            f"roster: {counted(len(renamed), 'submission')} found by number, as the name is another one: "
            f"{listed_up_to(MAX_NAMED, renamed)}. If they are of groups, name these in a column `group` of the "
            "roster, so that all members get the grade"
        )
    if entries and not any(found.values()):
        yield (
            "roster: nobody on it has handed in anything. Is it of another course? "
            f"Columns that were used: {listed(roster.columns)}"
        )


class _Students:
    """The students of a roster by their keys, with an index of these, and the keys of each group by its name."""

    def __init__(self, roster: Roster) -> None:
        self.index = Index()
        self.by_key = {str(number): student for number, student in enumerate(roster.students)}
        self._groups: dict[str, set[str]] = defaultdict(set)
        for key, student in self.by_key.items():
            local = student.email.partition("@")[0]
            self.index.add(key, {*student.ids, student.email, student.login, student.repository}, [student.name])
            # What a folder may be called.
            self.index.add(key, (), [student.login, local, student.email, *student.ids])
            for group in student.groups:
                self._groups[folded(group)].add(key)
                # Before version 4.1, Moodle put the group in front of a student's name.
                self.index.add(key, (), [f"{group}-{written}" for written in names_of(student.name)])

    def sorted(self, keys: Iterable[str]) -> tuple[Student, ...]:
        """Return students in the order of the roster."""
        return tuple(self.by_key[key] for key in sorted(keys, key=int))

    def group(self, name: str) -> set[str]:
        """Return the members of the group with this name."""
        return set(self._groups.get(folded(name), ()))

    def numbered(self, person: Person, system: CourseSystem | None) -> str | None:
        """Return the key of who has a person's number, if the roster has the numbers of this course system."""
        students = ((key, self.by_key[key]) for key in self.index.exact(person.id) if person.id)
        return next((key for key, one in students if one.system == system and one.number == person.id), None)

    def is_of(self, system: CourseSystem | None) -> bool:
        """Return whether it is a table of this course system."""
        return system is not None and any(student.system == system for student in self.by_key.values())

    @property
    def has_groups(self) -> bool:
        """Whether the roster names groups."""
        return bool(self._groups)


@lru_cache(maxsize=2)
def _students(roster: Roster) -> _Students:
    """Return the students of a roster; cached, as grades are often made one by one."""
    return _Students(roster)


@dataclass(frozen=True)
class _Match:
    """The students that a person of an export is, by their keys: several if that is a group, or uncertain.

    `people` are the students as the course system knows them, None if that is what the export says.
    """

    keys: AbstractSet[str]
    is_certain: bool = True
    is_renamed: bool = False
    people: tuple[Person, ...] | None = None


def _matches(entry: HandedIn, table: _Students, *, trusts_numbers: bool) -> Sequence[_Match]:
    if entry.origin.people:
        system = entry.origin.system
        return [_person(person, system, table, trusts_numbers=trusts_numbers) for person in entry.origin.people]
    # The results may have another name than the folder: not every file system allows `Doe, Jr.`
    words = (entry.name, entry.origin.path.rpartition("/")[2])
    found = next(filter(None, (table.index.find(word) or table.index.named(word) for word in words)), set())
    if len(found) > 1 and any(all(table.by_key[key].repository == word for key in found) for word in words):
        # A group works in one repository.
        return [_Match(found)]
    # Repositories are called ASSIGNMENT-LOGIN.
    login = entry.name.rpartition("-")[2]
    found = found or {
        key for key in table.index.exact(login) if table.by_key[key].login.casefold() == login.casefold()
    }
    if found:
        return [_Match(found, is_certain=len(found) == 1)]
    return [_Match(next(filter(None, map(table.group, words)), set()))]


def _person(person: Person, system: CourseSystem | None, table: _Students, *, trusts_numbers: bool) -> _Match:
    numbered = table.numbered(person, system)
    if numbered is not None and _is_named(person.name, table.by_key[numbered], system):
        return _Match({numbered}, people=_completed(person, table.by_key[numbered]))
    group = table.group(person.name)
    if table.is_of(system) and group and (system == "moodle" or numbered in (None, *group)):
        # Moodle's number is that of the group, Canvas's that of the member who handed in.
        return _Match(group, people=_as_people(table.sorted(group), system))
    if numbered is not None and (system == "canvas" or trusts_numbers):
        return _Match({numbered}, is_renamed=True, people=_completed(person, table.by_key[numbered]))
    found = table.index.exact(person.id) if person.id else set()
    if system in OWN_NUMBERS:
        # Somebody else, or a student without a name in the table, may have that number in another system.
        names = names_of(person.name)
        found = {key for key in found if names_of(table.by_key[key].name) & names}
    if not found and person.email:
        found = table.index.exact(person.email)
    found = found or table.index.named(person.name)
    if found:
        is_known = len(found) == 1 and table.is_of(system)
        people = _completed(person, *table.sorted(found)) if is_known else None
        return _Match(found, is_certain=len(found) == 1, people=people)
    # The number may be that of a group, and then by chance somebody's too.
    members = _as_people(table.sorted(group), system) or (person.model_copy(update={"id": ""}),)
    return _Match(group, people=members if system == "moodle" and (group or table.is_of(system)) else None)


def _is_named(name: str, student: Student, system: CourseSystem | None) -> bool:
    """Return whether the name next to a number of the same system is the student's."""
    if not name or not student.name or _names_in(name, system) & names_of(student.name):
        return True
    return system == "moodle" and any(name.startswith(f"{group}-") for group in student.groups)


def _completed(person: Person, student: Student) -> tuple[Person, ...]:
    """Return a person of an export with the name and the address that the course system's own table has."""
    known = {"name": student.name or person.name, "email": student.email or person.email}
    return (person.model_copy(update=known),)


def _as_people(students: Iterable[Student], system: CourseSystem | None) -> tuple[Person, ...]:
    return tuple(
        Person(name=one.name, email=one.email, id=one.number if one.system == system else "") for one in students
    )


def _trusts_numbers(entries: Sequence[HandedIn], table: _Students) -> bool:
    """Return whether the roster's numbers of Moodle are those of the export, so that a name may have changed.

    Another assignment has other numbers, and one of groups has the groups'. So some must have the same name in both,
    and none the name of another student.
    """
    if table.has_groups:
        return False
    agrees = False
    for entry in entries:
        for person in entry.origin.people if entry.origin.system == "moodle" else ():
            numbered, names = table.numbered(person, "moodle"), _names_in(person.name, "moodle")
            if numbered is not None and names & names_of(table.by_key[numbered].name):
                agrees = True
            elif any(map(table.index.named, names)):
                return False
    return agrees


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
