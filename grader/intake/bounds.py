"""Limits on what an archive can make the grader read, hold and unpack, and a file that enforces them."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import BinaryIO

from grader.intake.names import shown

CHUNK_BYTES = 1 << 16
HEADER_BYTES = 1 << 16
"""Size limit for one file's headers in a tar: a path has 4,096 bytes, and the rest is for what macOS adds."""

SPOOL_BYTES = 8_000_000
"""Unpacked bytes that stay in memory; if there are more, they go to a temporary file without a name."""


class ArchiveError(Exception):
    """An archive cannot be used; the message follows its name: "is damaged (…); pack it again"."""


@contextmanager
def as_archive_error(where: str = "") -> Iterator[None]:
    """Turn what a library raises for a damaged archive into an ArchiveError; put only calls of the library inside.

    Raises:
        ArchiveError: the library raised something.
    """
    try:
        yield
    except (ArchiveError, OSError, MemoryError):
        raise
    except Exception as error:
        # zipfile and tarfile usually raise their own errors; made-up bytes may also cause others, like IndexError.
        raise ArchiveError(f"is damaged{where} ({shown(str(error))}); pack it again") from error


@dataclass(frozen=True)
class Bounds:
    """The limits for one archive.

    `directory_bytes` limits a zip's table of contents. `unpacked_bytes` limits what is unpacked of a .tar.gz and
    of an archive in an archive.
    """

    files: int
    directory_bytes: int
    unpacked_bytes: int

    def check_files(self, count: int) -> None:
        """Refuse too many files.

        Raises:
            ArchiveError: there are more.
        """
        if count > self.files:
            raise ArchiveError(f"holds more than {self.files:,} files; hand in the sources only")

    def check_unpacked(self, size_bytes: int) -> None:
        """Refuse too many unpacked bytes.

        Raises:
            ArchiveError: there are more.
        """
        if size_bytes > self.unpacked_bytes:
            raise ArchiveError(f"unpacks to more than {self.unpacked_bytes:,} bytes; hand in the sources only")


STUDENT = Bounds(files=10_000, directory_bytes=2_000_000, unpacked_bytes=100_000_000)
"""For an archive that a student packed: large enough for a dozen full-size inputs next to the sources."""

CLASS = Bounds(files=200_000, directory_bytes=64_000_000, unpacked_bytes=8_000_000_000)
"""For an archive of a class, which the course system or a teaching assistant packed."""


class BoundedFile(io.RawIOBase):
    """An archive for a library that trusts what archives claim: reading too much raises an ArchiveError.

    `left_bytes` may still be read. Closing this file leaves the underlying one open.
    """

    def __init__(self, file: BinaryIO, left_bytes: int) -> None:
        """Read from `file`, which must be seekable."""
        super().__init__()
        self._file = file
        self._end = file.seek(0, os.SEEK_END)
        file.seek(0)
        self.left_bytes = left_bytes

    def read(self, size: int = -1) -> bytes:
        """Read as many bytes as requested, or refuse; no memory is allocated for a size that is only claimed."""
        if size < 0:
            size = max(0, self._end - self._file.tell())
        if size > self.left_bytes:
            raise ArchiveError("is damaged, or made to use up the grader's memory; pack it again")
        data = self._file.read(size)
        self.left_bytes -= len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to an offset, in the file or at its end."""
        if whence == os.SEEK_SET and not 0 <= offset <= self._end:
            raise ArchiveError("is damaged or cut off; pack it again")
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the current offset."""
        return self._file.tell()
