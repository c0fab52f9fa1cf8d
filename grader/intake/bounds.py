"""How much an archive may make the grader read, hold and unpack; and a file that holds its reader to it."""

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
"""Of one file's headers in a tar: a path has 4,096 bytes, the rest is for what macOS adds."""

SPOOL_BYTES = 8_000_000
"""Of what is unpacked stays in memory; the rest goes to a temporary file without a name."""


class ArchiveError(Exception):
    """An archive cannot be used; the words follow its name: "is damaged (…); pack it again"."""


@contextmanager
def as_archive_error(where: str = "") -> Iterator[None]:
    """Have whatever a library raises of bytes that are no archive told as that; only calls of the library go inside.

    Raises:
        ArchiveError: the library raised something.
    """
    try:
        yield
    except (ArchiveError, OSError, MemoryError):
        raise
    except Exception as error:
        # zipfile and tarfile mean to raise their own errors; of made-up bytes it may be an IndexError as well.
        raise ArchiveError(f"is damaged{where} ({shown(str(error))}); pack it again") from error


@dataclass(frozen=True)
class Bounds:
    """What an archive may have.

    `directory_bytes`: of a zip's table of contents. `unpacked_bytes`: of a .tar.gz, and of an archive in an archive.
    """

    files: int
    directory_bytes: int
    unpacked_bytes: int

    def check_files(self, count: int) -> None:
        """Refuse more files than there may be.

        Raises:
            ArchiveError: there are more.
        """
        if count > self.files:
            raise ArchiveError(f"holds more than {self.files:,} files; hand in the sources only")

    def check_unpacked(self, size_bytes: int) -> None:
        """Refuse more bytes than may be unpacked.

        Raises:
            ArchiveError: there are more.
        """
        if size_bytes > self.unpacked_bytes:
            raise ArchiveError(f"unpacks to more than {self.unpacked_bytes:,} bytes; hand in the sources only")


STUDENT = Bounds(files=10_000, directory_bytes=2_000_000, unpacked_bytes=100_000_000)
"""For what a student packed: room for a dozen full-size inputs beside the sources."""

CLASS = Bounds(files=200_000, directory_bytes=64_000_000, unpacked_bytes=8_000_000_000)
"""For the class, which the course system packed, or a teaching assistant."""


class BoundedFile(io.RawIOBase):
    """An archive for a library that believes what archives say: whoever asks for too much gets an ArchiveError.

    `left_bytes` is what may still be read. Closing it leaves the file below open.
    """

    def __init__(self, file: BinaryIO, left_bytes: int) -> None:
        """Read from `file`, which can be read at any place."""
        super().__init__()
        self._file = file
        self._end = file.seek(0, os.SEEK_END)
        file.seek(0)
        self.left_bytes = left_bytes

    def read(self, size: int = -1) -> bytes:
        """Read all that is asked for, or refuse; nothing is allocated for a size that only an archive claims."""
        if size < 0:
            size = max(0, self._end - self._file.tell())
        if size > self.left_bytes:
            raise ArchiveError("is damaged, or made to use up the grader's memory; pack it again")
        data = self._file.read(size)
        self.left_bytes -= len(data)
        return data

    def seek(self, offset: int, whence: int = os.SEEK_SET) -> int:
        """Go to a place, in the file or at its end."""
        if whence == os.SEEK_SET and not 0 <= offset <= self._end:
            raise ArchiveError("is damaged or cut off; pack it again")
        return self._file.seek(offset, whence)

    def tell(self) -> int:
        """Return the place."""
        return self._file.tell()

    def seekable(self) -> bool:
        """Say that it can be read at any place."""
        return True
