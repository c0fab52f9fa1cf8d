"""A run that was stopped is repeated if the machine was busy; with runs that only seem to take time."""

from __future__ import annotations

from typing import Any

import pytest

from grader.guest.deadline import STOPPED_BY_WALL, Deadline
from grader.guest.oom import OomCounter
from grader.guest.own_time import (
    LONGER,
    LONGEST,
    LONGEST_IF_UNKNOWN,
    MUCH_LONGER,
    OWN_SHARE,
    BusyError,
    OwnTime,
    with_time,
)
from grader.guest.runs import Runner
from grader.sandbox.session import WALL_LIMITS_MAX

LIMIT_S = 10.0
STOP_S = 0.5
ENDED: dict[str, str | int] = {"kind": "exited", "code": 0}
STOPPED_BY_CPU: dict[str, str | int] = {"kind": "limit", "limit": "cpu"}
LEFT_TO_STRACE: dict[str, Any] = {"wall_s": 3 * LIMIT_S}


class Machine:
    """Runs a program that takes `needs_s`, and gives it this share of its time; it remembers the wall limits."""

    def __init__(self, needs_s: float, share: float, *, cpu_limit_s: float = 1e9) -> None:
        self.limits_s: list[float] = []
        self._needs_s = needs_s
        self._share = share
        self._cpu_limit_s = cpu_limit_s
        self.slept_s: float | None = 0.0
        self.stopped: set[str] = set()

    def attempt(self, step: Any) -> dict[str, Any]:  # noqa: ANN401 - a part of it
        return self.attempt_of((step["tracer_limits"] or step["limits"])["wall_s"])

    def attempt_of(self, limit_s: float) -> dict[str, Any]:
        self.limits_s.append(limit_s)
        own_s = min(limit_s * self._share, self._needs_s, self._cpu_limit_s)
        ending = STOPPED_BY_CPU if own_s == self._cpu_limit_s else {**STOPPED_BY_WALL}
        if own_s == self._needs_s:
            ending = ENDED
        return {"ending": ending, "peak_memory_bytes": 0, "own_s": own_s, "slept_s": self.slept_s}

    def run(self, tracer_limits: dict[str, Any] | None = None, stop_s: float | None = STOP_S) -> dict[str, Any]:
        runner = object.__new__(Runner)
        runner._oom = OomCounter(in_container=False)
        runner._deadline = Deadline(None)
        runner._stopped_by_limit = self.stopped
        names = {"id": "many.copy.strace", "program": "many", "case": "copy"}
        step: Any = {**names, "limits": {"wall_s": LIMIT_S}, "tracer_limits": tracer_limits}
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


@pytest.mark.parametrize("share", [1.0, OWN_SHARE])
def test_what_had_the_time_of_its_limit_is_not_run_again(share: float) -> None:
    machine = Machine(needs_s=1000, share=share)
    assert machine.run(stop_s=None)["ending"] == STOPPED_BY_WALL
    assert machine.limits_s == [LIMIT_S]


@pytest.mark.parametrize("stop_s", [None, STOP_S])
@pytest.mark.parametrize("share", [0.5, 0.1, 1 / 21])
def test_a_right_program_ends_well_on_a_busy_machine(share: float, stop_s: float | None) -> None:
    assert Machine(needs_s=0.4, share=share).run(stop_s=stop_s)["ending"] == ENDED


@pytest.mark.parametrize("share", [1.0, 0.5, 0.1, 1 / 21])
def test_a_program_without_end_has_the_same_reason_on_a_busy_machine(share: float) -> None:
    machine = Machine(needs_s=1000, share=share, cpu_limit_s=1.0)
    assert machine.run(stop_s=None)["ending"] == STOPPED_BY_CPU


def test_what_waits_is_given_the_time_that_it_needs_at_this_speed() -> None:
    machine = Machine(needs_s=LIMIT_S, share=0.25)
    assert machine.run(stop_s=None)["ending"] == ENDED
    assert machine.limits_s == [LIMIT_S, 4 * LIMIT_S]


@pytest.mark.parametrize("share", [0.0, 0.001])
def test_what_has_no_cpu_is_nobodys_failure(share: float) -> None:
    machine = Machine(needs_s=1000, share=share)
    with pytest.raises(BusyError, match="this machine is too busy"):
        machine.run(stop_s=None)
    assert machine.limits_s[0] == LIMIT_S
    assert machine.limits_s[-1] == LONGEST * LIMIT_S
    assert sum(machine.limits_s) <= WALL_LIMITS_MAX * LIMIT_S


def test_what_may_only_have_slept_is_repeated_less_and_is_stopped_by_its_limit() -> None:
    machine = Machine(needs_s=1000, share=0.0)
    machine.slept_s = None
    assert machine.run(stop_s=None)["ending"] == STOPPED_BY_WALL
    assert machine.limits_s == [LIMIT_S, LONGER * LIMIT_S, LONGEST_IF_UNKNOWN * LIMIT_S]


def test_each_attempt_is_longer_up_to_the_last() -> None:
    machine = Machine(needs_s=1000, share=0.0)
    with pytest.raises(BusyError):
        machine.run(stop_s=None)
    for before_s, after_s in zip(machine.limits_s, machine.limits_s[1:], strict=False):
        assert after_s >= min(LONGER * before_s, LONGEST * LIMIT_S)


def test_after_the_deadline_nothing_is_repeated() -> None:
    machine = Machine(needs_s=1000, share=0.0)
    assert with_time(machine.attempt_of, LIMIT_S, Deadline(0.0))["ending"] == STOPPED_BY_WALL
    assert machine.limits_s == [LIMIT_S]


def test_a_log_of_strace_of_what_does_not_end_is_not_made_twice() -> None:
    machine = Machine(needs_s=1000, share=0.01)
    machine.stopped.add("many.copy")
    machine.run(LEFT_TO_STRACE)
    assert machine.limits_s == [STOP_S]


def test_a_log_of_strace_that_a_busy_machine_cut_short_is_made_again() -> None:
    machine = Machine(needs_s=1.0, share=0.02)
    assert machine.run(LEFT_TO_STRACE, stop_s=None)["ending"] == ENDED
    assert machine.limits_s[0] == LEFT_TO_STRACE["wall_s"]


@pytest.mark.parametrize(
    ("waited_s", "helpers_waited_s", "ending", "is_of_starter", "own_s"),
    [
        (0.0, 0.0, ENDED, False, 10.0),  # it slept
        (9.0, 0.0, ENDED, False, 1.0),  # it waited for a CPU
        (4.0, 5.0, ENDED, False, 1.0),  # and the guest did, from which it reads
        (9.5, 9.5, ENDED, False, 1.0),  # never less than its CPU time
        (None, 0.0, ENDED, False, 1.0),  # nobody knows
        (0.0, 0.0, ENDED, True, 1.0),  # gcc sleeps while cc1 waits
        (7.0, 0.0, STOPPED_BY_WALL, True, 3.0),  # strace sleeps while the program sleeps or waits
    ],
)
def test_time_in_a_queue_is_not_a_programs_own(
    waited_s: float | None, helpers_waited_s: float, ending: dict[str, Any], own_s: float, *, is_of_starter: bool
) -> None:
    times = {"wall_s": 10.0, "user_s": 0.75, "sys_s": 0.25, "waited_s": waited_s}
    report: dict[str, Any] = {**times, "ending": ending}
    own_time = OwnTime()
    for number in (1, 2):
        own_time.measure(report, helpers_waited_s, is_of_starter=is_of_starter)
        assert report["own_s"] == own_s
        assert (report["slept_s"] is None) == (waited_s is None)
        assert own_time.total_s == number * own_s


def test_what_slept_while_its_tracer_waited_for_a_cpu_does_not_sleep_for_all_the_time_that_there_is() -> None:
    """Its own time seems to be next to nothing in the first attempt."""
    limits_s: list[float] = []

    def sleep(limit_s: float) -> dict[str, Any]:
        limits_s.append(limit_s)
        own_s = limit_s if len(limits_s) > 1 else limit_s / 100
        return {"ending": STOPPED_BY_WALL, "own_s": own_s, "slept_s": own_s}

    assert with_time(sleep, LIMIT_S, Deadline(None), STOP_S)["ending"] == STOPPED_BY_WALL
    assert limits_s == [STOP_S, MUCH_LONGER * STOP_S]
