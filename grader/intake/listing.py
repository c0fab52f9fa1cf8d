"""What lies at the top of a class: a folder of submissions, or an archive of them."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError
from grader.intake.files import DiskFile, File
from grader.intake.names import is_left_behind, shown
from grader.intake.packed import PackedFile


@dataclass(frozen=True)
class TopEntry:
    """A folder or a file at the top: of a folder where it is on disk, or what an archive has in it."""

    name: str
    folder: Path | tuple[File, ...] | None = None
    file: File | None = None


@dataclass(frozen=True)
class Listing:
    """The tops of a class, sorted by name; `left` are those that are neither folders nor files.

    `shown` is where they lie, for people; `place` tells them apart from those of other paths.
    """

    shown: str
    place: Path
    tops: tuple[TopEntry, ...]
    left: tuple[str, ...] = ()

    @property
    def folders(self) -> list[TopEntry]:
        """Those that are folders."""
        return [top for top in self.tops if top.folder is not None]

    def file(self, name: str) -> File | None:
        """Return the file of a name."""
        return next((top.file for top in self.tops if top.name == name), None)


def list_folder(folder: Path) -> Listing:
    """List a folder; nothing below it is looked at.

    Raises:
        UsageError: it cannot be read.
    """
    tops: list[TopEntry] = []
    left: list[str] = []
    try:
        with os.scandir(folder) as entries:
            for entry in entries:
                if is_left_behind(entry.name):
                    continue
                if entry.is_dir(follow_symlinks=False):
                    if not entry.name.startswith("__"):
                        tops.append(TopEntry(entry.name, folder=folder / entry.name))
                elif entry.is_file(follow_symlinks=False):
                    tops.append(TopEntry(entry.name, file=DiskFile(entry.name, entry.path)))
                else:
                    left.append(entry.name)
        return Listing(shown(str(folder)), folder.resolve(), _sorted(tops), tuple(sorted(left)))
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}") from error


def list_archive(archive: Path, files: Sequence[PackedFile]) -> Listing:
    """List what an archive holds."""
    kept = [file for file in files if not any(is_left_behind(part) for part in file.path.split("/"))]
    return _list_files(shown(str(archive)), archive.resolve(), kept)


def unwrapped(listing: Listing) -> Listing | None:
    """Return what is in the one folder at the top, None where that is not all there is."""
    if len(listing.tops) != 1 or listing.tops[0].folder is None:
        return None
    top = listing.tops[0]
    if isinstance(top.folder, Path):
        return list_folder(top.folder)
    return _list_files(f"{listing.shown}/{shown(top.name)}", listing.place / top.name, top.folder or ())


def _list_files(where: str, place: Path, files: Sequence[File]) -> Listing:
    folders: dict[str, list[File]] = defaultdict(list)
    loose: dict[str, File] = {}
    left: list[str] = []
    for file in files:
        name, slash, below = file.path.partition("/")
        if slash:
            folders[name].append(renamed(file, below))
        elif file.regular:
            loose[name] = file
        else:
            left.append(name)
    tops = [TopEntry(name, folder=tuple(inside)) for name, inside in folders.items()]
    tops += [TopEntry(name, file=file) for name, file in loose.items()]
    return Listing(where, place, _sorted(tops), tuple(left))


def _sorted(tops: list[TopEntry]) -> tuple[TopEntry, ...]:
    return tuple(sorted(tops, key=lambda top: (top.name, top.folder is None)))


def renamed(file: File, path: str) -> File:
    """Return a file as it lies elsewhere in a hand-in, or has another name there."""
    if isinstance(file, DiskFile | PackedFile):
        return dataclasses.replace(file, path=path)
    raise TypeError(file)
