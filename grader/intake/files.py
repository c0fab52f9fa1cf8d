"""Files of a submission on disk; `packed.py` has those in archives."""

from __future__ import annotations

import errno
import os
import stat
from contextlib import AbstractContextManager, suppress
from dataclasses import dataclass
from typing import BinaryIO, Protocol

from grader.errors import GraderError
from grader.intake.names import base, shown
from grader.model.submission import Source, UnusableSource

# Windows lacks these flags; there only the check for a link before opening protects the grader.
_OPEN_FLAGS = os.O_RDONLY | getattr(os, "O_NOFOLLOW", 0) | getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)
_NOT_REGULAR = (errno.ENXIO, errno.ELOOP)


class File(Protocol):
    """A file as a student handed it in."""

    @property
    def path(self) -> str:
        """Its path in the submission: names with slashes between them, never above it."""

    @property
    def regular(self) -> bool:
        """Whether it can be read at all: it is not a link, a pipe, a folder or encrypted."""

    def read(self, limit_bytes: int) -> Source | UnusableSource:
        """Read a source of at most so many bytes, or return why it cannot be used.

        Raises:
            GraderError: the grader has no permission to read it.
        """

    def begin(self, size_bytes: int) -> bytes:
        """Return its first bytes, none if it cannot be read."""

    def open(self) -> AbstractContextManager[BinaryIO]:
        """Open an archive for reading at any offset; it must be a regular file.

        Raises:
            GraderError: the grader has no permission to read it.
            ArchiveError: it is in an archive and cannot be read there.
        """


@dataclass(frozen=True)
class DiskFile:
    """A file on disk, of which nothing was read yet."""

    path: str
    disk_path: str
    regular: bool = True

    def read(self, limit_bytes: int) -> Source | UnusableSource:
        """Read it as a regular file of a sensible size, without following a link or waiting for a pipe."""
        name = shown(base(self.path))
        if os.path.islink(self.disk_path):  # noqa: PTH114 - this runs for each file of a class
            return UnusableSource(f"{name} is a symbolic link; hand in the file itself")
        try:
            descriptor = os.open(self.disk_path, _OPEN_FLAGS)
        except OSError as error:
            # A socket, or a link that was made between the check and the opening.
            if error.errno in _NOT_REGULAR:
                return UnusableSource(f"{name} is not a regular file")
            raise _unreadable(self.disk_path, error) from error
        try:
            return _read_descriptor(descriptor, name, limit_bytes)
        except OSError as error:
            raise _unreadable(self.disk_path, error) from error
        finally:
            os.close(descriptor)

    def begin(self, size_bytes: int) -> bytes:
        """Return its first bytes, none if it cannot be read."""
        with suppress(GraderError, OSError), self.open() as file:
            return file.read(size_bytes)
        return b""

    def open(self) -> BinaryIO:
        """Open it, without following a link."""
        try:
            return os.fdopen(os.open(self.disk_path, _OPEN_FLAGS), "rb")
        except OSError as error:
            raise _unreadable(self.disk_path, error) from error


def _unreadable(disk_path: str, error: OSError) -> GraderError:
    return GraderError(f"{shown(disk_path)} cannot be read: {error.strerror}")


def _read_descriptor(descriptor: int, name: str, limit_bytes: int) -> Source | UnusableSource:
    status = os.fstat(descriptor)
    if not stat.S_ISREG(status.st_mode):
        return UnusableSource(f"{name} is {_kind(status.st_mode)}, not a regular file")
    problem = size_problem(status.st_size, limit_bytes)
    if problem is not None:
        return UnusableSource(f"{name} {problem}")
    # Not earlier, because Python refuses to make a file object of a folder's descriptor.
    with os.fdopen(descriptor, "rb", closefd=False) as file:
        return Source(file.read(limit_bytes))


def size_problem(size_bytes: int, limit_bytes: int) -> str | None:
    """Return what is wrong with a source of this size, None if nothing is."""
    if size_bytes > limit_bytes:
        return f"has {size_bytes:,} bytes; a source may have {limit_bytes:,}"
    return None if size_bytes else "is empty"


def _kind(mode: int) -> str:
    # A socket cannot even be opened.
    kinds = ((stat.S_ISDIR, "a folder"), (stat.S_ISFIFO, "a named pipe"))
    return next((words for test, words in kinds if test(mode)), "a device")
