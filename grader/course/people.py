"""Who is who: the people of submissions, the students of a roster, and the words that rules name them by."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from difflib import get_close_matches
from functools import lru_cache
from typing import Protocol
from unicodedata import normalize

from grader.course.roster import Roster, Student
from grader.course.rules import Override
from grader.model.gradebook import Origin, Person

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


class HandedIn(Protocol):
    """A submission, graded or not: the name of its results, and where it came from."""

    @property
    def name(self) -> str:
        """The name of its results."""

    @property
    def origin(self) -> Origin:
        """Where it came from."""


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
    what was decided about missing students, by their lines in the roster.
    """

    has_roster: bool = False
    absent: Mapping[int, Override] = field(default_factory=dict)
    students: Mapping[str, tuple[Student, ...]] = field(default_factory=dict)
    missing: tuple[Student, ...] = ()
    unknown: tuple[str, ...] = ()
    ambiguous: tuple[str, ...] = ()

    @property
    def on_roster(self) -> Iterator[Student]:
        """The students of the roster, first those who handed in."""
        yield from (student for students in self.students.values() for student in students)
        yield from self.missing

    def sections(self, name: str) -> tuple[str, ...]:
        """Return the sections of a submission."""
        return tuple(dict.fromkeys(section for one in self.students.get(name, ()) for section in one.sections))


def class_list(entries: Sequence[HandedIn], roster: Roster | None) -> ClassList:
    """Find the students of a roster who handed in; without a roster nothing is missing and nothing unknown."""
    if roster is None:
        return ClassList()
    index, by_key = _students(roster)
    found: dict[str, tuple[Student, ...]] = {}
    unknown, ambiguous, seen = [], [], set()
    for entry in entries:
        keys, doubtful = _keys_of(entry, index, by_key)
        if doubtful:
            ambiguous.append(entry.name)
        elif len(keys) < max(1, len(entry.origin.people)):
            unknown.append(entry.name)
        seen |= keys
        found[entry.name] = tuple(by_key[key] for key in sorted(keys, key=int))
    missing = tuple(student for key, student in by_key.items() if key not in seen)
    return ClassList(
        has_roster=True, students=found, missing=missing, unknown=tuple(unknown), ambiguous=tuple(ambiguous)
    )


@lru_cache(maxsize=2)
def _students(roster: Roster) -> tuple[Index, Mapping[str, Student]]:
    """Return the students by their keys, and an index of these; cached, as grades are often made one by one."""
    index = Index()
    by_key = {str(number): student for number, student in enumerate(roster.students)}
    for key, student in by_key.items():
        local = student.email.partition("@")[0]
        index.add(key, {*student.ids, student.email, student.login, student.repository}, [student.name])
        # What a folder may be called.
        index.add(key, (), [student.login, local, student.email, *student.ids])
    return index, by_key


def _keys_of(entry: HandedIn, index: Index, students: Mapping[str, Student]) -> tuple[set[str], bool]:
    """Return the students of a submission, and whether it is doubtful who one of its people is."""
    if not entry.origin.people:
        # The results may have another name than the folder: not every file system allows `Doe, Jr.`
        words = (entry.name, entry.origin.path.rpartition("/")[2])
        found = next(filter(None, (index.find(word) or index.named(word) for word in words)), set())
        # Repositories are called ASSIGNMENT-LOGIN.
        login = entry.name.rpartition("-")[2]
        found = found or {key for key in index.exact(login) if students[key].login.casefold() == login.casefold()}
        return (found, False) if len(found) <= 1 else (set(), True)
    keys: set[str] = set()
    doubtful = False
    for person in entry.origin.people:
        found = _person(person, entry, index, students)
        doubtful |= len(found) > 1
        keys |= found if len(found) == 1 else set()
    return keys, doubtful


def _person(person: Person, entry: HandedIn, index: Index, students: Mapping[str, Student]) -> set[str]:
    found = index.exact(person.id) if person.id else set()
    if entry.origin.system in OWN_NUMBERS and person.name:
        names = names_of(person.name)
        # A student of another name has that number in another system.
        found = {key for key in found if not students[key].name or names_of(students[key].name) & names}
    if not found and person.email:
        found = index.exact(person.email)
    return found or index.named(person.name)


def people_index(entries: Sequence[HandedIn], known: ClassList) -> Index:
    """Return the submissions by the words for their people, and students who handed in nothing by their line."""
    index = Index()
    for entry in entries:
        exact, names = {entry.name}, set()
        for person in entry.origin.people:
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
    people = entry.origin.people
    if students and len(students) >= len(people):
        return tuple(sorted(f"line {student.line}" for student in students))
    words = [person.id or person.email for person in people]
    if not words or not all(words):
        return None
    return tuple(sorted(f"{entry.origin.system} {word}" for word in words))


NO_ROSTER = ClassList()
