"""Space on the disk: what a full one cuts short is our fault and no student's."""

from __future__ import annotations

import errno
import os
from collections.abc import Iterator
from contextlib import contextmanager, suppress

BUILD_BYTES = 4 << 20
"""More than compiling and linking a lab's program takes."""

PROBE_BYTES = 16384
"""More than is left where a write was refused."""


class NoSpaceError(Exception):
    """The disk, or somebody's share of it, is full."""


def is_full(error: OSError) -> bool:
    """Return whether this is what made a call fail."""
    return error.errno in (errno.ENOSPC, errno.EDQUOT)


@contextmanager
def naming_what_is_full(path: str) -> Iterator[None]:
    """Tell of a full disk with the path that did not fit: the error of a write does not say which it was.

    Raises:
        NoSpaceError: it is full.
    """
    try:
        yield
    except OSError as error:
        _tell(error, path)
        raise


def expect_space(folder: str, size_bytes: int) -> None:
    """Make sure that a folder of ours has space for so many bytes. By taking it, as no figure knows of quotas.

    Raises:
        NoSpaceError: it has not.
    """
    path = os.path.join(folder, ".space")
    with naming_what_is_full(folder):
        descriptor = os.open(path, os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_CLOEXEC, 0o600)
    try:
        os.posix_fallocate(descriptor, 0, size_bytes)
    except OSError as error:
        # Not every file system can say; then a write will.
        _tell(error, folder)
    finally:
        os.close(descriptor)
        with suppress(FileNotFoundError):
            os.unlink(path)


def _tell(error: OSError, folder: str) -> None:
    if is_full(error):
        raise NoSpaceError(no_space(folder)) from error


def no_space(folder: str) -> str:
    """Say what is wrong and what to do."""
    return f"no space is left on the disk, or in a quota, for {folder}: remove what is not needed, or set TMPDIR"
