"""The folders that course systems keep for a student: versions of the work, the task, and corrections."""

from __future__ import annotations

import json
import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from grader.errors import NothingToGradeError
from grader.intake.choice import MAX_NAMED, Bundle
from grader.intake.files import File
from grader.intake.missing import look_alike
from grader.intake.names import base, is_archive, is_left_behind, shown
from grader.model.counted import listed, listed_up_to
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
    return any(name == SETTINGS or _is_of("student", name) or _is_of("course", name) for name in names)


@dataclass(frozen=True)
class HandedIn:
    """What a student handed in last, a note about the rest, and what only the names of folders exclude."""

    own: Bundle
    notes: tuple[str, ...] = ()
    doubtful: tuple[Bundle, ...] = ()


def handed_in(bundle: Bundle, sources: Collection[str]) -> HandedIn:
    """Return the files that a student handed in last, if a course system says which these are.

    Raises:
        NothingToGradeError: there are only files of the course, or the version that counts is missing.
    """
    around = _around(bundle.files)
    folders: dict[str, list[File]] = defaultdict(list)
    for file in bundle.files:
        folders[file.path[len(around) :].rpartition("/")[0].partition("/")[0]].append(file)
    top = folders.pop("", [])
    kept, reason = _folders_that_count(folders, _active_version(top, around))
    if not kept and (not folders or not all(_is_of("course", folder) for folder in folders)):
        return HandedIn(bundle)
    work = [base(file.path) for file in top if may_be_work(base(file.path), sources)]
    if kept:
        left = [*map(shown, [*(folder for folder in folders if folder not in kept), *work])]
        words = f"{listed([*map(shown, kept)])} was graded, and not {listed_up_to(MAX_NAMED, left)}, {reason}"
        files = [file for folder in kept for file in folders[folder]]
        return HandedIn(Bundle(files, bundle.label), (words,) if left else ())
    course = f"{listed([*map(shown, folders)])} can only be from the course"
    if not work:
        raise _nothing(f"nothing was handed in, as {course}")
    others = [file for files in folders.values() for file in files]
    notes = (f"the top folder was graded, as {course}",)
    return HandedIn(Bundle(top, bundle.label), notes, (Bundle(others, bundle.label),))


def _folders_that_count(folders: Collection[str], version: str | None) -> tuple[list[str], str]:
    """Return the folders with what a student handed in, none if that is not known, and why it is in them."""
    if version is None:
        return [folder for folder in folders if _is_of("student", folder)], "as that is where hand-ins are kept"
    if version not in folders:
        problem = f"{SETTINGS} names version {shown(version)}, which is not there (0 means that it was cancelled)"
        raise _nothing(problem)
    return [version], f"as {SETTINGS} says"


def _nothing(problem: str) -> NothingToGradeError:
    return NothingToGradeError(f"{problem}; ask for the files, or decide in {OVERRIDES_FILE}")


def may_be_work(name: str, sources: Collection[str]) -> bool:
    """Return whether a student may have handed in a file of this name; course systems add files of other names."""
    is_like_one = name in sources or is_archive(name) or any(look_alike(source, [name]) for source in sources)
    return is_like_one and not is_left_behind(name)


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
