"""Space on the disk: output that a full disk cuts short is our fault and not the student's."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BUILD_BYTES = 4 << 20
"""More than compiling and linking a lab's program takes."""

PROBE_BYTES = 16384
"""More than is left after a write was refused."""


class NoSpaceError(Exception):
    """The disk, or somebody's share of it, is full."""


def is_full(error: OSError) -> bool:
    """Return whether a call failed because the disk or a quota is full."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def naming_the_full_disk(path: str) -> Iterator[None]:
    """Name the path that did not fit on a full disk, because the error of a write does not.

    Raises:
        NoSpaceError: it is full.
    """
    try:
        yield
    except OSError as error:
        _raise_if_full(error, path)
        raise


def require_space(folder: str, size_bytes: int) -> None:
    """Make sure that a folder of ours has space for so many bytes, by taking it: statvfs does not know about quotas.

    Raises:
        NoSpaceError: it does not.
    """
    path = os.path.join(folder, ".space")
    with naming_the_full_disk(folder):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size_bytes)
    except OSError as error:
        # Not every file system supports this; on those, a later write fails.
        _raise_if_full(error, folder)
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(path)


def _raise_if_full(error: OSError, folder: str) -> None:
    if is_full(error):
        raise NoSpaceError(no_space(folder)) from error


def no_space(folder: str) -> str:
    """Say what is wrong and what to do: there may be space, but no inodes for more files."""
    lack = "no space is left on the disk, or in a quota,"
    with suppress(OSError):
        found = os.statvfs(folder)
        if found.f_files and not found.f_favail and found.f_bavail:
            lack = "no inodes are left on the disk, which has too many files,"
    return f"{lack} for {folder}: remove something, or set TMPDIR, unless a program of the submission fills it"
