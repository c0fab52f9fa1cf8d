"""Whether the kernel killed a process for lack of memory.

If it killed a child and the parent ended well, there is no other sign: the exit status is 0.
"""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Mapping
from typing import Any

from .launch import ENDED_WELL, KILLED

SMALL_BYTES = 128 << 20
"""More memory than compiling any source of a lab needs, and half of what its programs may have."""

MOST_REPEATS = 3
PAUSE_S = 1
"""Programs of others that use up a machine's memory are killed themselves, sooner or later."""

OUT_OF_MEMORY = {"kind": "limit", "limit": "memory"}


class NoMemoryError(Exception):
    """There is too little memory to compile any source of a lab."""


_COUNTERS = (
    "/sys/fs/cgroup/memory.events",  # cgroup v2
    "/sys/fs/cgroup/memory/memory.oom_control",  # cgroup v1
)
_OF_MACHINE = "/proc/vmstat"
_KILLS = re.compile(rb"^oom_kill (\d+)$", re.MULTILINE)


class OomCounter:
    """Reads how many processes the kernel killed: those of the container; without a container all on the machine."""

    def __init__(self, *, in_container: bool) -> None:
        self.is_of_container = in_container
        self._path = next(filter(_readable, _COUNTERS if in_container else [_OF_MACHINE]), None)
        self._repeats_left = MOST_REPEATS

    def read(self) -> int:
        """Return the number of kills so far, 0 if there is no counter."""
        if self._path is None:
            return 0
        with open(self._path, "rb") as file:
            found = _KILLS.search(file.read())
        return int(found[1]) if found is not None else 0

    def repeating(self, run: Callable[[], dict[str, Any]]) -> tuple[dict[str, Any], bool]:
        """Return the fields of a report, and whether what ran is a victim of what others used up.

        It is one if it was killed with little memory of its own while the kernel killed for lack of memory. It then
        runs again. A submission can bring that about itself, so it has few repeats in all.
        """
        while True:
            kills_before = self.read()
            report = run()
            is_small = report["peak_memory_bytes"] < SMALL_BYTES
            is_victim = is_small and _was_killed(report) and self.read() > kills_before
            if not is_victim or not self._repeats_left:
                return report, is_victim
            self._repeats_left -= 1
            time.sleep(PAUSE_S)


def _was_killed(report: Mapping[str, Any]) -> bool:
    """Return whether a program was killed, or one that a compiler started, of which only its message tells."""
    ending = report["ending"]
    return ending in (KILLED, OUT_OF_MEMORY) or (ending != ENDED_WELL and "Killed" in report.get("messages", ""))


def _readable(path: str) -> bool:
    try:
        with open(path, encoding="ascii"):
            return True
    except OSError:
        return False
