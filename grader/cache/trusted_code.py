"""Compiled code that the grader keeps and runs again, in a folder that nobody else can write to.

Others must not be able to replace it, because tally supervises student code. So the kept code is used only if its
folder and everything in it belong to the user who runs the grader, nobody else can write there, and nobody else can
replace the folder between two looks (the folders above it must be root's or the user's). It is used only if its hash
is right. Root's copy is in root's cache, which no uid of student code can write to. Under `sudo` with another user's
home nothing is kept.

Without isolation an ordinary user's own program could change that user's copy. Such a program has all rights of its
user, and could replace the grader as well. It deceives only its author, whose grade is given elsewhere.
"""

from __future__ import annotations

import os
import stat
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


class KeptCode:
    """The cache of what was compiled, each under a key and a file's name; nothing is in it that cannot be trusted."""

    def __init__(self, folder: Path) -> None:
        """Nothing is made yet."""
        # Without links above it: what they lead to could be another folder at each look.
        self._folder = Path(os.path.realpath(folder.parent)) / folder.name
        self._cache = Cache(self._folder)

    def get(self, key: str, name: str) -> bytes | None:
        """Return what was kept, None where nothing was, or somebody else could have put it there."""
        if not _is_ours_alone(self._folder):
            return None
        return load_cached(self._cache, key, WHAT, lambda files: files[name], ignore_message)

    def put(self, key: str, name: str, data: bytes) -> None:
        """Keep it, where that can be."""
        # With a umask of 002, mkdir would let one's group write to the folder above.
        for folder in (self._folder.parent, self._folder):
            with suppress(OSError):
                make_ours(folder)
        if _is_ours_alone(self._folder):
            store_cached(self._cache, key, WHAT, {name: data}, ignore_message)


def users_code() -> KeptCode | None:
    """Return what is kept in the user's cache folder; None for somebody without a home."""
    home = user_folder()
    return KeptCode(home / FOLDER) if home is not None else None


def _is_ours_alone(folder: Path) -> bool:
    """Return whether a folder and all in it are ours, without a link, for nobody else to write to or exchange."""
    try:
        within = all(is_ours(path.lstat()) for path in (folder, *folder.rglob("*")))
        return within and all(_keeps_what_is_in_it(path.lstat()) for path in folder.parents)
    except OSError:
        return False


def _keeps_what_is_in_it(found: os.stat_result) -> bool:
    """Return whether only root and this user can replace a folder in there, which the sticky bit of /tmp ensures."""
    others_may_write = found.st_mode & OTHERS_MAY_WRITE and not found.st_mode & stat.S_ISVTX
    return found.st_uid in (0, os.geteuid()) and not others_may_write
