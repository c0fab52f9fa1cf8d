"""The time that the guest has for all its work, where somebody else ends it."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from .plan import Limits

STOPPED_BY_WALL = {"kind": "limit", "limit": "wall"}
"""The ending of what ran longer than it may."""

LEAST_S = 0.1
"""What a run gets at least: tally takes no limit of nothing."""


class TimeUpError(Exception):
    """The time for everything was up before a run could end."""


class Deadline:
    """Counts down from `deadline_s`; None never ends."""

    def __init__(self, deadline_s: float | None) -> None:
        """Start."""
        self._end = None if deadline_s is None else time.monotonic() + deadline_s

    def is_up(self) -> bool:
        """Return whether nothing may begin any more."""
        return self._end is not None and time.monotonic() >= self._end

    def cut(self, ending: Mapping[str, Any]) -> bool:
        """Return whether a run with limits of `within` ended so because the time was up."""
        return self.is_up() and ending == STOPPED_BY_WALL

    def within(self, limits: Limits) -> Limits:
        """Return limits that end when the time is up, if they would not sooner."""
        if self._end is None:
            return limits
        left_s = max(self._end - time.monotonic(), LEAST_S)
        return {**limits, "wall_s": min(limits["wall_s"], left_s)}
