from __future__ import annotations

import pytest

from grader.guest.deadline import LEAST_S, Deadline
from grader.guest.plan_json import LimitsJson

LIMITS: LimitsJson = {"cpu_s": 2, "wall_s": 10.0, "output_bytes": 3, "memory_bytes": 4}


@pytest.fixture
def now(monkeypatch: pytest.MonkeyPatch) -> list[float]:
    at = [100.0]
    monkeypatch.setattr("grader.guest.deadline.time.monotonic", lambda: at[0])
    return at


def test_without_a_deadline_limits_stay_and_time_is_never_up(now: list[float]) -> None:
    deadline = Deadline(None)
    now[0] += 1e9
    assert not deadline.is_up()
    assert deadline.within(LIMITS) == LIMITS


def test_wall_time_ends_with_the_deadline_and_no_other_limit_changes(now: list[float]) -> None:
    deadline = Deadline(30.0)
    assert deadline.within(LIMITS) == LIMITS
    now[0] += 25.0
    assert deadline.within(LIMITS) == {**LIMITS, "wall_s": 5.0}
    assert not deadline.is_up()


def test_when_it_is_up_a_run_still_has_a_limit_that_can_be_given(now: list[float]) -> None:
    deadline = Deadline(30.0)
    now[0] += 30.0
    assert deadline.is_up()
    assert deadline.within(LIMITS)["wall_s"] == LEAST_S > 0
