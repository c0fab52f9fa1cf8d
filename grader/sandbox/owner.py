"""Whose a container is: the grader that made it, which may be gone before it could start it.

A container that was started ends by itself when its grader does. One that was only made would stay. A later grader
of the same user on the same machine sees by a lock, which ends with its process, that nobody will start it.
"""

from __future__ import annotations

import os
import uuid
from collections.abc import Iterable
from contextlib import suppress
from pathlib import Path

from filelock import FileLock, Timeout

from grader.cache.entries import user_folder

SUFFIX = ".lock"

# The last one is what filelock makes of a file system without locks, as some that are mounted over a network.
_NO_LOCK = (OSError, Timeout, NotImplementedError)


class Owner:
    """A grader at work, known by `id` as long as this is not closed and the process lives."""

    def __init__(self, folder: Path | None = None) -> None:
        """Take a lock below the user's cache folder; where none can be had, `id` is empty."""
        # Without a home there is nowhere to make it: what lies below a file cannot be made either.
        self._folder = folder or (user_folder() or Path(os.devnull)) / "graders"
        self.id = uuid.uuid4().hex
        self._lock = self._lock_of(self.id)
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            self._lock.acquire(blocking=False)
        except _NO_LOCK:
            self.id = ""

    def _lock_of(self, owner: str) -> FileLock:
        return FileLock(self._folder / f"{owner}{SUFFIX}", thread_local=False)

    def gone(self) -> frozenset[str]:
        """Return the graders of this user and machine that have ended without saying so."""
        return frozenset(
            owner
            for path in self._folder.glob(f"*{SUFFIX}")
            if (owner := path.stem) != self.id and self._is_free(self._lock_of(owner))
        )

    def _is_free(self, lock: FileLock) -> bool:
        try:
            lock.acquire(blocking=False)
        except _NO_LOCK:
            return False
        lock.release()
        return True

    def forget(self, owners: Iterable[str]) -> None:
        """Note that nothing is left of them."""
        for owner in owners:
            with suppress(OSError):
                (self._folder / f"{owner}{SUFFIX}").unlink(missing_ok=True)

    def close(self) -> None:
        """Say that this grader has ended, and has left nothing behind."""
        self._lock.release()
        self.forget([self.id])
