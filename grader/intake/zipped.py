"""Zip archives. Python's zipfile trusts what an archive claims, so it reads through a BoundedFile."""

from __future__ import annotations

import contextlib
import stat
import threading
import zipfile
from collections.abc import Iterator
from typing import IO, BinaryIO

from grader.intake.bounds import CHUNK_BYTES, BoundedFile, Bounds, as_archive_error
from grader.intake.packed import PackedFile, inside

_ENTRY = b"PK\x01\x02"
_ENCRYPTED = 0x1
_UTF8 = 0x800
_TAIL_BYTES = (1 << 16) + 1000
"""Size of what follows the table of contents, with the longest comment."""


class ZipPacker:
    """An open zip archive."""

    def __init__(self, file: BinaryIO, bounds: Bounds) -> None:
        """Read its table of contents.

        Raises:
            ArchiveError: it is damaged or too large.
        """
        bounded = _Counted(file, bounds)
        with as_archive_error():
            self._zip = zipfile.ZipFile(bounded)
        # From here on only chosen files are read, up to the limit of their size.
        bounded.unbind()
        self._lock = threading.Lock()
        self.folders: list[str] = []

    def files(self) -> Iterator[PackedFile]:
        """Yield its files, in the order of the archive."""
        for info in self._zip.infolist():
            name = _name(info)
            path, problem = inside(name.rstrip("/"))
            if name.endswith("/"):
                self.folders += [path] if problem is None else []
            else:
                yield PackedFile(path, info.file_size, self, info, problem or _problem(info))

    def chunks(self, key: zipfile.ZipInfo) -> Iterator[bytes]:
        """Yield a file's bytes."""
        with as_archive_error(" in its archive"), self._lock:
            file = self._zip.open(key)
        with file:
            while chunk := _read(file):
                yield chunk


def _read(file: IO[bytes]) -> bytes:
    with as_archive_error(" in its archive"):
        return file.read(CHUNK_BYTES)


class _Counted(BoundedFile):
    """Counts entries before zipfile makes an object of each, which turns 46 bytes into a thousand."""

    def __init__(self, file: BinaryIO, bounds: Bounds) -> None:
        super().__init__(file, 2 * _TAIL_BYTES + bounds.directory_bytes)
        self._bounds: Bounds | None = bounds

    def unbind(self) -> None:
        self._bounds = None

    def read(self, size: int = -1) -> bytes:
        if self._bounds is None:
            return self._file.read(size)
        data = super().read(size)
        self._bounds.check_files(data.count(_ENTRY))
        return data


def _name(info: zipfile.ZipInfo) -> str:
    name = info.orig_filename
    if not info.flag_bits & _UTF8:
        # macOS and many others write UTF-8 without saying so.
        with contextlib.suppress(UnicodeError):
            name = name.encode("cp437").decode("utf-8")
    # Some Windows programs write a backslash, although the format requires a slash.
    return name.replace("\\", "/")


def _problem(info: zipfile.ZipInfo) -> str | None:
    # The upper half is the mode, if the archive was made on Unix.
    kind = stat.S_IFMT(info.external_attr >> 16)
    if kind == stat.S_IFLNK:
        return "is a symbolic link; hand in the file itself"
    if kind not in (0, stat.S_IFREG):
        return "is not a regular file; hand in the file itself"
    if info.flag_bits & _ENCRYPTED:
        return "is encrypted; pack it again without a password"
    # Other methods may need gigabytes of memory for a few bytes.
    if info.compress_type not in (zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED):
        return f"is packed by method {info.compress_type}, which is not zip's usual one; pack it again"
    return None
