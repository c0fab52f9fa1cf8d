"""Tar archives, plain or gzipped. Python's tarfile reads only headers, through a BoundedFile, and not the files."""

from __future__ import annotations

import re
import tarfile
import threading
import zlib
from collections.abc import Iterator
from typing import BinaryIO

from grader.intake.bounds import CHUNK_BYTES, HEADER_BYTES, ArchiveError, BoundedFile, Bounds, as_archive_error
from grader.intake.packed import PackedFile, inside, pieces, spooled

# Python before 3.11.10 searches a run of digits in a header in quadratic time.
_DIGITS = re.compile(rb"\d{64}")
_AVERAGE_BYTES = 2048
"""Average size of a file's headers: one block, or four with a pax header."""

_GZIP = 31
"""Value of zlib's `wbits` for a stream with gzip's header."""

_GZIP_MARK = b"\x1f\x8b"

Extent = tuple[int, int]
"""Offset and size of a file's bytes."""


class TarPacker:
    """An open tar archive."""

    def __init__(self, file: BinaryIO, bounds: Bounds) -> None:
        """Read from `file`, which must stay open as long as files are read."""
        self._file = file
        self._bounds = bounds
        self._lock = threading.Lock()
        self.folders: list[str] = []

    def files(self) -> Iterator[PackedFile]:
        """Yield its files, in the order of the archive.

        Raises:
            ArchiveError: it is damaged or too large.
        """
        for count, info in enumerate(_headers(self._file, self._bounds), start=1):
            self._bounds.check_files(count)
            path, problem = inside(info.name)
            if info.isdir():
                self.folders += [path] if problem is None else []
            else:
                yield PackedFile(path, info.size, self, (info.offset_data, info.size), problem or _problem(info))

    def chunks(self, key: Extent) -> Iterator[bytes]:
        """Yield a file's bytes."""
        start, size_bytes = key
        for offset, piece_bytes in pieces(size_bytes):
            with self._lock:
                self._file.seek(start + offset)
                chunk = self._file.read(piece_bytes)
            if len(chunk) < piece_bytes:
                raise ArchiveError("is cut off in its archive; pack it again")
            yield chunk


class _Forgetful(tarfile.TarFile):
    members: list[tarfile.TarInfo]


class _Headers(BoundedFile):
    def read(self, size: int = -1) -> bytes:
        data = super().read(size)
        if _DIGITS.search(data):
            raise ArchiveError("is damaged (a number of 64 digits in a header); pack it again")
        return data


def _headers(file: BinaryIO, bounds: Bounds) -> Iterator[tarfile.TarInfo]:
    bounded = _Headers(file, HEADER_BYTES)
    left_bytes = bounds.files * _AVERAGE_BYTES
    with as_archive_error():
        # This reads the first header.
        archive = _Forgetful(fileobj=bounded, encoding="utf-8", errors="surrogateescape")
    while (info := _next(archive)) is not None:
        left_bytes -= HEADER_BYTES - bounded.left_bytes
        if left_bytes < 0:
            raise ArchiveError("is damaged, or made to use up the grader's time; pack it again")
        yield info
        # Otherwise it would keep all of them.
        archive.members.clear()
        bounded.left_bytes = HEADER_BYTES


def _next(archive: tarfile.TarFile) -> tarfile.TarInfo | None:
    with as_archive_error():
        return archive.next()


def _problem(info: tarfile.TarInfo) -> str | None:
    if info.issym() or info.islnk():
        return "is a link in its archive; hand in the file itself"
    if info.issparse():
        return "is packed with holes; pack it again without"
    return None if info.isreg() else "is not a regular file; hand in the file itself"


def gunzipped(file: BinaryIO, bounds: Bounds) -> BinaryIO:
    """Unpack a gzipped file into a temporary file, so that a tar can be read at any offset.

    Raises:
        ArchiveError: it is damaged or too large.
    """
    return spooled(_inflated(file, bounds), bounds.check_unpacked)


def _inflated(file: BinaryIO, bounds: Bounds) -> Iterator[bytes]:
    """Yield the bytes of a gzipped file, which may have several members, as pigz and `cat a.gz b.gz` make them."""
    data = file.read(CHUNK_BYTES)
    members = 0
    while data.startswith(_GZIP_MARK):
        members += 1
        # Each costs time, even if it is empty.
        bounds.check_files(members)
        # The module gzip would read the text of a header byte by byte.
        inflate = zlib.decompressobj(_GZIP)
        while not inflate.eof:
            with as_archive_error():
                piece = inflate.decompress(data, CHUNK_BYTES)
            yield piece
            data = inflate.unconsumed_tail or inflate.unused_data
            if not data and not (data := file.read(CHUNK_BYTES)) and not inflate.eof:
                raise ArchiveError("is cut off; pack it again")
        while not (data := data.lstrip(b"\0")) or len(data) < len(_GZIP_MARK):
            # Tapes, and what imitates them, fill the last block with zeros.
            more = file.read(CHUNK_BYTES)
            if not more:
                return
            data += more
