"""Archives, recognized by their first bytes: many a .tgz is a plain tar, because browsers unpack what they load."""

from __future__ import annotations

import weakref
from typing import BinaryIO

from grader.intake.bounds import ArchiveError, Bounds
from grader.intake.packed import PackedFile
from grader.intake.tarred import TarPacker, gunzipped
from grader.intake.zipped import ZipPacker

_TAR_MARK, _TAR_MARK_AT = b"ustar", 257
_LOOK_BYTES = 512
_ZIP, _GZIP = b"PK", b"\x1f\x8b"
_OTHERS = {
    b"Rar!": "a rar archive",
    b"7z\xbc\xaf": "a 7z archive",
    b"\xfd7zXZ": "an xz archive",
    b"BZh": "a bzip2 archive",
    b"\x28\xb5\x2f\xfd": "a zstd archive",
}


def files_of(file: BinaryIO, bounds: Bounds) -> list[PackedFile]:
    """Return the files of an open archive; they can be read while it is open.

    Raises:
        ArchiveError: it is not of a supported kind, is damaged, or is too large.
    """
    file.seek(0)
    head = file.read(_LOOK_BYTES)
    file.seek(0)
    if head.startswith(_ZIP):
        return list(ZipPacker(file, bounds).files())
    if not head.startswith(_GZIP):
        return _tar_files(TarPacker(file, bounds), head)
    unpacked = gunzipped(file, bounds)
    head = unpacked.read(_LOOK_BYTES)
    unpacked.seek(0)
    try:
        packer = ZipPacker(unpacked, bounds) if head.startswith(_ZIP) else TarPacker(unpacked, bounds)
    except BaseException:
        unpacked.close()
        raise
    # Nobody has to close it: it is closed when the last of its files is gone.
    weakref.finalize(packer, unpacked.close)
    if isinstance(packer, ZipPacker):
        return list(packer.files())
    return _tar_files(packer, head, "a compressed file, and not an archive")


def _tar_files(packer: TarPacker, head: bytes, otherwise: str = "") -> list[PackedFile]:
    """Return the files of a tar, which may be none; `otherwise` says what it is then, unless its first bytes do."""
    try:
        return list(packer.files())
    except ArchiveError as error:
        if head[_TAR_MARK_AT:].startswith(_TAR_MARK):
            raise
        words = f"is {otherwise or _kind(head)}; hand in a .zip or .tar.gz archive, or the sources themselves"
        raise ArchiveError(words) from error


def kept_open(file: BinaryIO, bounds: Bounds) -> list[PackedFile]:
    """Return the files of an archive that is closed when the last of them is gone.

    Raises:
        ArchiveError: as for `files_of`.
    """
    try:
        files = files_of(file, bounds)
    except BaseException:
        file.close()
        raise
    if files:
        weakref.finalize(files[0].packer, file.close)
    else:
        file.close()
    return files


def _kind(head: bytes) -> str:
    if not head:
        return "empty"
    others = (words for mark, words in _OTHERS.items() if head.startswith(mark))
    return next(others, "neither a zip nor a tar archive, whatever its name says")
