"""Zip files with a report for each student, as Canvas and Moodle accept them."""

from __future__ import annotations

import io
import re
import zipfile
from collections.abc import Iterable
from typing import Literal

from grader.model.gradebook import Entry
from grader.render.views.roster import is_number

FeedbackFormat = Literal["canvas", "moodle"]

REPORT = "report.html"
_CANVAS_FILE = re.compile(r"(?P<name>(?:.+?_)?)(?P<ids>(?:LATE_)?(?P<user>\d+)_\d+_).+", re.DOTALL | re.ASCII)
MAX_NAME_BYTES = 150
"""Of a student's name: with the numbers and words around it, a name in a file system may have 255."""

_NO_FILE_NAME = re.compile(r'[/\\:*?"<>|]')
_FIRST_DATE = (1980, 1, 1, 0, 0, 0)


def feedback_path(entry: Entry, system: FeedbackFormat) -> str | None:
    """Return the path of a student's report in the zip; None if the course system could not tell whose it is."""
    return _canvas_path(entry) if system == "canvas" else _moodle_path(entry)


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
    if match is None or [person.id for person in entry.origin.people] != [match["user"]]:
        return None
    name = match["name"].removesuffix("_")
    # A number in the name would be taken for the student's.
    if any(part.isdigit() for part in name.split("_")):
        name = "student"
    return (f"{_safe(name)}_" if name else "") + match["ids"] + REPORT


def _moodle_path(entry: Entry) -> str | None:
    """Return a file in the folder that Moodle's own zip has for the student.

    Moodle takes the number after the first underscore for the participant's
    (mod/assign/feedback/file/importziplib.php, is_valid_filename_for_import), so names must not have one.
    """
    if len(entry.origin.people) != 1 or not is_number(entry.origin.people[0].id):
        return None
    person = entry.origin.people[0]
    return f"{_safe(person.name.replace('_', ' '))}_{person.id}_assignsubmission_file_/{REPORT}"


def _safe(name: str) -> str:
    """Return a name that every system can have; files whose names begin with `.` or `~` are ignored."""
    plain = "".join(char if char.isprintable() else "-" for char in _NO_FILE_NAME.sub("-", name)).lstrip(".~ ")
    return plain.encode("utf-8")[:MAX_NAME_BYTES].decode("utf-8", "ignore") or "student"
