"""The folders that course systems keep for a student: versions of the work, the task, and corrections."""

from __future__ import annotations

import json
import re
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.errors import NothingToGradeError
from grader.intake.choice import Bundle
from grader.intake.files import File
from grader.intake.names import shown
from grader.model.counted import listed
from grader.model.gradebook import OVERRIDES_FILE
from grader.model.submission import Source

SETTINGS = "user_assignment_settings.json"
"""Submitty's file next to the folders of a student's versions, which says which one counts."""

SETTINGS_BYTES = 1_000_000


@dataclass(frozen=True)
class _Parts:
    """Folders of one course system: those with a student's work, and those with the course's."""

    student: re.Pattern[str]
    course: re.Pattern[str]


_PARTS = (
    # OpenOLAT: archiveNodeData in GTACourseNode.java, which numbers the folders that there are.
    _Parts(
        student=re.compile(r"\d+_(?:submissions|revisions_\d+)"),
        course=re.compile(r"1_task|\d+_(?:corrections(?:_\d+)?|assessment)"),
    ),
    # Sakai.
    _Parts(
        student=re.compile(r"submission attachment\(s\)", re.IGNORECASE),
        course=re.compile(r"feedback attachment\(s\)", re.IGNORECASE),
    ),
)
SOLUTIONS = "solutions"
"""OpenOLAT's folder with the course's solutions, next to those of students."""


def is_student_s(names: Iterable[str]) -> bool:
    """Return whether files and folders with these names are what a course system keeps for one student."""
    return any(name == SETTINGS or _is_of("student", name) for name in names)


def handed_in(bundle: Bundle, sources: Collection[str]) -> tuple[Bundle, tuple[str, ...]]:
    """Return the files that a student handed in last, if a course system tells, and a note about the others.

    Raises:
        NothingToGradeError: there are only files of the course, or the version that counts is missing.
    """
    around = _around(bundle.files)
    folder_of = {file: file.path[len(around) :].rpartition("/")[0].partition("/")[0] for file in bundle.files}
    folders = [folder for folder in dict.fromkeys(folder_of.values()) if folder]
    version = _active_version(bundle.files, around)
    if version is not None:
        kept = [folder for folder in folders if folder == version]
        problem = f"{SETTINGS} names version {shown(version)}, which is not there (0 means that it was cancelled)"
    else:
        kept = [folder for folder in folders if _is_of("student", folder)]
        has_own = any(not _is_of("course", folder) for folder in folders)
        has_own |= any(file.path[len(around) :] in sources for file in bundle.files)
        if not folders or (has_own and not kept):
            return bundle, ()
        problem = f"nothing was handed in, as {listed([*map(shown, folders)])} can only be from the course"
    if not kept:
        raise NothingToGradeError(f"{problem}; ask for the files, or decide in {OVERRIDES_FILE}")
    left = [shown(folder) for folder in folders if folder not in kept]
    reason = f"as {SETTINGS} says" if version is not None else "as the others are not the student's"
    notes = (f"{listed(kept)} was graded, and not {listed(left)}, {reason}",) if left else ()
    return Bundle([file for file in bundle.files if folder_of[file] in kept], bundle.label), notes


def _is_of(owner: Literal["student", "course"], folder: str) -> bool:
    return any(getattr(parts, owner).fullmatch(folder) for parts in _PARTS)


def _around(files: Sequence[File]) -> str:
    """Return the path of the folder in which the files are, with a slash: there may be one around everything."""
    tops = {file.path.partition("/")[:2] for file in files}
    (top, slash), *others = tops or {("", "")}
    return top + slash if slash and not others and not (_is_of("student", top) or _is_of("course", top)) else ""


def _active_version(files: Sequence[File], around: str) -> str | None:
    settings = next((file for file in files if file.path == around + SETTINGS), None)
    content = settings.read(SETTINGS_BYTES) if settings is not None else None
    if not isinstance(content, Source):
        return None
    try:
        # Numbers stay text: a long one would take the time of many.
        found = json.loads(content.data, parse_int=str, parse_float=str)
    except (ValueError, RecursionError):
        return None
    version = found.get("active_version") if isinstance(found, dict) else None
    return version if isinstance(version, str) else None
