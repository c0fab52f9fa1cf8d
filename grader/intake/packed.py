"""A file in an archive. It is read where it lies: nothing is ever extracted, so no name in an archive is a path."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, BinaryIO, Protocol, cast

from grader.errors import GraderError
from grader.intake.bounds import CHUNK_BYTES, SPOOL_BYTES, STUDENT, ArchiveError
from grader.intake.files import size_problem
from grader.intake.names import base, shown
from grader.model.submission import Source, UnusableSource


class Packer(Protocol):
    """What knows how files lie in an archive of one kind."""

    def chunks(self, key: Any) -> Iterator[bytes]:  # noqa: ANN401 - what a kind of archive calls a place in it
        """Yield a file's bytes in pieces of at most CHUNK_BYTES.

        Raises:
            ArchiveError: they are damaged.
        """


@dataclass(frozen=True)
class PackedFile:
    """A file in an archive, of `size_bytes` if the archive is right; `problem` says why it is not to be read."""

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
        """Read it as a source, never more than the limit however much its archive makes of it."""
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

    @contextmanager
    def open(self) -> Iterator[BinaryIO]:
        """Open an archive in an archive: a copy, for as long as it is looked into."""
        STUDENT.check_unpacked(self.size_bytes)
        with spooled(self.packer.chunks(self.key), STUDENT.check_unpacked) as file:
            yield file


class _Check(Protocol):
    def __call__(self, size_bytes: int, /) -> None: ...


def spooled(chunks: Iterator[bytes], check: _Check) -> BinaryIO:
    """Return a temporary file of what the chunks hold, at its beginning; `check` is asked before it grows.

    Raises:
        ArchiveError: there is more than there may be, or it is damaged.
        GraderError: there is no room for it.
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
        raise GraderError(f"an archive cannot be unpacked: {error.strerror}") from error
    except BaseException:
        file.close()
        raise
    # It is one for all that is asked of it here.
    return cast("BinaryIO", file)


def pieces(size_bytes: int) -> Iterator[tuple[int, int]]:
    """Yield offset and size of each piece of so many bytes."""
    for offset in range(0, size_bytes, CHUNK_BYTES):
        yield offset, min(CHUNK_BYTES, size_bytes - offset)


def inside(name: str) -> tuple[str, str | None]:
    """Return a name in an archive as a path that stays inside, and what is wrong with the name."""
    parts = name.split("/")
    kept = [part for part in parts if part not in ("", ".", "..")]
    if "\0" in name:
        return "/".join(kept).replace("\0", ""), "has a zero byte in its name; pack it again"
    if ".." in parts or name.startswith("/") or (kept and kept[0][1:2] == ":"):
        words = f"is packed as {shown(name)}, a place outside of the archive; pack it again from inside its folder"
        return "/".join(kept), words
    return "/".join(kept), None
