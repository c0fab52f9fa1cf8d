"""Whether the kernel killed a process for lack of memory, and whose lack it was.

If it killed a child and the parent ended well, there is no other sign: the exit status is 0.
"""

from __future__ import annotations

import os
from typing import NamedTuple

MACHINE_IS_FULL = "the machine ran out of memory, and a program was ended that had not used up its own"


class NoMemoryError(Exception):
    """There is too little memory to compile any source of a lab, or to run a program within its limit."""


class CounterFiles(NamedTuple):
    """Where a cgroup's kills are, and how often it was at its limit: a number per file, or `keys` of the first."""

    kills: str
    at_limit: tuple[str, ...]
    keys: tuple[str, ...]


_V1 = "/sys/fs/cgroup/memory/memory"
_COUNTERS = (
    CounterFiles("/sys/fs/cgroup/memory.events", (), ("max", "oom")),
    # Memory is charged together with swap first, if that is counted.
    CounterFiles(f"{_V1}.oom_control", (f"{_V1}.failcnt", f"{_V1}.memsw.failcnt", f"{_V1}.kmem.failcnt"), ()),
)


class Kills(NamedTuple):
    """Kills of processes in the container so far, and how often its memory was at its limit; None if unknown."""

    kills: int
    at_limit: int | None

    def are_the_machines(self, before: Kills) -> bool:
        """Return whether there were kills since then, but none because the container had used up its memory."""
        return self.kills > before.kills and self.at_limit is not None and self.at_limit == before.at_limit


class OomCounter:
    """Reads the counters of the container's cgroup; outside a container they are not about us."""

    def __init__(self, *, in_container: bool) -> None:
        files = (one for one in _COUNTERS if _readable(one.kills))
        self._files = next(files, None) if in_container else None

    def read(self) -> Kills:
        """Return the counters, which are 0 and unknown if there are none."""
        if self._files is None:
            return Kills(0, None)
        with open(self._files.kills, encoding="ascii") as file:
            values = dict(line.split() for line in file)
        at_limit = [int(values[key]) for key in self._files.keys if key in values]
        for path in filter(os.path.exists, self._files.at_limit):
            with open(path, encoding="ascii") as file:
                at_limit.append(int(file.read()))
        return Kills(int(values.get("oom_kill", 0)), sum(at_limit) if at_limit else None)


def _readable(path: str) -> bool:
    try:
        with open(path, encoding="ascii"):
            return True
    except OSError:
        return False
