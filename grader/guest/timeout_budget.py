"""For how long a program that does not end is waited for.

Each run that has to be stopped takes as long as its limits let it. So after some of them a program is not waited for
where nothing that is like the run to come has ended.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .deadline import STOPPED_BY_WALL
from .plan import RunStep

STOPPED_BY_CPU = {"kind": "limit", "limit": "cpu"}
STOPPED_IN_TIME = (STOPPED_BY_CPU, STOPPED_BY_WALL)
"""The endings of what was waited for in vain; floods and hogs are stopped long before that."""

MAX_TIMEOUTS = 3
"""So many runs of a program are waited for in vain."""


class TimeoutBudget:
    """Remembers of each program which of its runs ended, by the family that the plan puts them in."""

    def __init__(self) -> None:
        """Know of no run."""
        self._in_vain: dict[str, int] = {}
        self._ended: dict[tuple[str, str], bool] = {}

    def note(self, step: RunStep, ending: Mapping[str, Any]) -> None:
        """Remember how a run ended."""
        program, in_time = step["program"], ending not in STOPPED_IN_TIME
        if not in_time:
            self._in_vain[program] = self._in_vain.get(program, 0) + 1
        if step["hang_group"] is not None:
            hang_group = (program, step["hang_group"])
            self._ended[hang_group] = self._ended.get(hang_group, False) or in_time

    def is_over(self, step: RunStep) -> bool:
        """Return whether a run is not worth waiting for.

        So it is where `ENOUGH` runs of its program did not end, and of its own family some did not and none did.
        """
        if step["hang_group"] is None or self._in_vain.get(step["program"], 0) < MAX_TIMEOUTS:
            return False
        return self._ended.get((step["program"], step["hang_group"])) is False
