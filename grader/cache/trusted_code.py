"""Code that the grader made and will run again, kept where nobody else could have put it.

It must not be replaceable by others: tally supervises student code. So what was kept is used only if its folder and
all that is in it belong to who runs the grader and nobody else may write there, nor put another folder in its place
between a look and the next (those above it have to be root's or ours); and only as its hash says. Root keeps its own
in root's cache, which no uid that student code gets can write to; under `sudo` with somebody else's home nothing is
kept.

The one whose code could change it is an ordinary user without isolation: a program that does that has all that
person's rights, the right to replace the grader among them, and deceives nobody but its author, whose grade is given
elsewhere.
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
    """Return whether nobody but root and us can put another folder in the place of ours there, as in /tmp."""
    others_may_write = found.st_mode & OTHERS_MAY_WRITE and not found.st_mode & stat.S_ISVTX
    return found.st_uid in (0, os.geteuid()) and not others_may_write
