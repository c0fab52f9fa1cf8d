"""List the entries at the top of a class, which is a folder or an archive of submissions."""

from __future__ import annotations

import dataclasses
import os
from collections import defaultdict
from collections.abc import Collection, Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError, UsageError
from grader.intake.files import DiskFile, File
from grader.intake.names import is_ignored, is_left_behind, shown
from grader.intake.packed import PackedFile
from grader.intake.walk import walk
from grader.model.gradebook import COURSE_FILE, OVERRIDES_FILE


@dataclass(frozen=True)
class TopEntry:
    """A folder or a file at the top; a folder is a path if it is on disk, and its files if it is in an archive.

    `inner` are paths of the folders in a folder of an archive, as far as that names them: some have no files.
    """

    name: str
    folder: Path | tuple[File, ...] | None = None
    inner: tuple[str, ...] = ()
    file: File | None = None

    def files(self, sources: Collection[str]) -> Sequence[File]:
        """Return the files in a folder and below; none if it cannot be read, which is reported when it is graded."""
        if not isinstance(self.folder, Path):
            return [file for file in self.folder or () if not is_ignored(file.path)]
        try:
            return walk(str(self.folder), sources)[0]
        except GraderError:
            return ()

    @property
    def is_empty(self) -> bool:
        """Whether a folder has no file, however many folders are in it; one that cannot be searched may have some."""
        if not isinstance(self.folder, Path):
            return not self.files(())
        try:
            files, unsearched = walk(str(self.folder), ())
        except GraderError:
            return False
        return not files and not unsearched

    def has(self, name: str) -> bool:
        """Return whether a folder contains a file or folder of this name."""
        if isinstance(self.folder, Path):
            return os.path.lexists(self.folder / name)
        return name in self.names()

    def names(self) -> set[str]:
        """Return the names of what is in a folder; none if it cannot be read."""
        if not isinstance(self.folder, Path):
            return {path.partition("/")[0] for path in (*(file.path for file in self.folder or ()), *self.inner)}
        try:
            return {path.name for path in self.folder.iterdir()}
        except OSError:
            # Reported when it is read, for this submission only.
            return set()


@dataclass(frozen=True)
class Listing:
    """The top entries of a class, sorted by name; `left` are names of those that are neither folders nor files.

    `shown` is the path of their folder for messages; `real_path` distinguishes them from entries of other paths.
    """

    shown: str
    real_path: Path
    entries: tuple[TopEntry, ...]
    left: tuple[str, ...] = ()

    @property
    def folders(self) -> list[TopEntry]:
        """The entries that are folders."""
        return [entry for entry in self.entries if entry.folder is not None]

    def file(self, name: str) -> File | None:
        """Return the file with this name; None if there is none."""
        return next((entry.file for entry in self.entries if entry.name == name), None)


def list_folder(folder: Path) -> Listing:
    """List a folder, without looking into the folders in it.

    Raises:
        UsageError: it cannot be read.
    """
    entries: list[TopEntry] = []
    left: list[str] = []
    try:
        with os.scandir(folder) as found:
            for each in found:
                if each.name in (COURSE_FILE, OVERRIDES_FILE):
                    continue
                if each.is_dir(follow_symlinks=False):
                    entries.append(TopEntry(each.name, folder=folder / each.name))
                elif each.is_file(follow_symlinks=False):
                    entries.append(TopEntry(each.name, file=DiskFile(each.name, each.path)))
                elif not is_left_behind(each.name):
                    left.append(each.name)
        return Listing(shown(str(folder)), folder.resolve(), _sorted(entries), tuple(sorted(left)))
    except OSError as error:
        raise UsageError(f"{folder} cannot be read: {error.strerror}") from error


def list_archive(archive: Path, files: Sequence[PackedFile]) -> Listing:
    """List what an archive holds."""
    folders = files[0].packer.folders if files else ()
    return _list_files(shown(str(archive)), archive.resolve(), files, sorted({*folders} - {""}))


def unwrapped(listing: Listing, entry: TopEntry) -> Listing:
    """Return what is in a folder at the top.

    Raises:
        UsageError: it cannot be read.
    """
    if isinstance(entry.folder, Path):
        return list_folder(entry.folder)
    where = f"{listing.shown}/{shown(entry.name)}"
    return _list_files(where, listing.real_path / entry.name, entry.folder or (), entry.inner)


def _list_files(where: str, real_path: Path, files: Sequence[File], named: Sequence[str]) -> Listing:
    """List files by the first part of their paths, with the folders that are `named`, even if they have no files."""
    folders: dict[str, list[File]] = defaultdict(list)
    inner: dict[str, list[str]] = defaultdict(list)
    for path in named:
        name, _, below = path.partition("/")
        folders[name] += ()
        inner[name] += [below] if below else []
    loose: dict[str, File] = {}
    left: list[str] = []
    for file in files:
        name, slash, below = file.path.partition("/")
        if slash:
            folders[name].append(renamed(file, below))
        elif file.regular:
            loose[name] = file
        elif not is_left_behind(name):
            left.append(name)
    entries = [TopEntry(name, folder=tuple(inside), inner=tuple(inner[name])) for name, inside in folders.items()]
    entries += [TopEntry(name, file=file) for name, file in loose.items()]
    return Listing(where, real_path, _sorted(entries), tuple(left))


def _sorted(entries: list[TopEntry]) -> tuple[TopEntry, ...]:
    return tuple(sorted(entries, key=lambda entry: entry.name))


def renamed(file: File, path: str) -> File:
    """Return a file with another path in the submission."""
    if isinstance(file, DiskFile | PackedFile):
        return dataclasses.replace(file, path=path)
    raise TypeError(file)
