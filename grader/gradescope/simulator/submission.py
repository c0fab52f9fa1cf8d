"""A submission as the platform copies it to /autograder/submission: files, without links or modes."""

from __future__ import annotations

import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import BinaryIO

from grader.errors import UsageError
from grader.intake.archive import files_of
from grader.intake.bounds import STUDENT, ArchiveError
from grader.intake.names import shown
from grader.messages import Notify


def read_files(path: Path, notify: Notify) -> Mapping[str, bytes]:
    """Return the files of a folder, or of an archive, by their paths in it.

    `notify` gets a line for each file that is left out.

    Raises:
        UsageError: it cannot be read, or it is larger than the platform accepts.
    """
    try:
        if path.is_dir():
            return _bounded(_of_folder(path, notify))
        with path.open("rb") as file:
            return _bounded(_of_archive(file, notify))
    except OSError as error:
        raise UsageError(f"{error.filename or path} cannot be read: {error.strerror}") from error
    except ArchiveError as error:
        raise UsageError(f"{path} {error}") from error


def _bounded(files: Iterator[tuple[str, bytes]]) -> Mapping[str, bytes]:
    found: dict[str, bytes] = {}
    size_bytes = 0
    for path, data in files:
        found[path] = data
        size_bytes += len(data)
        STUDENT.check_files(len(found))
        STUDENT.check_unpacked(size_bytes)
    return found


def _of_folder(folder: Path, notify: Notify) -> Iterator[tuple[str, bytes]]:
    for name, folders, names in sorted(os.walk(folder, onerror=_refuse)):
        # os.walk lists links to folders as folders, and does not follow them.
        links = (one for one in folders if Path(name, one).is_symlink())
        for path in sorted(Path(name, one) for one in (*names, *links)):
            inside = path.relative_to(folder).as_posix()
            if path.is_file() and not path.is_symlink():
                yield inside, path.read_bytes()
            else:
                notify(f"{shown(inside)} is left out: it is not a regular file")


def _refuse(error: OSError) -> None:
    raise error


def _of_archive(file: BinaryIO, notify: Notify) -> Iterator[tuple[str, bytes]]:
    for packed in files_of(file, STUDENT):
        if packed.problem is not None:
            notify(f"{shown(packed.path)} is left out: it {packed.problem}")
            continue
        data = bytearray()
        for chunk in packed.packer.chunks(packed.key):
            data += chunk
            STUDENT.check_unpacked(len(data))
        yield packed.path, bytes(data)
