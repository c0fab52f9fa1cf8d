"""Files in archives. They are read there and never extracted, so no name in an archive is used as a path on disk."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol, cast

from grader.errors import GraderError
from grader.intake.bounds import CHUNK_BYTES, SPOOL_BYTES, STUDENT, ArchiveError
from grader.intake.files import size_problem
from grader.intake.names import base, shown
from grader.machine_folders import storage_words, temporary_root
from grader.model.submission import Source, UnusableSource


class Packer(Protocol):
    """Reads the files in an archive of one kind; `folders` are those that it names, known once it is listed."""

    folders: list[str]

    def chunks(self, key: Any) -> Iterator[bytes]:  # noqa: ANN401 - each kind of archive has its own
        """Yield a file's bytes in pieces of at most CHUNK_BYTES.

        Raises:
            ArchiveError: they are damaged.
        """


@dataclass(frozen=True)
class PackedFile:
    """A file in an archive, which claims that it has `size_bytes`; `problem` says why it cannot be used."""

    path: str
    size_bytes: int
    packer: Packer
    key: Any
    problem: str | None = None

    @property
    def regular(self) -> bool:
        """Whether it can be read."""
        return self.problem is None

    def read(self, limit_bytes: int) -> Source | UnusableSource:
        """Read it as a source, and little more than the limit, even if the archive claims less than there is."""
        problem = self.problem or size_problem(self.size_bytes, limit_bytes)
        if problem is None:
            data = bytearray()
            try:
                for chunk in self.packer.chunks(self.key):
                    data += chunk
                    if len(data) > limit_bytes:
                        break
                problem = size_problem(len(data), limit_bytes)
            except ArchiveError as error:
                problem = f"{error}"
            if problem is None:
                return Source(bytes(data))
        return UnusableSource(f"{shown(base(self.path))} {problem}")

    def begin(self, size_bytes: int) -> bytes:
        """Return its first bytes, without unpacking the rest; none if it cannot be read."""
        data = b""
        with suppress(ArchiveError, OSError):
            for chunk in self.packer.chunks(self.key) if self.regular else ():
                data += chunk
                if len(data) >= size_bytes:
                    break
        return data[:size_bytes]

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open an archive in an archive: unpack it into a temporary file, which is removed afterwards."""
        STUDENT.check_unpacked(self.size_bytes)
        with spooled(self.packer.chunks(self.key), STUDENT.check_unpacked) as file:
            yield file


class _Check(Protocol):
    def __call__(self, size_bytes: int, /) -> None: ...


def spooled(chunks: Iterator[bytes], check: _Check) -> BinaryIO:
    """Write chunks to a temporary file and return it, at its beginning; `check` gets its size before it grows.

    Raises:
        ArchiveError: there are too many bytes, or they are damaged.
        GraderError: the disk is full.
    """
    file = tempfile.SpooledTemporaryFile(max_size=SPOOL_BYTES)  # noqa: SIM115 - the caller closes it
    size_bytes = 0
    try:
        for chunk in chunks:
            size_bytes += len(chunk)
            check(size_bytes)
            file.write(chunk)
        file.seek(0)
    except OSError as error:
        file.close()
        problem = storage_words(error, temporary_root())
        raise GraderError(
            f"an archive cannot be unpacked into temporary files: {problem}; set TMPDIR to a folder with more space"
        ) from error
    except BaseException:
        file.close()
        raise
    # It is not a BinaryIO by type, but has all methods that are used here.
    return cast("BinaryIO", file)


def pieces(size_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield offset and size of the pieces in which a file of this size is read."""
    for offset in range(0, size_bytes, CHUNK_BYTES):
        yield offset, min(CHUNK_BYTES, size_bytes - offset)


def inside(name: str) -> tuple[str, str | None]:
    """Return a name in an archive as a path that stays inside it, and what is wrong with the name, if anything."""
    parts = name.split("/")
    kept = [part for part in parts if part not in ("", ".", "..")]
    if "\0" in name:
        return "/".join(kept).replace("\0", ""), "has a zero byte in its name; pack it again"
    if ".." in parts or name.startswith("/") or (kept and kept[0][1:2] == ":"):
        words = f"is packed as {shown(name)}, a place outside of the archive; pack it again from inside its folder"
        return "/".join(kept), words
    return "/".join(kept), None
