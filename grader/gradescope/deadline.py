"""How long a run of the hook may take, and how much of that is left."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "TIMEOUT_SECONDS"

RESERVE_SHARE, RESERVE_S, RESERVE_MOST_S = 0.1, 5.0, 30.0
"""Of the time that a run may take so much is kept for what comes after the programs: a look at wrong outputs, causes,
the last results. At least and at most so many seconds."""

LAST_S = 2.0
"""So long before the platform would end the run it ends by itself."""

LEAST_S = 5.0
"""With less than this for all programs nothing is worth beginning."""


def allowed_s(environment: Mapping[str, str], otherwise_s: float) -> float:
    """Return how many seconds the platform gives a run, `otherwise_s` where it does not say, or says nonsense."""
    try:
        told = float(environment.get(VARIABLE, ""))
    except ValueError:
        return otherwise_s
    # Neither NaN nor infinity nor nothing is a time-out.
    return told if 0 < told < float("inf") else otherwise_s


class Deadline:
    """Counts from the start of this process, which took the platform's script's place."""

    def __init__(self, timeout_s: float) -> None:
        """Take the time that the platform gives."""
        self.timeout_s = timeout_s
        self._started = time.monotonic() - process_age_s()

    @property
    def elapsed_s(self) -> float:
        """Seconds since the start."""
        return time.monotonic() - self._started

    @property
    def until_last_s(self) -> float:
        """Seconds until this process has to end, at least a moment."""
        return max(self.timeout_s - LAST_S - self.elapsed_s, 0.1)

    @property
    def for_programs_s(self) -> float:
        """Seconds that are left for compiling and running."""
        reserve_s = min(max(RESERVE_SHARE * self.timeout_s, RESERVE_S), RESERVE_MOST_S)
        return self.timeout_s - reserve_s - self.elapsed_s


def process_age_s() -> float:
    """Return how long this process has lived, an `exec` before it included; needs /proc."""
    # Field 22 of proc(5)'s stat; the name in parentheses may hold anything, so it is counted from behind that.
    fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
