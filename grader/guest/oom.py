"""Whether the kernel killed a process for lack of memory.

If it killed a child and the parent ended well, there is no other sign: the exit status is 0.
"""

from __future__ import annotations


class NoMemoryError(Exception):
    """There is too little memory to compile any source of a lab."""


_COUNTERS = (
    "/sys/fs/cgroup/memory.events",  # cgroup v2
    "/sys/fs/cgroup/memory/memory.oom_control",  # cgroup v1
)


class OomCounter:
    """Reads the `oom_kill` counter of the container's cgroup; outside a container the counter is not about us."""

    def __init__(self, *, in_container: bool) -> None:
        self._path = next(filter(_readable, _COUNTERS), None) if in_container else None

    def read(self) -> int:
        """Return the number of kills so far, 0 if there is no counter."""
        if self._path is None:
            return 0
        with open(self._path, encoding="ascii") as file:
            values = dict(line.split() for line in file)
        return int(values.get("oom_kill", 0))


def _readable(path: str) -> bool:
    try:
        with open(path, encoding="ascii"):
            return True
    except OSError:
        return False
