"""Zip files with a report for each student, as Canvas and Moodle accept them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from typing import Literal

from grader.model.gradebook import Entry, Person
from grader.render.views.roster import is_number

FeedbackFormat = Literal["canvas", "moodle"]

REPORT = "report.html"
_CANVAS_FILE = re.compile(r"(?P<name>(?:.+?_)?)(?P<ids>(?:LATE_)?(?P<user>\d+)_\d+_).+", re.DOTALL | re.ASCII)
MAX_NAME_BYTES = 150
"""Of a student's name: with the numbers and words around it, a name in a file system may have 255."""

_NO_FILE_NAME = re.compile(r'[/\\:*?"<>|]')
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)


def feedback_paths(entry: Entry, system: FeedbackFormat) -> tuple[str, ...]:
    """Return the paths of a report in the zip, one per student; none if the course system cannot tell whose it is.

    Canvas gives a file of a group to all its members.
    """
    if system == "canvas":
        path = _canvas_path(entry)
        return () if path is None else (path,)
    people = entry.origin.people
    return tuple(map(_moodle_path, people)) if all(is_number(person.id) for person in people) else ()


def feedback_zip(reports: Iterable[tuple[str, bytes]]) -> bytes:
    """Return a zip of reports by path; the same reports make the same zip."""
    buffer = io.BytesIO()
    with zipfile.ZipFile(buffer, "w") as archive:
        for path, page in reports:
            archive.writestr(zipfile.ZipInfo(path, _FIRST_DATE), page, zipfile.ZIP_DEFLATED)
    return buffer.getvalue()


def _canvas_path(entry: Entry) -> str | None:
    """Return the name of the file that was handed in, up to the student's name for it.

    Canvas takes the first two numbers between underscores for those of the student and of the file that was handed in
    (app/models/abstract_assignment.rb, infer_comment_context_from_filename), and leaves the rest to us.
    """
    match = _CANVAS_FILE.fullmatch(entry.origin.path.rpartition("/")[2])
    if match is None or match["user"] not in (person.id for person in entry.origin.people):
        return None
    name = match["name"].removesuffix("_")
    # A number in the name would be taken for the student's.
    if any(part.isdigit() for part in name.split("_")):
        name = "student"
    return (f"{_safe(name)}_" if name else "") + match["ids"] + REPORT


def _moodle_path(person: Person) -> str:
    """Return a file in the folder that Moodle's own zip has for the student.

    Moodle takes the number after the first underscore for the participant's
    (mod/assign/feedback/file/importziplib.php, is_valid_filename_for_import), so names must not have one.
    """
    return f"{_safe(person.name.replace('_', ' '))}_{person.id}_assignsubmission_file_/{REPORT}"


def _safe(name: str) -> str:
    """Return a name that every system can have; files whose names begin with `.` or `~` are ignored."""
    plain = "".join(char if char.isprintable() else "-" for char in _NO_FILE_NAME.sub("-", name)).lstrip(".~ ")
    return plain.encode("utf-8")[:MAX_NAME_BYTES].decode("utf-8", "ignore") or "student"
