"""The time that a program itself takes: on a CPU or asleep. In the queue for a CPU it takes the machine's.

So a busy machine uses up no program's share of the time, and a wall limit stops nothing that had no CPU.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .deadline import STOPPED_BY_WALL, Deadline

OWN_SHARE = 0.9
"""Share of its first wall limit that a program must have had itself, or else it is run again."""

LONGER, MUCH_LONGER = 2, 8
"""How many times as long it then may take, at least and at most. A program that slept while tally waited for a CPU
seems to have had no time, and would sleep as long as it may."""

LONGEST = 16
"""How many times its wall limit a program may take in the end."""

LONGEST_IF_UNKNOWN = 4
"""The same where the kernel does not say how long a program has waited, so that it may only have slept."""


class BusyError(Exception):
    """The machine has no CPU for a program, so that nobody knows what it does."""


class OwnTime:
    """Adds up the seconds of all programs that were run."""

    def __init__(self) -> None:
        self.total_s = 0.0

    def measure(self, report: dict[str, Any], helpers_waited_s: float, *, is_of_starter: bool) -> None:
        """Add the program's own time to a report of tally, as `own_s` and, of that, `slept_s`: None if nobody knows.

        A program sleeps, too, while tally or the guest, which it waits for, wait for a CPU: for `helpers_waited_s`.
        `is_of_starter`: what tally started has started the program, and sleeps meanwhile. Only at the wall limit does
        tally know how long the program waited.
        """
        cpu_s, waited_s = report["user_s"] + report["sys_s"], report["waited_s"]
        is_known = waited_s is not None and (not is_of_starter or report["ending"] == STOPPED_BY_WALL)
        slept_s = max(report["wall_s"] - cpu_s - waited_s - helpers_waited_s, 0.0) if is_known else 0.0
        report["own_s"], report["slept_s"] = cpu_s + slept_s, None if waited_s is None else slept_s
        self.total_s += report["own_s"]


def waited_s(pid: int | str) -> float:
    """Return how long the main thread of a process has waited for a CPU, 0 if the kernel does not say."""
    try:
        with open(f"/proc/{pid}/schedstat", encoding="ascii") as file:
            return int(file.read().split()[1]) / 1e9
    except OSError:
        return 0.0


def with_time(
    run: Callable[[float], dict[str, Any]], limit_s: float, deadline: Deadline, first_s: float | None = None
) -> dict[str, Any]:
    """Return what `run` does with a wall limit: `first_s` or `limit_s` and, if it had no CPU for long enough, more.

    Raises:
        BusyError: it was stopped even after a multiple of `limit_s`, because it waited for a CPU.
    """
    first_s = limit_s if first_s is None else first_s
    attempt_s = first_s
    while True:
        done = run(attempt_s)
        own_s = done["own_s"]
        if done["ending"] != STOPPED_BY_WALL or own_s >= OWN_SHARE * first_s or deadline.is_up():
            return done
        if done["slept_s"] is None and attempt_s >= LONGEST_IF_UNKNOWN * first_s:
            return done
        if attempt_s >= LONGEST * limit_s:
            raise BusyError(
                f"this machine is too busy: for all but {own_s:.1f} of {attempt_s:g} s, a program waited for a CPU. "
                "Grade again when less is running, or with fewer jobs"
            )
        needed_s = attempt_s * first_s / own_s if own_s else 0.0
        attempt_s = min(max(LONGER * attempt_s, min(needed_s, MUCH_LONGER * attempt_s)), LONGEST * limit_s)
