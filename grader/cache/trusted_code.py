"""A cache of code that the grader compiled and will run again, which nobody else can have put there.

Others must not be able to replace it, because tally supervises student code and templates run as the grader. So an
entry is used only if it and the cache's folder belong to the user who runs the grader, if nobody else may write
there, and if nobody else can exchange the folder between two looks at it: the folders above must be root's or the
user's. Its content must have the hash that was stored. Root uses root's own cache, which no uid of student code can
write to. Under `sudo` with somebody else's home nothing is cached.

Only a program that an ordinary user runs without isolation could change an entry. It has all rights of that user
anyway, including the right to replace the grader, and it deceives nobody except its author, whose grade is given
elsewhere.
"""

from __future__ import annotations

import os
import stat
from collections.abc import Mapping
from contextlib import suppress
from pathlib import Path

from grader.cache.entries import (
    OTHERS_MAY_WRITE,
    Cache,
    is_ours,
    load_cached,
    make_ours,
    store_cached,
    user_folder,
)
from grader.messages import ignore_message

WHAT = "the compiled parts of the grader"
FOLDER = "compiled"


class TrustedCache:
    """The cache of compiled files, by key and file name."""

    def __init__(self, folder: Path) -> None:
        # Without links above it: they could lead to another folder at each look.
        self._folder = Path(os.path.realpath(folder.parent)) / folder.name
        self._cache = Cache(self._folder)

    def get(self, key: str) -> Mapping[str, bytes] | None:
        """Return files by name; None if there are none or if somebody else could have put them there."""
        if not _is_ours_alone(self._folder, self._cache.folder_of(key)):
            return None
        return load_cached(self._cache, key, WHAT, dict, ignore_message)

    def put(self, key: str, files: Mapping[str, bytes]) -> None:
        """Store files by name, unless the folder cannot be made or cannot be trusted."""
        # With a umask of 002, mkdir would let the user's group write to the folder above.
        for folder in (self._folder.parent, self._folder):
            with suppress(OSError):
                make_ours(folder)
        if _is_ours_alone(self._folder):
            store_cached(self._cache, key, WHAT, files, ignore_message)


def user_trusted_cache() -> TrustedCache | None:
    """Return the cache in the user's cache folder; None for a user without a home."""
    home = user_folder()
    return TrustedCache(home / FOLDER) if home is not None else None


def _is_ours_alone(folder: Path, entry: Path | None = None) -> bool:
    """Return whether nobody else can change or exchange the folder of the cache, or an entry if there is one."""
    found = [entry, *entry.rglob("*")] if entry is not None and os.path.lexists(entry) else []
    try:
        within = all(is_ours(path.lstat()) for path in (folder, *found))
        return within and all(_keeps_what_is_in_it(path.lstat()) for path in folder.parents)
    except OSError:
        return False


def _keeps_what_is_in_it(found: os.stat_result) -> bool:
    """Return whether only root and this user can replace a folder in there, which the sticky bit of /tmp ensures."""
    others_may_write = found.st_mode & OTHERS_MAY_WRITE and not found.st_mode & stat.S_ISVTX
    return found.st_uid in (0, os.geteuid()) and not others_may_write
