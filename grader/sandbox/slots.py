"""Slots for guests that work at the same time; see Sandbox.open."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from queue import SimpleQueue


class Slots:
    """The slots of all guests that work at the same time."""

    def __init__(self, jobs: int, guests: int = 1) -> None:
        """Make slots for `jobs` submissions at the same time, each with `guests` guests."""
        self._free: SimpleQueue[tuple[int, ...]] = SimpleQueue()
        for job in range(jobs):
            # A single guest needs no CPU of its own: slot 0 may use all of them.
            own = tuple(range(job * guests + 1, (job + 1) * guests + 1))
            self._free.put(own if jobs * guests > 1 else (0,))

    @contextmanager
    def taken(self) -> Iterator[tuple[int, ...]]:
        """Wait for the slots of a job, and hold them while the context lasts."""
        slots = self._free.get()
        try:
            yield slots
        finally:
            self._free.put(slots)
