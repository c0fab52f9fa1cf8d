"""Folders of submissions, and the sources in them: untrusted, so looked at before they are read."""

from __future__ import annotations

import errno
import os
import stat
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError, UsageError
from grader.model.spec import Spec
from grader.model.submission import Source, Submission, UnusableSource

# Windows has neither; there the look at the file's kind before it is opened has to do.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)


RESERVED_NAMES = ("index.html", "grades.csv")
"""What the output folder holds beside the submissions' folders."""


NAME_BYTES = 200
"""File systems take 255."""


@dataclass(frozen=True)
class Found:
    """A submission's folder, and the name that its results go by."""

    name: str
    folder: Path


def find_submissions(paths: Sequence[Path], spec: Spec, *, leave_out: Path | None = None) -> list[Found]:
    """Return the submissions at the paths, each of which is one submission or a folder of them, sorted by name.

    A folder that holds one of the lab's sources is a submission. Otherwise each folder in it is one; files beside
    them, hidden folders and links are none. Where several paths are given, one that holds neither is a submission
    without sources. Two of one name are told apart by a number; the same folder counts once. `leave_out` is the
    folder for results, which may lie among the submissions but not be one.

    Raises:
        UsageError: a path is not there, is no folder, holds nothing to grade, or is where results are to go.
    """
    results = leave_out.resolve() if leave_out is not None else None
    folders: dict[Path, Path] = {}
    for path in paths:
        if results is not None and path.resolve() == results:
            raise UsageError(f"{path} is where the submissions are; choose another folder for results")
        for folder in _folders(path, spec, alone=len(paths) == 1):
            folders.setdefault(folder.resolve(), folder)
    folders.pop(results or Path(), None)
    inside = next((folder for real, folder in folders.items() if real.parent == results), None)
    if inside is not None:
        raise UsageError(f"results would be written into {inside}; choose another folder for results")
    if not folders:
        raise UsageError(f"nothing to grade: {leave_out} is where results go")
    taken = {name.casefold() for name in RESERVED_NAMES}
    # The root folder has no name.
    return [Found(_free_name(_readable(real.name or "root"), taken), folder) for real, folder in folders.items()]


def _folders(path: Path, spec: Spec, *, alone: bool) -> list[Path]:
    try:
        mode = path.stat().st_mode
    except FileNotFoundError as error:
        raise UsageError(f"{path} does not exist") from error
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    if not stat.S_ISDIR(mode):
        raise UsageError(f"{path} is not a folder; give a submission's folder, or a folder of such folders")
    sources = [program.source for program in spec.programs.values()]
    try:
        if any(os.path.lexists(path / source) for source in sources):
            return [path]
        inside = sorted(entry.name for entry in os.scandir(path) if entry.is_dir(follow_symlinks=False))
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    folders = [path / name for name in inside if not name.startswith((".", "__"))]
    if not folders and not alone:
        return [path]
    if not folders:
        raise UsageError(
            f"nothing to grade in {path}: neither {' nor '.join(sources)}, nor folders that may hold them"
        )
    return folders


def _readable(name: str) -> str:
    # A name may hold bytes that are no UTF-8, which no report can hold: they become \xNN.
    text = os.fsencode(name).decode("utf-8", "backslashreplace")
    # It then may be too long for a folder of results, and a number may have to follow.
    return text.encode("utf-8")[:NAME_BYTES].decode("utf-8", "ignore")


def _free_name(wanted: str, taken: set[str]) -> str:
    name, number = wanted, 2
    while name.casefold() in taken:
        name, number = f"{wanted}-{number}", number + 1
    taken.add(name.casefold())
    return name


def read_submission(found: Found, spec: Spec) -> Submission:
    """Read the sources of a submission.

    Raises:
        GraderError: the grader may not read a file that is there.
    """
    return Submission(
        name=found.name,
        sources={
            name: _read_source(found.folder, program.source, spec.limits.source_bytes)
            for name, program in spec.programs.items()
        },
    )


def _read_source(folder: Path, name: str, limit_bytes: int) -> Source | UnusableSource:
    path = folder / name
    try:
        if path.is_symlink():
            return UnusableSource(f"{name} is a symbolic link; hand in the file itself")
        descriptor = os.open(path, _OPEN_FLAGS)
    except FileNotFoundError:
        return UnusableSource(f"{name} is missing{_misnamed(folder, name)}")
    except OSError as error:
        # A socket, or a link that came between the look and the opening.
        if error.errno in (errno.ENXIO, errno.ELOOP):
            return UnusableSource(f"{name} is not a regular file")
        raise GraderError(f"{path} cannot be read: {error.strerror}") from error
    try:
        status = os.fstat(descriptor)
        problem = _problem(status.st_mode, status.st_size, limit_bytes)
        if problem is not None:
            return UnusableSource(f"{name} {problem}")
        # Only now: Python refuses to make a file of a folder's descriptor.
        with os.fdopen(descriptor, "rb", closefd=False) as file:
            return Source(file.read(limit_bytes))
    finally:
        os.close(descriptor)


def _problem(mode: int, size_bytes: int, limit_bytes: int) -> str | None:
    if not stat.S_ISREG(mode):
        return f"is {_kind(mode)}, not a regular file"
    if size_bytes > limit_bytes:
        return f"has {size_bytes:,} bytes; a source may have {limit_bytes:,}"
    return None if size_bytes else "is empty"


def _misnamed(folder: Path, name: str) -> str:
    try:
        names = sorted(entry.name for entry in folder.iterdir())
    except OSError as error:
        raise GraderError(f"{folder} cannot be read: {error.strerror}") from error
    near = next((other for other in names if other.casefold() == name.casefold()), None)
    if near is None:
        return ""
    return f". The folder has {near}: rename it to {name} (capital and small letters are different names)"


def _kind(mode: int) -> str:
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"), (stat.S_ISSOCK, "a socket"))
    return next((words for test, words in kinds if test(mode)), "a device")
