"""What speaks for whose a submission is: numbers, addresses, groups, names, and parts of folders' names.

Each kind is collected for the whole class. A weak kind, such as a name, counts only if it is that of one student on
the roster, and if no number speaks against it: the person's own, or those of others with that name.
"""

from __future__ import annotations

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import combinations_with_replacement
from typing import Protocol

from grader.course.index import Index, names_of
from grader.course.roster import Roster, Student
from grader.model.gradebook import CourseSystem, Origin, Person
from grader.model.letters import letters, normalized

OWN_NUMBERS = ("canvas", "moodle")
"""Course systems with numbers of their own, which may by chance be another student's number elsewhere."""

MAX_HYPHENS = 10
"""Hyphens of a name that may end a group's."""
MAX_NAME_CHARS = 300
MAX_PARTS = 16
"""Parts of a folder's name, separated by blanks and punctuation, in which logins and names are looked for."""
MAX_READINGS = 100
MAX_PATTERNS = 8

_WORD_OR_SIGN = re.compile(r"\d+|[^\W\d_]+|[^\w\s.,;:'\"/\\()\[\]{}&<>|?*-]")
_BLANKS = re.compile(r"[\s_]+")
_PART = re.compile(r"[^\s\x21-\x2f\x3a-\x40\x5b-\x60\x7b-\x7e]+")
_LOGIN, _NAME = "(?P<login>.+)", "(?P<name>.+)"

_COUNTED = re.compile(r"-\d+$", re.ASCII)
_HERE = ("", ".", "..")
"""Last parts of paths that do not name a folder."""


class HandedIn(Protocol):
    """A submission, graded or not: the name of its results, and where it came from."""

    @property
    def name(self) -> str:
        """The name of its results."""

    @property
    def origin(self) -> Origin:
        """Where it came from."""


def _sorted_letters(words: Iterable[str]) -> tuple[str, ...]:
    return tuple(sorted(filter(None, map(letters, words))))


class Students:
    """The students of a roster by their keys, with an index of these, and the keys of each group by its name."""

    def __init__(self, roster: Roster) -> None:
        self.index = Index()
        self.by_key = {str(number): student for number, student in enumerate(roster.students)}
        self.logins: dict[str, set[str]] = defaultdict(set)
        self._groups: dict[tuple[str, ...], dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._groups_by_letters: dict[str, dict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
        self._named: dict[tuple[str, ...], set[str]] = defaultdict(set)
        for key, student in self.by_key.items():
            local = student.email.partition("@")[0]
            self.index.add(key, {*student.ids, student.email, student.login, student.repository}, [student.name])
            # What a folder may be called.
            self.index.add(key, (), [student.login, local, student.email, *student.ids])
            self._named[_sorted_letters(_PART.findall(student.name))].add(key)
            if student.login:
                self.logins[normalized(student.login)].add(key)
            for group in student.groups:
                for alike in (self._groups[_words_of(group)], self._groups_by_letters[letters(group)]):
                    alike[_plain(group)].add(key)
                # Before version 4.1, Moodle put the group in front of a student's name.
                self.index.add(key, (), [f"{group}-{written}" for written in names_of(student.name)])

    def sorted(self, keys: Iterable[str]) -> tuple[Student, ...]:
        """Return students in the order of the roster."""
        return tuple(self.by_key[key] for key in sorted(keys, key=int))

    def groups(self, name: str, system: CourseSystem | None = None) -> list[set[str]]:
        """Return the members of each group that may have this name, of which Canvas keeps letters and digits only."""
        is_canvas = system == "canvas"
        alike = self._groups_by_letters.get(letters(name)) if is_canvas else self._groups.get(_words_of(name))
        exact = (alike or {}).get(_plain(name))
        return [exact] if exact is not None else [*(alike or {}).values()]

    def named(self, words: Sequence[str]) -> set[str]:
        """Return who has a name of just these words, first and last names, in whatever order."""
        return set(self._named.get(_sorted_letters(words), ())) if len(words) > 1 else set()

    def numbered(self, person: Person, system: CourseSystem | None) -> str | None:
        """Return the key of who has a person's number, if the roster has the numbers of this course system."""
        students = ((key, self.by_key[key]) for key in self.index.exact(person.id) if person.id)
        return next((key for key, one in students if one.system == system and one.number == person.id), None)

    def is_of(self, system: CourseSystem | None) -> bool:
        """Return whether it is a table of this course system."""
        return system is not None and any(student.system == system for student in self.by_key.values())

    @property
    def has_repositories(self) -> bool:
        """Whether the roster says that students have repositories, which are called ASSIGNMENT-LOGIN."""
        return any(student.repository for student in self.by_key.values())

    @property
    def has_groups(self) -> bool:
        """Whether the roster names groups."""
        return bool(self._groups)


def _words_of(group: str) -> tuple[str, ...]:
    """Return the words, numbers and signs of a group's name, without what file systems and exports change in it."""
    return tuple(_WORD_OR_SIGN.findall(normalized(group)))


def _plain(group: str) -> str:
    return " ".join(_BLANKS.split(normalized(group).strip()))


@lru_cache(maxsize=2)
def students_of(roster: Roster) -> Students:
    """Return the students of a roster; cached, as grades are often made one by one."""
    return Students(roster)


@dataclass(frozen=True)
class Match:
    """The students that a person of an export is, by their keys: several if that is a group, or uncertain.

    `people` are the students as the course system knows them, None if that is what the export says. It is `by_name`
    if only the name says so, and `contradicted` if numbers speak against it; then it is not certain either.
    """

    keys: AbstractSet[str]
    is_certain: bool = True
    is_renamed: bool = False
    is_group: bool = False
    by_name: bool = False
    contradicted: bool = False
    people: tuple[Person, ...] | None = None


def matches_of(entries: Sequence[HandedIn], table: Students) -> list[tuple[HandedIn, tuple[Match, ...]]]:
    """Return who the people of each submission are; a folder without people has one match."""
    trusts_numbers = _trusts_numbers(entries, table)
    folders = _Folders(map(_words, entries), table)
    found: list[tuple[HandedIn, tuple[Match, ...]]] = []
    for entry in entries:
        people, system = entry.origin.people, entry.origin.system
        matches = [_person(person, system, table, trusts_numbers=trusts_numbers) for person in people]
        found.append((entry, tuple(matches or [folders.match(_words(entry))])))
    return [*_without_contradictions(found, table)]


def _without_contradictions(
    found: Sequence[tuple[HandedIn, tuple[Match, ...]]], table: Students
) -> Iterator[tuple[HandedIn, tuple[Match, ...]]]:
    """Take back the matches by name of people whose number speaks against them.

    It is another one than the student's on the roster, if that has the numbers of the export. Or several people, with
    different numbers, would be the same student.
    """
    known_numbers = _known_numbers([entry for entry, _ in found], table)
    reached: dict[tuple[object, ...], set[str]] = defaultdict(set)
    for entry, matches in found:
        for match, person in zip(matches, entry.origin.people, strict=False):
            for key in _reached(match) if match.is_certain else ():
                reached[_export(entry), key].add(_identity(entry, person))
    for entry, matches in found:
        # A folder without people has a match, and no number.
        system, checked = entry.origin.system, [*matches[len(entry.origin.people) :]]
        for match, person in zip(matches, entry.origin.people, strict=False):
            several = any(len(reached[_export(entry), key]) > 1 for key in _reached(match))
            another = system in known_numbers and not match.is_group and _differs(person, match.keys, table, system)
            doubtful = match.by_name and match.is_certain and (several or another)
            # A group's number may by chance be somebody's.
            people = (person.model_copy(update={"id": ""}),) if match.is_group and system == "moodle" else None
            doubt = replace(match, is_certain=False, contradicted=True, people=people)
            checked.append(doubt if doubtful else match)
        yield entry, tuple(checked)


def _reached(match: Match) -> Iterable[object]:
    """Return what only one person or group of an export can be. A student may be in several groups."""
    return (frozenset(match.keys),) if match.is_group and match.keys else match.keys


def _export(entry: HandedIn) -> tuple[CourseSystem | None, str]:
    """Return where the numbers of a submission's people are from: some systems have others for each assignment."""
    system = entry.origin.system
    return system, entry.origin.path.rpartition("/")[0] if system in ("moodle", "d2l") else ""


def _identity(entry: HandedIn, person: Person) -> str:
    """Return what is the same for all submissions of a person of a course system, as far as the export says it."""
    return normalized(person.id or person.email) or entry.name


def _person(person: Person, system: CourseSystem | None, table: Students, *, trusts_numbers: bool) -> Match:
    numbered = table.numbered(person, system)
    if numbered is not None and _is_named(person.name, table.by_key[numbered], system):
        return Match({numbered}, people=_completed(person, table.by_key[numbered]))
    groups = table.groups(person.name, system)
    # Moodle's number is that of the group, Canvas's that of the member who handed in.
    own = [group for group in groups if numbered in group] if system == "canvas" else []
    group = set[str]().union(*(own or groups))
    is_one = len(own or groups) == 1
    members = _as_people(table.sorted(group), system) if is_one else ()
    if table.is_of(system) and is_one and (system == "moodle" or numbered is None or own):
        return Match(group, is_group=True, by_name=not own, people=members)
    if numbered is not None and (system == "canvas" or trusts_numbers):
        return Match({numbered}, is_renamed=True, people=_completed(person, table.by_key[numbered]))
    exact, named = _exact(person, system, table), table.index.named(person.name)
    # If the number is one student's and the name another's, nobody knows which of them it is.
    differ = bool(exact and named) and not exact & named and not table.index.exact(person.email)
    if keys := exact | named if differ else exact or named:
        is_known = len(keys) == 1 and table.is_of(system)
        people = _completed(person, *table.sorted(keys)) if is_known else None
        return Match(keys, is_certain=len(keys) == 1, by_name=not exact, people=people)
    # The number may be that of a group, and then by chance somebody's too.
    known = members or (person.model_copy(update={"id": ""}),)
    is_explained = system == "moodle" and (group or table.is_of(system))
    is_certain = len(groups) <= 1
    return Match(group, is_certain, is_group=True, by_name=True, people=known if is_explained else None)


def _exact(person: Person, system: CourseSystem | None, table: Students) -> set[str]:
    """Return the keys of who has a person's number or address; of several, if these are of different students."""
    found = table.index.exact(person.id) if person.id else set()
    if system in OWN_NUMBERS:
        # Somebody else, or a student without a name in the table, may have that number in another system.
        names = names_of(person.name)
        found = {key for key in found if names_of(table.by_key[key].name) & names}
    addressed = table.index.exact(person.email) if person.email else set()
    return (found & addressed) or (found | addressed)


def _is_named(name: str, student: Student, system: CourseSystem | None) -> bool:
    """Return whether the name next to a number of the same system is the student's."""
    if not name or not student.name or _names_in(name, system) & names_of(student.name):
        return True
    return system == "moodle" and any(name.startswith(f"{group}-") for group in student.groups)


def _names_in(name: str, system: CourseSystem | None) -> set[str]:
    """Return the ways in which exports write the names that a folder's may be: Moodle may put a group in front."""
    parts = name.split("-", MAX_HYPHENS) if system == "moodle" else [name]
    return {written for at in range(len(parts)) for written in names_of("-".join(parts[at:]))}


def _completed(person: Person, student: Student) -> tuple[Person, ...]:
    """Return a person of an export with the name and the address that the course system's own table has."""
    known = {"name": student.name or person.name, "email": student.email or person.email}
    return (person.model_copy(update=known),)


def _as_people(students: Iterable[Student], system: CourseSystem | None) -> tuple[Person, ...]:
    return tuple(
        Person(name=one.name, email=one.email, id=one.number if one.system == system else "") for one in students
    )


def _trusts_numbers(entries: Sequence[HandedIn], table: Students) -> bool:
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


def _known_numbers(entries: Sequence[HandedIn], table: Students) -> AbstractSet[CourseSystem | None]:
    """Return the course systems whose numbers are on the roster: most people have those of who has their name."""
    agree: Counter[CourseSystem | None] = Counter()
    for entry in entries:
        system = entry.origin.system
        for person in entry.origin.people:
            named = table.index.named(person.name)
            if person.id and len(named) == 1 and any(_numbers(table.by_key[key], system) for key in named):
                agree[system] += -1 if _differs(person, named, table, system) else 1
    return {system for system, most in agree.items() if most > 0}


def _differs(person: Person, keys: Iterable[str], table: Students, system: CourseSystem | None) -> bool:
    """Return whether a person has a number, and each of these students has another one in the same system."""
    each = (_numbers(table.by_key[key], system) for key in keys)
    return bool(person.id) and all(numbers and _number(person.id) not in numbers for numbers in each)


def _numbers(student: Student, system: CourseSystem | None) -> set[str]:
    """Return the numbers of a student that may be those in an export of a course system."""
    if system in OWN_NUMBERS:
        return {_number(student.number)} if student.system == system else set()
    return {_number(word) for word in (*student.ids, student.login) if word}


def _number(word: str) -> str:
    # Spreadsheets drop zeros.
    return normalized(word).lstrip("0")


def _words(entry: HandedIn) -> tuple[str, ...]:
    """Return what a folder or an archive without people is called, nothing if it has people.

    The results may have another name: not every file system allows `Doe, Jr.`, and a second `ada` is called `ada-2`.
    """
    if entry.origin.people:
        return ()
    name = entry.origin.path.rpartition("/")[2]
    if name in _HERE:
        return (entry.name,)
    # The results of an archive are called like it, without its suffix, and perhaps with a number.
    stems = (entry.name, _COUNTED.sub("", entry.name))
    return (name, *(stem for stem in stems if name.startswith(f"{stem}.")))


def _whole(words: Sequence[str], table: Students) -> Match | None:
    """Return the students whose number, address, name or group is the whole name of a folder."""
    found = next(filter(None, map(table.index.find, words)), set())
    if len(found) > 1 and any(all(table.by_key[key].repository == word for key in found) for word in words):
        # A group works in one repository.
        return Match(found, is_group=True)
    groups = next(filter(None, map(table.groups, words)), [])
    group = set[str]().union(*groups)
    if found and group:
        return Match(found | group, is_certain=found == group)
    if found:
        return Match(found, is_certain=len(found) == 1)
    return Match(group, is_certain=len(groups) == 1, is_group=True) if group else None


@dataclass(frozen=True)
class _Reading:
    """A way to read a part of a folder's name as that of a student: `pattern` is what names like it match."""

    pattern: str
    key: str


class _Folders:
    """Whose the folders of a class are: by all of their names, or by a part that has the same place in most of them.

    Otherwise a part says nothing: `lab2-jones` is of a class of `lab2-LOGIN`, and `smith-jones` is a name.
    """

    def __init__(self, folders: Iterable[tuple[str, ...]], table: Students) -> None:
        self._whole = {words: _whole(words, table) for words in folders if words}
        self._readings = {words: _readings(words[-1], table) for words, whole in self._whole.items() if not whole}
        # A folder with another kind of name speaks against all patterns, except one that the roster has itself.
        others = sum(
            any(table.by_key[key].repository not in words for key in whole.keys)
            for words, whole in self._whole.items()
            if whole
        )
        self._patterns = self._common(others, table)
        self._times = Counter(key for words in self._readings for key in self._keys(words))

    def match(self, words: tuple[str, ...]) -> Match:
        """Return the students of a folder."""
        whole = self._whole[words]
        if whole is not None:
            return whole
        keys = self._keys(words)
        # A name may be that of several people.
        several = any(self._times[key] > 1 for key in keys) and not any(_LOGIN in one for one in self._patterns)
        return Match(keys, is_certain=not several and len(keys) in (0, 1))

    def _keys(self, words: tuple[str, ...]) -> set[str]:
        return {reading.key for reading in self._readings[words] if reading.pattern in self._patterns}

    def _common(self, others: int, table: Students) -> AbstractSet[str]:
        """Return the pattern that most names have; several if sections have their own, or if nothing decides."""
        found = Counter(each for read in self._readings.values() for each in {reading.pattern for reading in read})
        most = max(found.values(), default=0)
        patterns = sorted((each for each in found if found[each] == most), key=len)[:MAX_PATTERNS]
        like = {each: self._like(each) for each in patterns}
        needed = (others + sum(map(bool, self._readings.values()))) // 2 + 1
        if not table.has_repositories:
            # That of a single folder among others is none.
            needed = max(needed, min(2, len(self._whole)))
        common = {each for each in patterns if like[each] == max(like.values()) >= needed}
        repeated = {each for each, times in found.items() if times > 1}
        covered = sum(any(reading.pattern in repeated for reading in read) for read in self._readings.values())
        return common or (repeated if covered >= needed else set())

    def _like(self, pattern: str) -> int:
        matches = re.compile(pattern, re.DOTALL).fullmatch
        return sum(matches(normalized(words[-1][:MAX_NAME_CHARS])) is not None for words in self._readings)


def _readings(word: str, table: Students) -> list[_Reading]:
    """Return how a name may be read that has a student's login, or all words of their name, or both."""
    text = normalized(word[:MAX_NAME_CHARS])
    parts = [*_PART.finditer(text)][:MAX_PARTS]
    logins: list[tuple[str, tuple[int, int]]] = []
    names: list[tuple[str, tuple[int, int]]] = []
    for first, last in combinations_with_replacement(range(len(parts)), 2):
        span = parts[first].start(), parts[last].end()
        logins += [(key, span) for key in table.logins.get(text[slice(*span)], ())]
        names += [(key, span) for key in table.named([part[0] for part in parts[first : last + 1]])]
    spans = [(key, {_LOGIN: login}) for key, login in logins]
    spans += [(key, {_NAME: name}) for key, name in names]
    spans += [
        (key, {_LOGIN: login, _NAME: name})
        for key, login in logins
        for other, name in names
        if key == other and _are_apart(login, name)
    ]
    return [_Reading(_pattern(text, places), key) for key, places in spans[:MAX_READINGS]]


def _are_apart(one: tuple[int, int], other: tuple[int, int]) -> bool:
    return one[1] <= other[0] or other[1] <= one[0]


def _pattern(text: str, spans: Mapping[str, tuple[int, int]]) -> str:
    """Return a regular expression for texts that are the same except for what is at these places, and for numbers."""
    pattern, at = "", 0
    for kind, (start, end) in sorted(spans.items(), key=lambda item: item[1]):
        pattern += _like_numbers(text[at:start]) + kind
        at = end
    return pattern + _like_numbers(text[at:])


def _like_numbers(text: str) -> str:
    return "[0-9]+".join(map(re.escape, re.split("[0-9]+", text)))
