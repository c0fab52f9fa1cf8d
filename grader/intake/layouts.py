"""How course systems name what they export; one table, and what is none of theirs comes last."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

from grader.intake.gradescope import METADATA, Record, read_metadata
from grader.intake.listing import Listing, TopEntry
from grader.intake.names import has_letters, is_archive, person_name, readable, stem
from grader.messages import Notify
from grader.model.gradebook import CourseSystem, Person


@dataclass(frozen=True)
class Claim:
    """A top that is, or is a part of, a submission: tops of the same `owner` make one; without an owner it is one.

    `owner` is what the course system says of them, word for word: of two students the `name` may be the same.
    `file_name` is what the student called a file, of which `attempt` may be a later one. What is not `graded` belongs
    to the export and is left alone, which is `reported` if it is a student's.
    """

    name: str
    system: CourseSystem | None = None
    owner: tuple[str, ...] = ()
    people: tuple[Person, ...] = ()
    late: bool | None = None
    submitted_at: str = ""
    file_name: str = ""
    attempt: int = 0
    graded: bool = True
    reported: bool = True


class Layout(Protocol):
    """The way in which a course system, or a person, puts submissions beside each other."""

    def claim(self, top: TopEntry) -> Claim | None:
        """Say whose a top is; None where it is not of this layout."""


class Gradescope:
    """Folders submission_ID beside a file that says whose they are."""

    _FOLDER = re.compile(r"submission_(\d+)")

    def __init__(self, listing: Listing, _sources: Sequence[str], notify: Notify) -> None:
        """Read the file."""
        file = listing.file(METADATA)
        self._here = file is not None
        self._records = read_metadata(file, notify) if file is not None else {}
        self._taken: set[str] = set()

    def claim(self, top: TopEntry) -> Claim | None:
        """Say whose a folder submission_ID is."""
        if top.name == METADATA:
            return Claim(top.name, graded=False, reported=False)
        match = self._FOLDER.fullmatch(top.name)
        if not self._here or top.folder is None or match is None:
            return None
        record = self._records.get(top.name, Record())
        people = tuple(Person(name=one.name, email=one.email, id=one.sid) for one in record.people)
        names = [person.name for person in people]
        # A student id may be any text, so that alone it could be another student's name.
        known = any(map(has_letters, names))
        name = person_name(names, self._number(people, match[1])) if known else top.name
        return Claim(name, "gradescope", people=people, submitted_at=record.created_at)

    def _number(self, people: Sequence[Person], submission: str) -> str:
        """Return what tells people of one name apart: a student id, as a second hand-in has another submission's."""
        number = min((person.id for person in people if person.id), default=submission)
        # Two submissions are two, whatever the list says of who handed them in.
        number = submission if number in self._taken else number
        self._taken.add(number)
        return number


class Canvas:
    """Files doejane_LATE_USER_FILE_many.c, all in one folder; many-1.c is what Canvas makes of a second try."""

    # As lib/content_zipper.rb of canvas-lms makes them; anonymous ones are anon_CODE_FILE_many.c.
    _FILE = re.compile(
        r"(?:(?P<name>.+?)_)?(?P<late>LATE_)?(?P<user>\d+|anon_[A-Za-z0-9]+)_"
        r"(?:(?P<file>\d+)_(?P<rest>.+)|(?:text|link)\.html)",
        re.DOTALL,
    )
    _NUMBERED = re.compile(r"(.+)-(\d{1,9})(\.\w+)")

    def __init__(self, _listing: Listing, sources: Sequence[str], _notify: Notify) -> None:
        """Take the sources' names, which second tries are known by."""
        self._sources = sources

    def claim(self, top: TopEntry) -> Claim | None:
        """Say whose a file is."""
        match = self._FILE.fullmatch(readable(top.name))
        if top.file is None or match is None:
            return None
        # Only the gradebook's ID can be given back; a code is nobody's.
        person = Person(name=match["name"] or "", id=match["user"] if match["user"].isdigit() else "")
        file_name, attempt = self._first_named(match["rest"] or "")
        return Claim(
            person_name([match["name"] or ""], match["user"]),
            "canvas",
            owner=(match["name"] or "", match["user"]),
            people=(person,),
            late=match["late"] is not None,
            file_name=file_name,
            attempt=attempt,
            graded=match["rest"] is not None,
        )

    def _first_named(self, name: str) -> tuple[str, int]:
        match = self._NUMBERED.fullmatch(name)
        plain = match[1] + match[3] if match else name
        if match and plain.casefold() in (source.casefold() for source in self._sources):
            return plain, int(match[2])
        return name, 0


class Moodle:
    """Folders `Jane Doe_1234567_assignsubmission_file_`, or files that begin like that."""

    # As mod/assign/classes/downloader.php makes them; the number is the participant's, or the group's.
    # The last mark counts: a student may have one in the name, with somebody else's number before it.
    _TOP = re.compile(
        r"(?P<name>.+?)(?:_(?P<id>\d+))?_assignsubmission_(?P<kind>[a-z]+)(?:_(?P<rest>(?:(?!_assignsubmission_).)*))?",
        re.DOTALL,
    )
    _MARK = "_assignsubmission_"

    def __init__(self, _listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        """Nothing but names is needed."""

    def claim(self, top: TopEntry) -> Claim | None:
        """Say whose a folder or a file is."""
        match = self._TOP.fullmatch(readable(top.name))
        if match is None or (top.file is not None and not match["rest"]):
            return None
        # A second mark in a file's name may be of the student's name or of the file's own: it says nobody's number.
        known = top.folder is not None or self._MARK not in match["name"]
        person = Person(name=match["name"], id=(match["id"] or "") if known else "")
        return Claim(
            person_name([person.name], match["id"]) if match["id"] else person.name,
            "moodle",
            owner=(match["name"], match["id"] or ""),
            people=(person,),
            file_name=match["rest"] or "",
            graded=match["kind"] == "file",
        )


class Plain:
    """Folders, such as those of GitHub Classroom, and archives, each named by its student."""

    def __init__(self, _listing: Listing, _sources: Sequence[str], _notify: Notify) -> None:
        """Nothing but names is needed."""

    def claim(self, top: TopEntry) -> Claim | None:
        """Take every folder and every archive."""
        if top.folder is not None:
            return Claim(top.name)
        return Claim(stem(top.name), file_name=top.name) if is_archive(top.name) else None


LAYOUTS: tuple[Callable[[Listing, Sequence[str], Notify], Layout], ...] = (Gradescope, Canvas, Moodle, Plain)
"""The first that knows a top has it, so that what somebody put beside an export is graded as well."""
