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
from grader.intake.order import series
from grader.model.counted import listed, listed_up_to
from grader.model.gradebook import OVERRIDES_FILE
from grader.model.submission import Source

SETTINGS = "user_assignment_settings.json"
"""Submitty's file next to the folders of a student's versions, which says which one counts."""

SETTINGS_BYTES = 1_000_000


@dataclass(frozen=True)
class _Parts:
    """Folders of one course system: those with a student's work, and those with the course's.

    They are `common` if students call folders like that, too.
    """

    student: re.Pattern[str]
    course: re.Pattern[str]
    common: bool = False


_PARTS = (
    # OpenOLAT: archiveNodeData in GTACourseNode.java, which numbers the folders that there are.
    _Parts(
        student=re.compile(r"\d+_(?:submissions|revisions_\d+)"),
        course=re.compile(r"1_task|\d+_(?:corrections(?:_\d+)?|assessment)"),
        common=True,
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


def is_handed_in(names: Iterable[str]) -> bool:
    """Return whether these names are what a course system keeps for a student who has handed in."""
    return any(name == SETTINGS or _is_of("student", name) for name in names)


@dataclass(frozen=True)
class HandedIn:
    """What a student handed in last, a note about the rest, and what only the names of folders exclude."""

    own: Bundle
    notes: tuple[str, ...] = ()
    doubtful: tuple[Bundle, ...] = ()


def handed_in(bundle: Bundle, sources: Collection[str], *, keeps_parts: bool = False) -> HandedIn:
    """Return the files that a student handed in last, if a course system says which these are.

    Students give some of these names, too. Without a folder for what was handed in, one is the course's only if the
    course system `keeps_parts` for the class.

    Raises:
        NothingToGradeError: there are only files of the course, or the version that counts is missing.
    """
    around = _around(bundle.files)
    folders, top = _by_folder(bundle.files, around)
    version = _active_version(top, around)
    kept, reason = _folders_that_count(folders, version)
    if not kept and (not folders or not all(_is_of("course", folder) for folder in folders)):
        return HandedIn(bundle)
    work = _with_work(top, sources)
    if kept:
        others = [folder for folder in folders if folder not in kept]
        left = [*map(shown, [*others, *(base(file.path) for file in work)])]
        verb = "was graded" if len(kept) == 1 else "were searched"
        words = f"{listed([*map(shown, kept)])} {verb}, and not {listed_up_to(MAX_NAMED, left)}, {reason}"
        own = Bundle([file for folder in kept for file in folders[folder]], bundle.label, frozenset(kept))
        # An earlier version is known to be one.
        rest = [file for folder in others if not _is_of("course", folder) for file in folders[folder]]
        rivals = (Bundle([*work, *rest], bundle.label),) if version is None else ()
        return HandedIn(own, (words,) if left else (), rivals)
    course = f"{listed([*map(shown, folders)])} can only be from the course"
    files = [file for inside in folders.values() for file in inside]
    if not work and (
        keeps_parts or not _are_common(folders) or not any(may_be_work(base(file.path), sources) for file in files)
    ):
        raise _nothing(f"nothing was handed in, as {course}")
    if not work:
        return HandedIn(bundle)
    notes = (f"the top folder was graded, as {course}",)
    return HandedIn(Bundle(top, bundle.label), notes, (Bundle(files, bundle.label),))


def only_of_course(files: Sequence[File], sources: Collection[str]) -> str:
    """Return a doubt if all files are in folders that may be the course's; empty if others may be the student's."""
    folders, top = _by_folder(files, _around(files))
    are_course_s = bool(folders) and all(_is_of("course", folder) for folder in folders)
    if not are_course_s or not _are_common(folders) or _with_work(top, sources):
        return ""
    names = listed([*map(shown, folders)])
    return f"if the course has made {names}, nothing was handed in: then decide in {OVERRIDES_FILE}"


def _by_folder(files: Iterable[File], around: str) -> tuple[dict[str, list[File]], list[File]]:
    """Return the files of each folder, in the order of their numbers, and those at the top."""
    folders: dict[str, list[File]] = defaultdict(list)
    for file in files:
        folders[file.path[len(around) :].rpartition("/")[0].partition("/")[0]].append(file)
    top = folders.pop("", [])
    return {name: folders[name] for name in sorted(folders, key=lambda name: (series(name)[1], name))}, top


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


def _with_work(files: Iterable[File], sources: Collection[str]) -> list[File]:
    return [file for file in files if may_be_work(base(file.path), sources)]


def may_be_work(name: str, sources: Collection[str]) -> bool:
    """Return whether a student may have handed in a file of this name; course systems add files of other names."""
    is_like_one = name in sources or is_archive(name) or any(look_alike(source, [name]) for source in sources)
    return is_like_one and not is_left_behind(name)


def _is_of(owner: Literal["student", "course"], folder: str) -> bool:
    return any(getattr(parts, owner).fullmatch(folder) for parts in _PARTS)


def _are_common(folders: Iterable[str]) -> bool:
    """Return whether students may have called all these folders of the course like that."""
    return all(parts.common for folder in folders for parts in _PARTS if parts.course.fullmatch(folder))


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
