"""Temporary folders that student code writes to."""

from __future__ import annotations

import errno
import fcntl
import logging
import os
import stat
import subprocess
import tempfile
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

from grader.errors import SandboxError
from grader.intake.names import shown
from grader.machine_folders import (
    FULL,
    NoTemporaryFolderError,
    folder_problem,
    no_space_words,
    storage_words,
    temporary_root,
)
from grader.model.visible import readable

log = logging.getLogger(__name__)

LOCK = ".lock"
"""A file in the folder of a running grader, which holds a lock on it. The kernel ends the lock with the process."""

ROOM = "remove something there, or set TMPDIR to a folder with more"

STARTING_S = 60
"""More seconds than pass between making this file and locking it."""


@contextmanager
def temporary_folder(prefix: str, parent: Path) -> Iterator[Path]:
    """Make a folder and remove it afterwards, whatever programs did to it meanwhile.

    Raises:
        SandboxError: it cannot be made; the message says what is wrong with the disk.
    """
    try:
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
    except OSError as error:
        raise SandboxError(
            f"temporary files cannot be in {parent}: {storage_words(error, parent)}; {ROOM}"
        ) from error
    try:
        yield folder
    finally:
        try:
            remove_tree(folder)
        except KeyboardInterrupt:
            # Ctrl-C may come while the folder is being removed, which must be finished all the same.
            remove_tree(folder)
            raise


def program_root() -> Path:
    """Return the folder for the temporary folders that programs run in.

    Raises:
        NoTemporaryFolderError: there is none, or its path is not UTF-8, and guests get paths as JSON.
    """
    root = temporary_root(runs_programs=True)
    if readable(str(root)) != str(root):
        raise NoTemporaryFolderError(
            f"temporary files cannot be in {shown(str(root))}, whose name is not UTF-8",
            "set TMPDIR to another folder",
        )
    return root


def require_writable(folder: Path) -> None:
    """Make sure that programs can write to a folder that was not chosen here; none is started from it.

    Raises:
        SandboxError: they cannot.
    """
    if problem := folder_problem(folder, runs_programs=False):
        raise SandboxError(f"programs cannot write to {folder}: {problem}")


@contextmanager
def locked_folder(prefix: str) -> Iterator[Path]:
    """Make a temporary folder. If this process is killed, the next one that calls this removes it."""
    root = program_root()
    _remove_abandoned(root, prefix)
    with temporary_folder(prefix, root) as folder:
        with naming_the_full_disk(folder):
            lock = os.open(folder / LOCK, os.O_RDONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
        try:
            fcntl.flock(lock, fcntl.LOCK_SH)
            yield folder
        finally:
            os.close(lock)


def _remove_abandoned(root: Path, prefix: str) -> None:
    """Remove folders of ours on whose file nobody holds a lock."""
    for folder in root.glob(f"{prefix}*"):
        # Somebody else may have made or removed it.
        with suppress(OSError):
            if _is_ours(folder.lstat()) and _is_unlocked(folder / LOCK):
                log.info("removing %s, which a killed grader left", folder)
                remove_tree(folder)


def _is_ours(found: os.stat_result) -> bool:
    return stat.S_ISDIR(found.st_mode) and found.st_uid == os.geteuid()


def _is_unlocked(path: Path) -> bool:
    descriptor = os.open(path, os.O_RDONLY | os.O_NOFOLLOW | os.O_NONBLOCK | os.O_CLOEXEC)
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)
        return time.time() - os.fstat(descriptor).st_mtime > STARTING_S
    finally:
        os.close(descriptor)


def remove_tree(folder: Path) -> None:
    """Remove a folder that may be thousands of folders deep, and closed to its owner.

    The system's own tools do it, because shutil.rmtree calls itself for each level. If it fails, a warning in the log
    is enough: it says nothing about a submission.
    """
    # The user's search path may be empty.
    path = os.pathsep.join(filter(None, (os.defpath, os.environ.get("PATH"))))
    tools = {**os.environ, "PATH": path}
    with suppress(FileNotFoundError):
        for command in (["rm", "-rf", "--"], ["chmod", "-R", "u+rwx", "--"], ["rm", "-rf", "--"]):
            # In its own session, because Ctrl-C in the terminal must reach only the grader.
            subprocess.run([*command, folder], capture_output=True, check=False, start_new_session=True, env=tools)
            if not folder.exists():
                return
    log.warning("%s could not be removed", folder)


@contextmanager
def naming_the_full_disk(folder: Path) -> Iterator[None]:
    """Turn the error of a full disk into one that says which disk it is and what to do.

    Raises:
        SandboxError: no space is left.
    """
    try:
        yield
    except OSError as error:
        if error.errno not in FULL:
            raise
        raise SandboxError(
            f"{no_space_words(folder.parent)}, for temporary files in {folder.parent}: {ROOM}"
        ) from error


def require_space(folder: Path, size_bytes: int) -> None:
    """Make sure that there is space for so many bytes, by taking it: statvfs does not know about quotas.

    Raises:
        OSError: there is too little.
    """
    with tempfile.TemporaryFile(dir=folder) as file:
        try:
            os.posix_fallocate(file.fileno(), 0, size_bytes)
        except OSError as error:
            # Not every file system supports this; on those, a later write fails.
            if error.errno not in (errno.EOPNOTSUPP, errno.EINVAL):
                raise
