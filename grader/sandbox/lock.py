"""A lock on a file that ends with the process that has it, on every system; a library for it would load asyncio."""

from __future__ import annotations

import os
import sys
from pathlib import Path

if sys.platform == "win32":
    import msvcrt

    def _lock(descriptor: int) -> None:
        msvcrt.locking(descriptor, msvcrt.LK_NBLCK, 1)

else:
    import fcntl

    def _lock(descriptor: int) -> None:
        fcntl.flock(descriptor, fcntl.LOCK_EX | fcntl.LOCK_NB)


class Lock:
    """The lock on one file; nobody else has it, in this process or another, from `take` to `let_go`."""

    def __init__(self, path: Path) -> None:
        """Nothing is made yet."""
        self._path = path
        self._descriptor = -1

    def take(self) -> None:
        """Make the file, if it is not there, and have its lock.

        Raises:
            OSError: somebody else has it, or it cannot be had, as in a file system without locks.
        """
        descriptor = os.open(self._path, os.O_RDWR | os.O_CREAT, 0o600)
        try:
            _lock(descriptor)
        except OSError:
            os.close(descriptor)
            raise
        self._descriptor = descriptor

    def let_go(self) -> None:
        """Let somebody else have it; nothing happens where it was not had."""
        if self._descriptor >= 0:
            os.close(self._descriptor)
            self._descriptor = -1
