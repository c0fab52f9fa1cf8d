"""The layouts of course systems' exports, and last the layout of all other folders."""

from __future__ import annotations

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.errors import GraderError
from grader.intake.choice import archives, is_within_reach
from grader.intake.file_kinds import LOOKED_AT_BYTES, packed_kind
from grader.intake.files import File
from grader.intake.gradescope import METADATA, Record, read_export_metadata
from grader.intake.listing import Listing, TopEntry
from grader.intake.names import base, has_letters, is_archive, is_left_behind, left_behind_of, person_name, stem
from grader.intake.order import TIME, series
from grader.intake.own_results import has_own_mark
from grader.intake.parts import SOLUTIONS, is_student_s, may_be_work
from grader.messages import Notify
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
    """The way in which a course system, or a person, arranges the submissions of a class."""

    def claim(self, entry: TopEntry) -> Claim | None:
        """Return whose submission an entry belongs to; None if it is not of this layout."""


class GradescopeExport:
    """Folders submission_ID next to a file that has their students."""

    _FOLDER = re.compile(r"submission_(\d+)")

    def __init__(self, listing: Listing, _sources: Sequence[str], notify: Notify) -> None:
        file = listing.file(METADATA)
        self._has_metadata = file is not None
        self._records = read_export_metadata(file, notify) if file is not None else {}
        self._taken: set[str] = set()

    def claim(self, entry: TopEntry) -> Claim | None:
        """Claim a folder submission_ID for its students."""
        if entry.name == METADATA:
            return Claim(entry.name, graded=False, reported=False)
        match = self._FOLDER.fullmatch(entry.name)
        if not self._has_metadata or entry.folder is None or match is None:
            return None
        record = self._records.get(entry.name, Record())
        people = tuple(Person(name=one.name, email=one.email, id=one.sid) for one in record.people)
        names = [person.name for person in people]
        # A student id may be any text: without a name next to it, it could be taken for another student's name.
        known = any(map(has_letters, names))
        name = person_name(names, self._number(people, match[1])) if known else entry.name
        return Claim(name, "gradescope", people=people, submitted_at=record.created_at)

    def _number(self, people: Sequence[Person], submission: str) -> str:
        """Return what distinguishes people of the same name: a student id, or the submission's number."""
        number = min((person.id for person in people if person.id), default=submission)
        # Two submissions stay two, even if the file has the same students for both.
        number = submission if number in self._taken else number
        self._taken.add(number)
        return number


class D2lExport:
    """Folders `105241-77001 - Jane Doe - May 4, 2026 1010 PM`, or files that begin like that."""

    # Neither number is one that a roster has.
    _ID = re.compile(r"\d+-\d+")
    _YEAR = re.compile(r"\d{4}")
    _BETWEEN = " - "

    def __init__(self, _listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        pass

    def claim(self, entry: TopEntry) -> Claim | None:
        """Claim a folder or a file for its student."""
        number, *parts = readable(entry.name).split(self._BETWEEN)
        # A name may contain what is between the parts.
        dates = (at for at, part in enumerate(parts) if at > 0 and self._YEAR.search(part))
        at = next(dates, None)
        if at is None or not self._ID.fullmatch(number) or (entry.file is not None and at == len(parts) - 1):
            return None
        name = self._BETWEEN.join(parts[:at])
        version = _version(parts[at])
        return Claim(
            person_name([name], number),
            "d2l",
            owner=(number,),
            people=(Person(name=name),),
            submitted_at=_time_words(version),
            file_name=self._BETWEEN.join(parts[at + 1 :]),
            version=version,
            date="" if version else parts[at],
        )


class BlackboardExport:
    """Files `Lab 2_jdoe1_attempt_2026-05-04-23-11-02_many.c`, and a text file for each attempt, all in one folder."""

    # The word is in the language of the course. A student's name for a file may contain it too, so the first counts.
    _FILE = re.compile(r"(?P<head>.+?)_[^\W\d_]+_(?P<date>\d{4}(?:-\d\d){5})(?:_(?P<rest>.+)|\.txt)", re.DOTALL)
    _PERSON = re.compile(r"[^:\r\n]{1,40}: (?P<name>[^\r\n]{1,200}) \((?P<user>[^()\r\n]{1,200})\)\s*[\r\n]")

    def __init__(self, listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        names = {readable(entry.name): entry for entry in listing.entries}
        found = {name: match for name in names if (match := self._FILE.fullmatch(name))}
        # A student's name for a file in another export may be like that, but not the names of all of them.
        patterns = (CanvasExport.FILE, MoodleExport.TOP)
        self._is_used = not any(
            pattern.fullmatch(name) for name in names if name not in found for pattern in patterns
        )
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

    def claim(self, entry: TopEntry) -> Claim | None:
        """Claim a file for its student."""
        match = self._FILE.fullmatch(readable(entry.name))
        if not self._is_used or entry.file is None or match is None:
            return None
        person = self._people[match["head"]]
        version = _version(match["date"])
        return Claim(
            person_name([person.name], person.id),
            "blackboard",
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


def _version(date: str) -> tuple[int, ...]:
    """Return the time of an attempt as numbers, none if it cannot be read."""
    rest, numbers = series(date)
    return numbers if rest == TIME else ()


def _time_words(version: Sequence[int]) -> str:
    return "{:04}-{:02}-{:02} {:02}:{:02}:{:02}".format(*version) if version else ""


class CanvasExport:
    """Files doejane_LATE_USER_FILE_many.c, all in one folder; Canvas names a second attempt many-1.c."""

    # See lib/content_zipper.rb of canvas-lms; anonymous ones are anon_CODE_FILE_many.c.
    FILE = re.compile(
        r"(?:(?P<name>.+?)_)?(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)_"
        r"(?:(?P<file>\d+)_(?P<rest>.+)|(?P<typed>text|link)\.html)",
        re.DOTALL,
    )
    # See lib/quiz_submission_zipper.rb: doe_jane123_question_55_1001_many.c, a file for each question.
    QUIZ = re.compile(r"(?P<name>.*?\D)(?P<user>\d+)_question_\d+_(?P<file>\d+)_(?P<rest>.+)(?P<typed>)", re.DOTALL)
    _NUMBERED = re.compile(r"(.+)-(\d{1,9})(\.\w+)")

    def __init__(self, _listing: Listing, sources: Sequence[str], _notify: Notify) -> None:
        self._sources = sources

    def claim(self, entry: TopEntry) -> Claim | None:
        """Claim a file for its student."""
        name = readable(entry.name)
        match = self.QUIZ.fullmatch(name) or self.FILE.fullmatch(name)
        if entry.file is None or match is None:
            return None
        # Only an ID can be written to a table for Canvas's gradebook; an anonymous code identifies nobody there.
        person = Person(name=match["name"] or "", id=match["user"] if match["user"].isdigit() else "")
        rest = match["rest"] or ""
        typed = _INSTEAD.get(match["typed"] or rest.partition(".html")[0] * rest.endswith(".html"), "")
        file_name, attempt = self._name_and_attempt(rest)
        return Claim(
            person_name([match["name"] or ""], match["user"]),
            "canvas",
            owner=(match["name"] or "", match["user"]),
            people=(person,),
            late=None if match.re is self.QUIZ else match["late"] is not None,
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


class MoodleExport:
    """Folders `Jane Doe_1234567_assignsubmission_file_`, or files that begin like that."""

    # See mod/assign/classes/downloader.php; the number is the participant's, or the group's.
    # The last mark counts: a student's name may contain one, with somebody else's number before it.
    TOP = re.compile(
        r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>(?:(?!_assignsubmission_).)*))?",
        re.DOTALL,
    )
    _MARK = "_assignsubmission_"

    def __init__(self, listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        found = (self.TOP.fullmatch(readable(entry.name)) for entry in listing.entries)
        # Only the group of those who are in no group has no number, and then the other numbers are those of groups.
        self._is_of_groups = any(match and not match["id"] and self._MARK not in match["name"] for match in found)

    def claim(self, entry: TopEntry) -> Claim | None:
        """Claim a folder or a file for its student, or for its group."""
        match = self.TOP.fullmatch(readable(entry.name))
        if match is None or (entry.file is not None and not match["rest"]):
            return None
        # If a file's name has a second mark, in the student's name or the file's own, the number is not reliable.
        known = not self._is_of_groups and (entry.folder is not None or self._MARK not in match["name"])
        person = Person(name=match["name"], id=(match["id"] or "") if known else "")
        return Claim(
            person_name([person.name], match["id"]) if match["id"] else person.name,
            "moodle",
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


def _packed(entry: TopEntry) -> str | None:
    """Return what kind of archive a file is, whatever its name; None if it is none."""
    return packed_kind(entry.file.begin(LOOKED_AT_BYTES)[:LOOKED_AT_BYTES]) if entry.file is not None else None


LAYOUTS: tuple[Callable[[Listing, Sequence[str], Notify], Layout], ...] = (
    GradescopeExport,
    D2lExport,
    BlackboardExport,
    CanvasExport,
    MoodleExport,
    PlainFolder,
)
"""The first layout that recognizes an entry claims it, so that what somebody put next to an export is graded too."""
