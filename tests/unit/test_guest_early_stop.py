"""A run that was stopped is repeated if the machine was busy; with runs that only seem to take time."""

from __future__ import annotations

from typing import Any

import pytest

from grader.guest.deadline import STOPPED_BY_WALL
from grader.guest.oom import OomCounter
from grader.guest.runs import LONGER, OWN_SHARE, Runner

LIMIT_S = 10.0
STOP_S = 0.5
ENDED = {"kind": "exited", "code": 0}
LEFT_TO_STRACE: dict[str, Any] = {"wall_s": 3 * LIMIT_S}


class Machine:
    """Runs a program that takes `needs_s`, and gives it this share of its time; it remembers the wall limits."""

    def __init__(self, needs_s: float, share: float, *, knows_waiting: bool = True) -> None:
        self.limits_s: list[float] = []
        self._needs_s = needs_s
        self._share = share
        self._knows_waiting = knows_waiting

    def attempt(self, step: Any) -> dict[str, Any]:  # noqa: ANN401 - a part of it
        limit_s = step["limits"]["wall_s"]
        self.limits_s.append(limit_s)
        real_s = min(limit_s, self._needs_s / self._share)
        own_s = real_s * self._share
        return {
            "ending": ENDED if own_s >= self._needs_s else STOPPED_BY_WALL,
            "times": {"real_s": real_s, "user_s": own_s, "sys_s": 0.0},
            "peak_memory_bytes": 0,
            "waited_s": real_s - own_s if self._knows_waiting else None,
        }

    def run(self, tracer_limits: dict[str, Any] | None = None, stop_s: float | None = STOP_S) -> dict[str, Any]:
        runner = object.__new__(Runner)
        runner._oom = OomCounter(in_container=False)
        step: Any = {"limits": {"wall_s": LIMIT_S}, "tracer_limits": tracer_limits}
        return runner._with_retries(step, stop_s, self.attempt)


def test_what_ends_is_run_once() -> None:
    machine = Machine(needs_s=STOP_S / 2, share=1.0)
    assert machine.run()["ending"] == ENDED
    assert machine.limits_s == [STOP_S]


@pytest.mark.parametrize("share", [1.0, OWN_SHARE])
def test_what_had_its_time_is_not_run_again(share: float) -> None:
    machine = Machine(needs_s=1000, share=share)
    assert machine.run()["ending"] == STOPPED_BY_WALL
    assert machine.limits_s == [STOP_S]


def test_a_right_program_on_a_busy_machine_has_all_the_time_that_its_limits_allow() -> None:
    machine = Machine(needs_s=0.05, share=0.01)
    assert machine.run()["ending"] == ENDED
    assert machine.limits_s == [STOP_S, LONGER * STOP_S, LONGER**2 * STOP_S, LONGER**3 * STOP_S, LONGER**4 * STOP_S]


def test_a_right_program_that_waits_for_a_cpu_until_its_limit_is_run_once_more() -> None:
    machine = Machine(needs_s=LIMIT_S / 4, share=0.15)
    assert machine.run(stop_s=None)["ending"] == ENDED
    assert machine.limits_s == [LIMIT_S, LONGER * LIMIT_S]


@pytest.mark.parametrize("share", [1.0, OWN_SHARE])
def test_what_had_the_time_of_its_limit_is_not_run_again(share: float) -> None:
    machine = Machine(needs_s=1000, share=share)
    assert machine.run(stop_s=None)["ending"] == STOPPED_BY_WALL
    assert machine.limits_s == [LIMIT_S]


def test_what_does_not_end_on_a_busy_machine_is_repeated_once() -> None:
    machine = Machine(needs_s=1000, share=0.001)
    assert machine.run(stop_s=None)["ending"] == STOPPED_BY_WALL
    assert machine.limits_s == [LIMIT_S, LONGER * LIMIT_S]


@pytest.mark.parametrize("knows_waiting", [True, False])
def test_a_limit_is_a_limit_on_a_busy_machine_too(*, knows_waiting: bool) -> None:
    machine = Machine(needs_s=1000, share=0.001, knows_waiting=knows_waiting)
    assert machine.run()["ending"] == STOPPED_BY_WALL
    assert machine.limits_s[-1] == LIMIT_S


def test_a_log_of_strace_is_not_made_twice() -> None:
    machine = Machine(needs_s=1000, share=0.01)
    machine.run(LEFT_TO_STRACE)
    assert machine.limits_s == [STOP_S]
