"""Results of costly work, stored between runs under keys; hashes reveal entries that were damaged."""

from __future__ import annotations

import errno
import hashlib
import os
import shutil
import stat
import tempfile
from collections.abc import Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import TypeVar

import platformdirs
from pydantic import ValidationError

from grader.messages import Notify

MANIFEST = "SHA256SUMS"
OTHERS_MAY_WRITE = stat.S_IWGRP | stat.S_IWOTH


class DamagedEntryError(Exception):
    """An entry exists, but is not what was stored."""


Value = TypeVar("Value")


def load_cached(
    cache: Cache | None, key: str, what: str, read: Callable[[Mapping[str, bytes]], Value], notify: Notify
) -> Value | None:
    """Return what `read` makes of an entry's files; None if there is no entry or it is damaged."""
    if cache is None:
        return None
    try:
        files = cache.get(key)
        return None if files is None else read(files)
    except (DamagedEntryError, KeyError, ValidationError) as error:
        notify(f"{what} are damaged and will be measured again ({error})")
        cache.forget(key)
        return None


def store_cached(cache: Cache | None, key: str, what: str, files: Mapping[str, bytes], notify: Notify) -> None:
    """Store an entry; if that fails, work goes on without it."""
    try:
        if cache is not None:
            cache.put(key, files)
    except OSError as error:
        notify(f"{what} cannot be kept, the next run measures them again: {error}")


def files_digest(files: Mapping[str, bytes]) -> str:
    """Return a hash over names and contents, in their order; hexadecimal."""
    hasher = hashlib.sha256()
    for name, data in files.items():
        hasher.update(f"{name} {len(data)}\n".encode("utf-8", "surrogatepass") + data)
    return hasher.hexdigest()


def user_folder() -> Path | None:
    """Return the folder that this system has for our caches; None for a user without a home."""
    try:
        folder = Path(platformdirs.user_cache_dir("iolab-grader", appauthor=False))
    except RuntimeError:
        return None
    # Older versions of the library return `~/.cache` as it is, which would be a folder of that name right here.
    return folder if folder.is_absolute() else None


def is_ours(found: os.stat_result) -> bool:
    """Return whether this user owns a file or folder, which is not a link, and nobody else may write to it.

    Windows does not report owners, so that part is not checked there.
    """
    is_closed = not found.st_mode & OTHERS_MAY_WRITE and not stat.S_ISLNK(found.st_mode)
    return found.st_uid == _owner(found) and is_closed


def _owner(found: os.stat_result) -> int:
    return os.geteuid() if hasattr(os, "geteuid") else found.st_uid


def make_ours(folder: Path) -> None:
    """Make a folder to which nobody else may write, and the folders above it, unless they exist.

    Raises:
        OSError: it cannot be made, or is not ours. Nothing is made in somebody else's folder, as HOME may be under
            sudo.
    """
    if not folder.exists():
        above = next(path for path in folder.parents if path.exists()).stat()
        is_open = above.st_mode & stat.S_IWOTH and not above.st_mode & stat.S_ISVTX
        if above.st_uid in {0, _owner(above)} and not is_open:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
    if not (folder.exists() and is_ours(folder.lstat())):
        raise PermissionError(f"{folder} is somebody else's, or others may write there")


class Cache:
    """Entries of named byte strings, one folder each, below the user's cache folder.

    An entry is complete or does not exist, so that several graders may use one cache at the same time. An entry that
    others could have put there is ignored: a lab says what the compiler is started with. That happens if everybody
    may write to HOME, or if it is somebody else's, as under sudo.
    """

    def __init__(self, root: Path | None = None) -> None:
        self._given = root or user_folder()

    @property
    def _root(self) -> Path:
        if self._given is None:
            raise FileNotFoundError(
                "there is no home folder to keep anything in (set HOME or XDG_CACHE_HOME to an absolute path)"
            )
        return self._given

    def _is_ours(self) -> bool:
        """Return whether the folder of all entries exists and is ours."""
        try:
            return self._given is not None and is_ours(self._given.lstat())
        except OSError:
            return False

    def get(self, key: str) -> Mapping[str, bytes] | None:
        """Return an entry's files by name; None if there is no entry.

        Raises:
            DamagedEntryError: a file is missing, changed, or cannot be read.
        """
        if not self._is_ours() or not (folder := self.folder_of(key)).is_dir():
            return None
        try:
            manifest = (folder / MANIFEST).read_text(encoding="ascii")
            sums = {name: digest for digest, name in (line.split("  ", 1) for line in manifest.splitlines())}
            files = {name: (folder / name).read_bytes() for name in sums}
        except (OSError, ValueError) as error:
            raise DamagedEntryError(f"{folder}: {error}") from error
        for name, data in files.items():
            if hashlib.sha256(data).hexdigest() != sums[name]:
                raise DamagedEntryError(f"{folder / name} is not what was stored")
        return files

    def put(self, key: str, files: Mapping[str, bytes]) -> None:
        """Store an entry, replacing an earlier one.

        Raises:
            OSError: it cannot be written, or others could write it.
        """
        make_ours(self._root)
        with tempfile.TemporaryDirectory(dir=self._root, prefix=".new-") as folder:
            new = Path(folder) / "entry"
            # It may hold expected outputs, which nobody else on a shared machine must be able to read.
            new.mkdir(mode=0o700)
            lines = []
            for name, data in files.items():
                (new / name).touch(mode=0o600)
                (new / name).write_bytes(data)
                lines.append(f"{hashlib.sha256(data).hexdigest()}  {name}")
            (new / MANIFEST).touch(mode=0o600)
            (new / MANIFEST).write_text("\n".join(lines) + "\n", encoding="ascii")
            self._replace(new, self.folder_of(key), Path(folder) / "old")

    def _replace(self, new: Path, target: Path, aside: Path) -> None:
        # Another grader may take away or put the same entry between any two of these calls.
        with suppress(FileNotFoundError):
            target.rename(aside)
        try:
            new.rename(target)
        except OSError as error:
            # Somebody else has just put the same content there: theirs is as good.
            if error.errno not in (errno.ENOTEMPTY, errno.EEXIST):
                raise

    def forget(self, key: str) -> None:
        """Remove an entry, whatever state it is in."""
        shutil.rmtree(self.folder_of(key), ignore_errors=True)

    def folder_of(self, key: str) -> Path:
        """Return the folder of an entry, which may not exist."""
        return self._root / hashlib.sha256(key.encode("utf-8", "surrogatepass")).hexdigest()[:32]
