"""The time that the guest has for its plan, if that limits it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .plan_json import LimitsJson

STOPPED_BY_WALL = {"kind": "limit", "limit": "wall"}
"""The ending of a program that ran longer than its limit."""

LEAST_S = 0.1
"""Smallest wall limit of a run in seconds: tally refuses a limit of 0."""


class TimeUpError(Exception):
    """The time for everything was up before a run could end.

    `slept_s`: how long the run slept; None if nobody knows.
    """

    def __init__(self, slept_s: float | None = 0.0) -> None:
        super().__init__()
        self.slept_s = slept_s


class Deadline:
    """Counts down from `deadline_s` seconds; None never ends."""

    def __init__(self, deadline_s: float | None) -> None:
        self._end = None if deadline_s is None else time.monotonic() + deadline_s

    def is_up(self) -> bool:
        """Return whether no step may begin any more."""
        return self._end is not None and time.monotonic() >= self._end

    def has_cut(self, ending: Mapping[str, Any]) -> bool:
        """Return whether the end of the time, and not a limit of the run, ended a run with limits of `within`."""
        return self.is_up() and ending == STOPPED_BY_WALL

    def within(self, limits: LimitsJson) -> LimitsJson:
        """Return limits that end a run when the time is up, if they would not end it sooner."""
        if self._end is None:
            return limits
        left_s = max(self._end - time.monotonic(), LEAST_S)
        return {**limits, "wall_s": min(limits["wall_s"], left_s)}
