"""How often the guest waits for a program that does not end.

Each run that must be stopped takes as long as its limits allow. So after some of them, the guest no longer waits for
runs of which no similar one has ended. If the plan says so, the guest stops runs early from the second one on.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from .deadline import STOPPED_BY_WALL
from .plan_json import RunStepJson

STOPPED_BY_CPU = {"kind": "limit", "limit": "cpu"}
STOPPED_BY_TIME = (STOPPED_BY_CPU, STOPPED_BY_WALL)
"""The endings of runs that took their whole time; limits on output and memory stop a run long before that."""

MAX_TIMEOUTS = 3
"""Number of runs of a program that may be stopped by their time limit before others are left out."""


SLOWER = 10
"""A run of a program that did not end once is not stopped early before this many times its longest other run."""


class TimeoutBudget:
    """Remembers which runs of each program ended, by the hang group of the plan, and how long they took."""

    def __init__(self) -> None:
        self._timeouts: dict[str, int] = {}
        self._ended: dict[tuple[str, str], bool] = {}
        self._longest_s: dict[str, float] = {}
        self._stopped: set[tuple[str, str]] = set()

    def note(self, step: RunStepJson, ending: Mapping[str, Any], own_s: float = 0.0) -> None:
        """Remember how a run ended. `own_s` is its time in seconds without waiting for a CPU.

        A run under strace repeats another one, so it shows nothing new.
        """
        if step["tracer_limits"] is not None:
            return
        program, has_ended = step["program"], ending not in STOPPED_BY_TIME
        if ending["kind"] == "limit":
            self._stopped.add((program, step["case"]))
        if not has_ended:
            self._timeouts[program] = self._timeouts.get(program, 0) + 1
        else:
            self._longest_s[program] = max(self._longest_s.get(program, 0.0), own_s)
        if step["hang_group"] is not None:
            hang_group = (program, step["hang_group"])
            self._ended[hang_group] = self._ended.get(hang_group, False) or has_ended

    def stop_s(self, step: RunStepJson) -> float | None:
        """Return the seconds after which a run is stopped early, None if it has its limits.

        Under strace, a run is also stopped sooner if any limit stopped the same run without it.
        """
        early, program = step["early_stop"], step["program"]
        if early is None:
            return None
        if not self._timeouts.get(program) and (program, step["case"]) not in self._stopped:
            return early["first_s"]
        return max(early["again_s"], SLOWER * self._longest_s.get(program, 0.0))

    def is_over(self, step: RunStepJson) -> bool:
        """Return whether to leave a run out instead of waiting for it.

        That is so if `MAX_TIMEOUTS` runs of its program did not end, some of its own hang group among them, and no
        run of that group did end.
        """
        if step["hang_group"] is None or self._timeouts.get(step["program"], 0) < MAX_TIMEOUTS:
            return False
        return self._ended.get((step["program"], step["hang_group"])) is False
