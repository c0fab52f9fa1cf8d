"""The files in a folder that a student handed in, and in the folders below."""

from __future__ import annotations

import os
from collections import deque
from collections.abc import Collection
from pathlib import Path

from grader.errors import GraderError
from grader.intake.files import DiskFile
from grader.intake.names import is_left_behind, shown

FILES = 20_000
"""More than that nobody looks through for two sources."""

LEVELS = 6
"""Sources are taken from two folders down; further down they are only told of."""


def walk(folder: str, sources: Collection[str]) -> tuple[list[DiskFile], tuple[str, ...]]:
    """Return the files in a folder and below, and what is to be noted; links to folders are not followed.

    In a folder of more than FILES only the sources at its top are looked for, so that nothing depends on the order
    in which a file system lists files.

    Raises:
        GraderError: a folder cannot be read.
    """
    files: list[DiskFile] = []
    seen = 0
    folders = deque([("", folder, 0)])
    while folders:
        path, place, level = folders.popleft()
        for entry in _scan(place):
            seen += 1
            if seen > FILES:
                note = f"the folder holds more than {FILES:,} files; only its top was looked at"
                return _at_the_top(folder, sources), (note,)
            if is_left_behind(entry.name):
                continue
            inside = path + entry.name
            if not entry.is_dir(follow_symlinks=False):
                files.append(DiskFile(inside, entry.path, entry.is_file(follow_symlinks=False)))
            elif entry.name in sources:
                files.append(DiskFile(inside, entry.path, regular=False))
            elif level < LEVELS:
                folders.append((inside + "/", entry.path, level + 1))
    return files, ()


def _scan(place: str) -> list[os.DirEntry[str]]:
    found = []
    try:
        with os.scandir(place) as entries:
            for entry in entries:
                found.append(entry)
                if len(found) > FILES:
                    break
    except OSError as error:
        raise GraderError(f"{shown(place)} cannot be read: {error.strerror}") from error
    return found


def _at_the_top(folder: str, sources: Collection[str]) -> list[DiskFile]:
    places = [Path(folder, name) for name in sources]
    return [
        DiskFile(place.name, str(place), place.is_file() and not place.is_symlink())
        for place in places
        if os.path.lexists(place)
    ]
