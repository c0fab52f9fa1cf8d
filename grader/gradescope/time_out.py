"""How long a run on the platform may take, and how much time is left."""

from __future__ import annotations

import os
import time
from collections.abc import Mapping
from pathlib import Path

VARIABLE = "TIMEOUT_SECONDS"

RESERVE_SHARE, RESERVE_S, RESERVE_MOST_S = 0.1, 5.0, 30.0
"""The part of the time limit that is kept for what follows the programs (wrong outputs, causes, the last results),
and its bounds in seconds."""

LAST_S = 2.0
"""Seconds before the time limit at which the run ends by itself."""

LEAST_S = 5.0
"""Seconds that all programs together need at least; with less, grading does not start."""


def allowed_s(environment: Mapping[str, str], default_s: float) -> float:
    """Return how many seconds the platform gives a run, `default_s` if it does not say or the value is not a time."""
    try:
        limit_s = float(environment.get(VARIABLE, ""))
    except ValueError:
        return default_s
    # This also rejects NaN, infinity and 0.
    return limit_s if 0 < limit_s < float("inf") else default_s


class TimeOut:
    """A time limit that counts from the start of this process, which run_autograder started by exec."""

    def __init__(self, timeout_s: float) -> None:
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
    """Return the age of this process in seconds, including the time before an `exec`; needs /proc."""
    # Field 22 of proc(5)'s stat. The name in parentheses may contain anything, so fields are counted from after it.
    fields = Path("/proc/self/stat").read_text(encoding="ascii", errors="replace").rpartition(")")[2].split()
    return time.clock_gettime(time.CLOCK_BOOTTIME) - int(fields[19]) / os.sysconf("SC_CLK_TCK")
