"""The layouts of course systems' exports, and last the layout of all other folders."""

from __future__ import annotations

import os
import re
from collections import defaultdict
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import Protocol

from grader.errors import GraderError
from grader.intake.choice import MAX_NAMED, archives, is_within_reach
from grader.intake.file_kinds import LOOKED_AT_BYTES, packed_kind
from grader.intake.files import File
from grader.intake.gradescope import METADATA, Record, read_export_metadata
from grader.intake.listing import Listing, TopEntry
from grader.intake.names import (
    base,
    has_letters,
    is_archive,
    is_left_behind,
    left_behind_of,
    person_name,
    shown,
    stem,
)
from grader.intake.order import TIME, series
from grader.intake.own_results import has_own_mark
from grader.intake.parts import SOLUTIONS, is_student_s, may_be_work
from grader.messages import Notify
from grader.model.counted import listed, listed_up_to
from grader.model.gradebook import GRADEBOOK, OVERRIDES_FILE, CourseSystem, Person
from grader.model.submission import Source
from grader.model.visible import readable

TEXT_BYTES = 1_000_000
"""Size limit of the text file that Blackboard writes for an attempt."""


@dataclass(frozen=True)
class Claim:
    """An entry that is a submission or part of one: entries with the same `owner` make one submission.

    `owner` is copied from the course system, because two students may have the same `name`; an entry without an owner
    is a submission of its own. `file_name` is the student's name for a file, and `attempt` numbers its versions.
    `version` is that of an attempt: of an owner's entries, those of the last are used. `date` is what stands instead
    of a version if that cannot be read.
    An entry that is not `graded` belongs to the export and is left alone, which is `reported` if it is a student's.
    `ungraded` says what a student handed in instead of files; they are listed even if they did nothing else.
    `problem` says why something that may be a student's work cannot be graded.
    """

    name: str
    system: CourseSystem | None = None
    owner: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    late: bool | None = None
    submitted_at: str = ""
    file_name: str = ""
    attempt: int = 0
    version: tuple[int, ...] = ()
    date: str = ""
    graded: bool = True
    reported: bool = True
    ungraded: str = ""
    problem: str = ""


_INSTEAD = {"text": "typed text", "onlinetext": "typed text", "link": "a link"}
"""What students hand in instead of files, by the names that exports have for it."""


_NOT_OURS = (
    f"it holds a {GRADEBOOK}, and nothing that may be a source: ask for the files, or decide in {OVERRIDES_FILE}; if "
    "these are results, move them out of the class"
)


_LEFT_BEHIND = "systems and editors give such names to their own files: if this is a student's work, rename it"
_NO_SUFFIX = (
    "this is {kind}, and its name does not end in .zip or .tar.gz: if it is a student's work, rename or unpack it"
)


class Layout(Protocol):
    """The way in which a course system arranges the submissions of a class.

    It is made for a listing, and asked for claims only if the listing is of this layout; see `recognition`.
    """

    system: CourseSystem

    def fits(self, entry: TopEntry) -> int:
        """Return how many characters of an entry's name the course system has written, 0 if it is none of its names.

        What follows is a student's name for a file.
        """

    def implausible(self, entries: Sequence[TopEntry]) -> str:
        """Return why these entries, which fit, are not what the course system would write; empty if they may be."""

    def claim(self, entry: TopEntry) -> Claim:
        """Return whose submission an entry that fits belongs to."""


class _Always:
    """A layout whose names are like no others."""

    def implausible(self, _entries: Sequence[TopEntry]) -> str:
        """Return that nothing is wrong."""
        return ""


class GradescopeExport(_Always):
    """Folders submission_ID next to a file that has their students."""

    system: CourseSystem = "gradescope"

    _FOLDER = re.compile(r"submission_(\d+)")

    def __init__(self, listing: Listing, _sources: Sequence[str], notify: Notify) -> None:
        self._metadata = listing.file(METADATA)
        self._folders = {entry.name for entry in listing.folders}
        self._notify = notify
        self._taken: set[str] = set()

    @cached_property
    def _records(self) -> Mapping[str, Record]:
        if self._metadata is None:
            return {}
        found = read_export_metadata(self._metadata, self._notify)
        if lacking := sorted(found.keys() - self._folders):
            folders = listed_up_to(MAX_NAMED, [_with_people(name, found[name]) for name in lacking])
            self._notify(f"{METADATA} has submissions whose folders are missing: {folders}")
        return found

    def fits(self, entry: TopEntry) -> int:
        """Return the length of a name submission_ID, and of that of the file with the students."""
        is_folder = entry.folder is not None and self._FOLDER.fullmatch(entry.name) is not None
        is_of_export = self._metadata is not None and (is_folder or entry.file is self._metadata)
        return len(entry.name) if is_of_export else 0

    def claim(self, entry: TopEntry) -> Claim:
        """Claim a folder submission_ID for its students."""
        match = self._FOLDER.fullmatch(entry.name)
        record = self._records.get(entry.name, Record())
        if match is None:
            return Claim(entry.name, graded=False, reported=False)
        people = tuple(Person(name=one.name, email=one.email, id=one.sid) for one in record.people)
        names = [person.name for person in people]
        # A student id may be any text: without a name next to it, it could be taken for another student's name.
        known = any(map(has_letters, names))
        name = person_name(names, self._number(people, match[1])) if known else entry.name
        return Claim(name, self.system, people=people, submitted_at=record.created_at)

    def _number(self, people: Sequence[Person], submission: str) -> str:
        """Return what distinguishes people of the same name: a student id, or the submission's number."""
        number = min((person.id for person in people if person.id), default=submission)
        # Two submissions stay two, even if the file has the same students for both.
        number = submission if number in self._taken else number
        self._taken.add(number)
        return number


def _with_people(folder: str, record: Record) -> str:
    return f"{shown(folder)} ({listed([shown(person.name or person.sid) for person in record.people])})"


class D2lExport(_Always):
    """Folders `105241-77001 - Jane Doe - May 4, 2026 1010 PM`, or files that begin like that."""

    system: CourseSystem = "d2l"
    # Neither number is one that a roster has.
    _ID = re.compile(r"\d+-\d+")
    _YEAR = re.compile(r"\d{4}")
    _BETWEEN = " - "

    def __init__(self, _listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        pass

    def fits(self, entry: TopEntry) -> int:
        """Return the length of a name up to the date."""
        number, *parts = readable(entry.name).split(self._BETWEEN)
        at = self._date_at(parts)
        if at is None or not self._ID.fullmatch(number) or (entry.file is not None and at == len(parts) - 1):
            return 0
        return len(self._BETWEEN.join((number, *parts[: at + 1])))

    def claim(self, entry: TopEntry) -> Claim:
        """Claim a folder or a file for its student."""
        number, *parts = readable(entry.name).split(self._BETWEEN)
        at = self._date_at(parts) or 0
        name = self._BETWEEN.join(parts[:at])
        version = _version(parts[at])
        return Claim(
            person_name([name], number),
            self.system,
            owner=(number,),
            people=(Person(name=name),),
            submitted_at=_time_words(version),
            file_name=self._BETWEEN.join(parts[at + 1 :]),
            version=version,
            date="" if version else parts[at],
        )

    def _date_at(self, parts: Sequence[str]) -> int | None:
        # A name may contain what is between the parts.
        return next((at for at, part in enumerate(parts) if at > 0 and self._YEAR.search(part)), None)


class BlackboardExport(_Always):
    """Files `Lab 2_jdoe1_attempt_2026-05-04-23-11-02_many.c`, and a text file for each attempt, all in one folder."""

    system: CourseSystem = "blackboard"
    # The word is in the language of the course. A student's name for a file may contain it too, so the first counts.
    _FILE = re.compile(r"(?P<head>.+?)_[^\W\d_]+_(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|\.txt)", re.DOTALL)
    _PERSON = re.compile(r"[^:\r\n]{1,40}: (?P<name>[^\r\n]{1,200}) \((?P<user>[^()\r\n]{1,200})\)\s*[\r\n]")

    def __init__(self, listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        names = {readable(entry.name): entry for entry in listing.entries}
        found = {name: match for name in names if (match := self._FILE.fullmatch(name))}
        self._people: dict[str, Person] = {}
        heads = {match["head"] for match in found.values()}
        lab = os.path.commonprefix([*heads]).rpartition("_")[0] if len(heads) > 1 else ""  # noqa: RUF071 - not paths
        for name, match in found.items():
            head, file = match["head"], names[name].file
            user = head[len(lab) + 1 :] if lab else head.rpartition("_")[2]
            self._people.setdefault(head, Person(id=user))
            about = self._person(file) if file is not None and not match["rest"] else None
            if about is not None and f"_{head}".endswith(f"_{about['user']}"):
                self._people[head] = Person(name=about["name"], id=about["user"])

    def fits(self, entry: TopEntry) -> int:
        """Return the length of a file's name up to the time."""
        match = self._FILE.fullmatch(readable(entry.name)) if entry.file is not None else None
        return match.end("date") if match else 0

    def claim(self, entry: TopEntry) -> Claim:
        """Claim a file for its student."""
        match = _matched(self._FILE, entry)
        person = self._people[match["head"]]
        version = _version(match["date"])
        return Claim(
            person_name([person.name], person.id),
            self.system,
            owner=(match["head"],),
            people=(person,),
            submitted_at=_time_words(version),
            file_name=match["rest"] or "",
            version=version,
            date="" if version else match["date"],
            graded=bool(match["rest"]),
            reported=bool(match["rest"]),
            ungraded="" if match["rest"] else "the text of Blackboard",
        )

    def _person(self, file: File) -> re.Match[str] | None:
        """Return who handed in, from the first line of the text file of an attempt, which Blackboard has written."""
        try:
            source = file.read(TEXT_BYTES)
        except GraderError:
            return None
        return self._PERSON.match(source.data.decode("utf-8-sig", "replace")) if isinstance(source, Source) else None


_DAY_OF_WEEK = re.compile(r"[^\W\d_]+\.?, ")


def _version(date: str) -> tuple[int, ...]:
    """Return the time of an attempt as numbers, none if it cannot be read."""
    rest, numbers = series(_DAY_OF_WEEK.sub("", date, count=1))
    return numbers if rest == TIME else ()


def _time_words(version: Sequence[int]) -> str:
    return "{:04}-{:02}-{:02} {:02}:{:02}:{:02}".format(*version) if version else ""


class CanvasExport:
    """Files doejane_LATE_USER_FILE_many.c, all in one folder; Canvas names a second attempt many-1.c."""

    system: CourseSystem = "canvas"
    # See lib/content_zipper.rb of canvas-lms; anonymous ones are anon_CODE_FILE_many.c. No name of a user has what is
    # like these numbers.
    _NAME = re.compile(
        r"(?:(?P<name>.+?)_)??(?P<late>LATE_)?(?P<user>[1-9]\d*|anon_[A-Za-z0-9]+)_"
        r"(?:(?P<file>[1-9]\d*)_(?P<rest>.+)|(?P<typed>text|link)\.html)",
        re.DOTALL,
    )
    _NUMBERED = re.compile(r"(.+)-(\d{1,9})(\.\w+)")
    _knows_late = True

    def __init__(self, _listing: Listing, sources: Sequence[str], _notify: Notify) -> None:
        self._sources = sources

    def fits(self, entry: TopEntry) -> int:
        """Return the length of a file's name up to the number of the file, or of the user."""
        match = self._NAME.fullmatch(readable(entry.name)) if entry.file is not None else None
        return match.end("file" if match["file"] else "user") if match else 0

    def implausible(self, entries: Sequence[TopEntry]) -> str:
        """Return that most numbers are not those of users and files, or that names are those of people's archives."""
        matches = [_matched(self._NAME, entry) for entry in entries]
        names, files = defaultdict(set), defaultdict(list)
        for match in matches:
            names[match["user"]].add(match["name"])
            files[match["file"]].append(match["rest"])
        # People call archives as they like, but nobody calls loose files like this.
        may_be_plain = len(entries) > 1 and all(is_archive(entry.name) for entry in entries)
        if may_be_plain and 2 * sum(len(names[match["user"]]) > 1 for match in matches) > len(matches):
            return "the same number has several names"
        several = {file for file, rest in files.items() if file and len(rest if may_be_plain else {*rest}) > 1}
        if 2 * sum(match["file"] in several for match in matches) > len(matches):
            return "several files have the same number"
        beginnings = {match["name"] or match["user"] for match in matches}
        return "all of them begin alike" if may_be_plain and len(beginnings) == 1 else ""

    def claim(self, entry: TopEntry) -> Claim:
        """Claim a file for its student."""
        match = _matched(self._NAME, entry)
        # Only an ID can be written to a table for Canvas's gradebook; an anonymous code identifies nobody there.
        person = Person(name=match["name"] or "", id=match["user"] if match["user"].isdigit() else "")
        rest = match["rest"] or ""
        typed = _INSTEAD.get(match["typed"] or rest.partition(".html")[0] * rest.endswith(".html"), "")
        file_name, attempt = self._name_and_attempt(rest)
        return Claim(
            person_name([match["name"] or ""], match["user"]),
            self.system,
            owner=(match["name"] or "", match["user"]),
            people=(person,),
            late=match["late"] is not None if self._knows_late else None,
            file_name=file_name,
            attempt=attempt,
            graded=not typed,
            ungraded=typed,
        )

    def _name_and_attempt(self, name: str) -> tuple[str, int]:
        match = self._NUMBERED.fullmatch(name)
        plain = match[1] + match[3] if match else name
        if match and plain.casefold() in (source.casefold() for source in self._sources):
            return plain, int(match[2])
        return name, 0


class CanvasQuizExport(CanvasExport):
    """Files doe_jane123_question_55_1001_many.c, one for each question; see lib/quiz_submission_zipper.rb."""

    _NAME = re.compile(
        r"(?P<name>.*?\D)(?P<late>)(?P<user>\d+)_question_\d+_(?P<file>[1-9]\d*)_(?P<rest>.+)(?P<typed>)",
        re.DOTALL,
    )
    _knows_late = False


class MoodleExport(_Always):
    """Folders `Jane Doe_1234567_assignsubmission_file_`, or files that begin like that."""

    system: CourseSystem = "moodle"
    # See mod/assign/classes/downloader.php; the number is the participant's, or the group's.
    # The last mark counts: a student's name may contain one, with somebody else's number before it.
    _TOP = re.compile(
        r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>(?:(?!_assignsubmission_).)*))?",
        re.DOTALL,
    )
    _MARK = "_assignsubmission_"

    def __init__(self, listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        found = (self._TOP.fullmatch(readable(entry.name)) for entry in listing.entries)
        # Only the group of those who are in no group has no number, and then the other numbers are those of groups.
        self._is_of_groups = any(match and not match["id"] and self._MARK not in match["name"] for match in found)

    def fits(self, entry: TopEntry) -> int:
        """Return the length of a name up to the kind of what was handed in."""
        name = readable(entry.name)
        match = self._TOP.fullmatch(name)
        if match is None or (entry.file is not None and not match["rest"]):
            return 0
        return name.index(self._MARK) + len(self._MARK)

    def claim(self, entry: TopEntry) -> Claim:
        """Claim a folder or a file for its student, or for its group."""
        match = _matched(self._TOP, entry)
        # If a file's name has a second mark, in the student's name or the file's own, the number is not reliable.
        known = not self._is_of_groups and (entry.folder is not None or self._MARK not in match["name"])
        person = Person(name=match["name"], id=(match["id"] or "") if known else "")
        return Claim(
            person_name([person.name], match["id"]) if match["id"] else person.name,
            self.system,
            owner=(match["name"], match["id"] or ""),
            people=(person,),
            file_name=match["rest"] or "",
            graded=match["kind"] == "file",
            ungraded=_INSTEAD.get(match["kind"], match["kind"]) if match["kind"] != "file" else "",
        )


class PlainFolder:
    """Folders, such as those of GitHub Classroom, and archives, each named after its student."""

    def __init__(self, listing: Listing, sources: Sequence[str], _notify: Notify) -> None:
        self._folders = listing.folders
        self._names = {entry.name for entry in listing.entries}
        self._sources = sources

    def claim(self, entry: TopEntry) -> Claim | None:
        """Claim every folder and every archive, except those that no student can have handed in."""
        if is_left_behind(entry.name):
            return self._left_behind(entry)
        if entry.folder is not None:
            is_course_s = entry.name == SOLUTIONS and any(is_student_s(folder.names()) for folder in self._folders)
            problem = _NOT_OURS if entry.has(GRADEBOOK) and not self._may_be_work(entry) else ""
            return Claim(
                entry.name, graded=not is_course_s and not holds_results(entry, self._sources), problem=problem
            )
        if is_archive(entry.name):
            return Claim(stem(entry.name), file_name=entry.name)
        kind = _packed(entry)
        return Claim(entry.name, file_name=entry.name, problem=_NO_SUFFIX.format(kind=kind)) if kind else None

    def _left_behind(self, entry: TopEntry) -> Claim:
        """Claim what has a name that systems and editors give, as somebody's may be like that."""
        is_work = bool(archives(entry.files(self._sources))) or _holds_source(entry, self._sources) or _packed(entry)
        original = left_behind_of(entry.name)
        if is_work and (original == entry.name or original not in self._names):
            return Claim(entry.name, file_name=entry.name, problem=_LEFT_BEHIND)
        return Claim(entry.name, graded=False, reported=bool(is_work) or is_archive(original))

    def _may_be_work(self, entry: TopEntry) -> bool:
        names = {base(file.path) for file in entry.files(self._sources) if is_within_reach(file.path)}
        return any(may_be_work(name, self._sources) for name in names)


def holds_results(entry: TopEntry, sources: Sequence[str]) -> bool:
    """Return whether an entry is a folder of our own results, and has no source that might be a student's."""
    return entry.folder is not None and has_own_mark(entry.folder) and not _holds_source(entry, sources)


def _holds_source(entry: TopEntry, sources: Sequence[str]) -> bool:
    return any(file.regular and base(file.path) in sources for file in entry.files(sources))


_DOCUMENTS = (".xlsx", ".xlsm", ".docx", ".pptx", ".ods", ".odt", ".odp", ".numbers", ".pages", ".key", ".epub")
"""Suffixes of documents that are zip archives: next to submissions they are the course's, such as its roster."""


def _packed(entry: TopEntry) -> str | None:
    """Return what kind of archive a file is, whatever its name; None if it is none."""
    if entry.file is None or entry.name.lower().endswith(_DOCUMENTS):
        return None
    return packed_kind(entry.file.begin(LOOKED_AT_BYTES))


def _matched(pattern: re.Pattern[str], entry: TopEntry) -> re.Match[str]:
    """Return the match of the name of an entry that fits."""
    match = pattern.fullmatch(readable(entry.name))
    if match is None:
        raise ValueError(entry.name)
    return match


SYSTEMS: tuple[Callable[[Listing, Sequence[str], Notify], Layout], ...] = (
    GradescopeExport,
    D2lExport,
    BlackboardExport,
    # Every name of a quiz is also like one of the others.
    CanvasQuizExport,
    CanvasExport,
    MoodleExport,
)
"""The layouts of course systems."""
