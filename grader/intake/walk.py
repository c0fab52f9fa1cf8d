"""List the files in a student's folder and in the folders below it."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection, Iterator

from grader.errors import GraderError
from grader.intake.files import DiskFile
from grader.intake.names import backup_of, base, is_left_behind, shown

FILES = 20_000
"""Number of files and folders after which the search for sources ends."""

LEVELS = 6
"""Depth of the search. Deeper than `choice.MAX_FOLDERS`, sources are only reported."""


def walk(folder: str, sought: Collection[str]) -> tuple[list[DiskFile], tuple[str, ...]]:
    """Return the files in a folder and below, and notes about the search; links to folders are not followed.

    What editors leave behind is left out, except the backups of those `sought` files that are nowhere: they are named
    when these are missing.

    With more than FILES entries only the `sought` files at the top are returned, so that nothing depends on the order
    in which a file system lists files.

    Raises:
        GraderError: a folder cannot be read.
    """
    files: list[DiskFile] = []
    backups: list[DiskFile] = []
    named: list[DiskFile] = []
    seen = 0
    folders = deque([("", folder, 0)])
    while folders:
        path, subfolder, level = folders.popleft()
        for entry in _entries(subfolder):
            seen += 1
            if seen > FILES:
                note = f"the folder holds more than {FILES:,} files; only its top was looked at"
                return _at_the_top(folder, sought), (note,)
            inside = path + entry.name
            if is_left_behind(entry.name):
                if backup_of(entry.name) in sought and entry.is_file(follow_symlinks=False):
                    backups.append(DiskFile(inside, entry.path))
                continue
            if not entry.is_dir(follow_symlinks=False):
                files.append(DiskFile(inside, entry.path, entry.is_file(follow_symlinks=False)))
                continue
            if entry.name in sought:
                named.append(DiskFile(inside, entry.path, regular=False))
            if level < LEVELS:
                folders.append((inside + "/", entry.path, level + 1))
    holding = {folder for file in files if file.regular for folder in _folders_like(file.path)}
    files += [folder for folder in named if folder.path not in holding]
    found = {base(file.path) for file in files}
    return [*files, *(file for file in backups if backup_of(base(file.path)) not in found)], ()


def _folders_like(path: str) -> Iterator[str]:
    """Yield the folders around a file that have its name: some systems keep each file in such a folder."""
    name = base(path)
    while path := path.rpartition("/")[0]:
        if base(path) == name:
            yield path


def _entries(folder: str) -> list[os.DirEntry[str]]:
    found = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                found.append(entry)
                if len(found) > FILES:
                    break
    except OSError as error:
        raise GraderError(f"{shown(folder)} cannot be read: {error.strerror}") from error
    return found


def _at_the_top(folder: str, sought: Collection[str]) -> list[DiskFile]:
    paths = {name: os.path.join(folder, name) for name in sought}  # noqa: PTH118 - as os.scandir names them
    return [DiskFile(name, path) for name, path in paths.items() if os.path.lexists(path)]
