"""The zip that an instructor uploads, as the platform unpacks it."""

from __future__ import annotations

import io
import stat
import tarfile
import zipfile
from collections.abc import Iterator

from grader.errors import UsageError
from grader.intake.bounds import ArchiveError, as_archive_error
from grader.intake.names import shown
from grader.intake.packed import inside

NEEDED = ("setup.sh", "run_autograder")
PLAIN_MODE = 0o644
SOURCE = "source"


def unpacked(upload: bytes) -> bytes:
    """Return a tar, without its end, of the zip's files below the folder `source`, with their modes.

    setup.sh and run_autograder get the line ends of Unix, as the platform gives them.

    Raises:
        UsageError: the platform does not accept the zip; the message says what to do.
    """
    try:
        with as_archive_error(), zipfile.ZipFile(io.BytesIO(upload)) as archive:
            entries = [entry for entry in archive.infolist() if not entry.is_dir()]
            _check([entry.filename for entry in entries])
            return b"".join(_members(archive, entries))
    except ArchiveError as error:
        raise UsageError(f"the autograder zip {error}") from error


def _check(names: list[str]) -> None:
    for name in names:
        if (problem := inside(name)[1]) is not None:
            raise ArchiveError(f"has a file that {problem}")
    missing = [name for name in NEEDED if name not in names]
    if not missing:
        return
    folders = {name.rpartition("/")[0] for name in names if name.rpartition("/")[2] in missing}
    words = f"has no {' and no '.join(missing)} at its top; the platform looks for them there"
    if folders:
        words += f", and they are in the folder {shown(min(folders))}: zip its files, not the folder"
    raise ArchiveError(words)


def _members(archive: zipfile.ZipFile, entries: list[zipfile.ZipInfo]) -> Iterator[bytes]:
    for entry in entries:
        mode = entry.external_attr >> 16
        data = archive.read(entry)
        member = tarfile.TarInfo(f"{SOURCE}/{inside(entry.filename)[0]}")
        member.mode = stat.S_IMODE(mode) or PLAIN_MODE
        if stat.S_ISLNK(mode):
            member.type, member.linkname = tarfile.SYMTYPE, data.decode("utf-8", "surrogateescape")
            yield member.tobuf()
            continue
        if entry.filename in NEEDED and b"\0" not in data:
            data = data.replace(b"\r\n", b"\n")
        member.size = len(data)
        yield member.tobuf() + data + bytes(-len(data) % tarfile.BLOCKSIZE)
