"""The folders that the machine gives us: the current one, and the one for temporary files.

Both are tried here, so that a message names the folder instead of what failed in it.
"""

from __future__ import annotations

import errno
import os
import stat
import subprocess
import tempfile
from contextlib import suppress
from pathlib import Path

from grader.errors import GraderError, UsageError

NO_CURRENT_FOLDER = "the folder that you are in has been removed"
CURRENT_FOLDER_REMEDY = "enter `cd` and the path of another folder"

VARIABLES = ("TMPDIR", "TEMP", "TMP")
"""What names the folder, in the order in which Python's tempfile looks."""

DEFAULTS = ("/tmp", "/var/tmp")  # noqa: S108 - the system's own, in which files get names that nobody can guess

PROBE = b"#!/bin/sh\nexit 0\n"
PROBE_TIMEOUT_S = 20
NOEXEC = getattr(os, "ST_NOEXEC", 0)
FULL = (errno.ENOSPC, errno.EDQUOT)

_WORDS = {
    errno.ENOENT: "it does not exist",
    errno.ENOTDIR: "it is not a folder",
    errno.EACCES: "you may not write to it",
    errno.EPERM: "you may not write to it",
    errno.EROFS: "its disk is read-only",
}


def current_folder() -> Path | None:
    """Return the current folder, None if it has been removed."""
    try:
        return Path.cwd()
    except OSError:
        return None


def require_current_folder() -> None:
    """Make sure that there is a current folder.

    Raises:
        UsageError: it has been removed.
    """
    if current_folder() is None:
        raise UsageError(f"{NO_CURRENT_FOLDER}; {CURRENT_FOLDER_REMEDY}")


class NoTemporaryFolderError(GraderError):
    """Temporary files can be nowhere: `problem` says why, `remedy` what to do."""

    def __init__(self, problem: str, remedy: str) -> None:
        super().__init__(f"{problem}; {remedy}")
        self.problem = problem
        self.remedy = remedy


def temporary_root(*, runs_programs: bool = False) -> Path:
    """Return the folder for temporary files, as an absolute path; `runs_programs` if programs are started from it.

    What TMPDIR names is used or refused, because it was set for a reason. Otherwise it is the first of the system's
    folders that can be used.

    Raises:
        NoTemporaryFolderError: there is none.
    """
    what = "programs and temporary files" if runs_programs else "temporary files"
    remedy = f"set TMPDIR to a folder of yours on a disk that has space{' and runs programs' * runs_programs}"
    if runs_programs and runs_as_root():
        remedy += ", below no folder that is closed to other users"
    for variable in VARIABLES:
        if named := os.environ.get(variable):
            folder = _absolute(Path(named))
            if problem := folder_problem(folder, runs_programs=runs_programs):
                words = f"{what} cannot be in {folder}, which {variable} names: {problem}"
                raise NoTemporaryFolderError(words, remedy)
            return folder
    problems = []
    for folder in map(Path, DEFAULTS if os.name == "posix" else (tempfile.gettempdir(),)):
        problem = folder_problem(folder, runs_programs=runs_programs)
        if not problem:
            return folder
        problems.append(f"{folder} ({problem})")
    raise NoTemporaryFolderError(f"{what} cannot be in {' or '.join(problems)}", remedy)


def _absolute(path: Path) -> Path:
    try:
        return path.absolute()
    except FileNotFoundError:
        # The current folder was removed, and so is what is below it.
        return path


def folder_problem(folder: Path, *, runs_programs: bool) -> str:
    """Return why temporary files cannot be in a folder, or programs not be started there; empty if they can.

    Both are tried, because more than permissions and mounts can forbid them.
    """
    try:
        # Not tempfile.mkdtemp, which takes a folder that is closed to us for one that is in use, and tries for long.
        probe = folder / f"iolab-grader-probe-{os.urandom(8).hex()}"
        probe.mkdir(0o700)
    except OSError as error:
        return storage_words(error, folder)
    program = probe / "program"
    try:
        problem = _program_problem(program, folder, runs_programs=runs_programs)
        # Root's programs run as a user of their own, who may not pass where only root may.
        closed = first_closed_folder(folder) if runs_programs and runs_as_root() else None
        if not problem and closed is not None:
            return f"programs run as a separate user, who may not pass through {closed}"
        return problem
    finally:
        with suppress(OSError):
            program.unlink(missing_ok=True)
            probe.rmdir()


def _program_problem(program: Path, folder: Path, *, runs_programs: bool) -> str:
    try:
        program.write_bytes(PROBE)
        program.chmod(0o700)
    except OSError as error:
        return storage_words(error, folder)
    if not runs_programs:
        return ""
    if os.statvfs(folder).f_flag & NOEXEC:
        return "it is mounted noexec, so no program can be started from it"
    try:
        subprocess.run([program], check=False, timeout=PROBE_TIMEOUT_S, stdin=subprocess.DEVNULL, capture_output=True)
    except subprocess.TimeoutExpired:
        return "a program that is started from it does not end"
    except OSError as error:
        # A child of another thread has the new file open: that proves nothing.
        return "" if error.errno == errno.ETXTBSY else f"no program can be started from it ({error.strerror})"
    return ""


def runs_as_root() -> bool:
    """Return whether we are root, so that student code in the local sandbox has a uid of its own on this machine."""
    return hasattr(os, "geteuid") and os.geteuid() == 0


def first_closed_folder(folder: Path) -> Path | None:
    """Return the first folder of a path, also of where its links lead, that not every user may pass through."""
    paths = [path for end in (folder, folder.resolve()) for path in (*reversed(end.parents), end)]
    return next((path for path in paths if not path.stat().st_mode & stat.S_IXOTH), None)


def storage_words(error: OSError, folder: Path) -> str:
    """Return why nothing can be written to a folder, in words."""
    if error.errno in FULL:
        return no_space_words(folder)
    if error.errno == errno.ENOENT and folder.exists():
        return "it is not a place for files"
    return _WORDS.get(error.errno or 0, error.strerror or str(error))


def no_space_words(folder: Path) -> str:
    """Return what a folder's disk lacks if it is full: it may have space, but no inodes for more files."""
    if hasattr(os, "statvfs"):
        with suppress(OSError):
            found = os.statvfs(folder)
            if found.f_files and not found.f_favail and found.f_bavail:
                return "no inodes are left on the disk: it has too many files"
    return "no space is left on the disk, or in a quota"
