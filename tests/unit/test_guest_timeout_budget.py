from __future__ import annotations

from typing import Any

import pytest

from grader.guest.plan_json import RunStepJson
from grader.guest.timeout_budget import MAX_TIMEOUTS, SLOWER, TimeoutBudget
from grader.judge.facts import Facts
from grader.model.evidence import LimitHit, run_id

from .facts import facts
from .test_plan_builder import steps

COPIES, REFUSALS = "copies", "checks errors"
EXITED: dict[str, Any] = {"kind": "exited", "code": 1}
CRASHED: dict[str, Any] = {"kind": "signalled", "signal": 11}


def stopped(limit: LimitHit) -> dict[str, Any]:
    return {"kind": "limit", "limit": limit}


def step(hang_group: str | None = COPIES, program: str = "many", **changes: object) -> RunStepJson:
    planned: Any = steps(program)[run_id(program, "copy")].model_dump(mode="json")
    changed: Any = {**planned, "hang_group": hang_group, **changes}
    return changed  # type: ignore[no-any-return]


EARLY = {"first_s": 2.0, "again_s": 0.3}
TRACED = step(tracer_limits={})


def budget(*endings: dict[str, Any], hang_group: str | None = COPIES) -> TimeoutBudget:
    """A budget after runs of a hang group ended this way."""
    spent = TimeoutBudget()
    for ending in endings:
        spent.note(step(hang_group), ending)
    return spent


@pytest.mark.parametrize("limit", ["cpu", "wall"])
def test_a_program_is_waited_for_so_often_and_not_again(limit: LimitHit) -> None:
    assert not budget(*[stopped(limit)] * (MAX_TIMEOUTS - 1)).is_over(step())
    assert budget(*[stopped(limit)] * MAX_TIMEOUTS).is_over(step())


@pytest.mark.parametrize("ending", [EXITED, CRASHED, stopped("output"), stopped("memory")])
@pytest.mark.parametrize("place", range(MAX_TIMEOUTS + 1))
def test_what_ends_once_may_end_again(ending: dict[str, Any], place: int) -> None:
    endings = [stopped("cpu")] * MAX_TIMEOUTS
    endings.insert(place, ending)
    assert not budget(*endings, *endings).is_over(step())


def test_who_does_not_copy_may_still_refuse_and_is_asked_once_for_each_check() -> None:
    spent = budget(*[stopped("cpu")] * MAX_TIMEOUTS)
    assert not spent.is_over(step(REFUSALS))
    spent.note(step(REFUSALS), stopped("cpu"))
    assert spent.is_over(step(REFUSALS))
    assert not spent.is_over(step("checks others"))


def test_who_does_not_end_now_and_then_is_waited_for_everywhere_else() -> None:
    spent = budget(EXITED, *[stopped("cpu")] * MAX_TIMEOUTS)
    assert not spent.is_over(step(REFUSALS))
    assert not spent.is_over(step())
    spent.note(step(REFUSALS), EXITED)
    spent.note(step(REFUSALS), stopped("wall"))
    assert not spent.is_over(step(REFUSALS))


def test_each_program_is_on_its_own_and_what_is_like_nothing_else_is_always_waited_for() -> None:
    spent = budget(*[stopped("cpu")] * MAX_TIMEOUTS)
    assert not spent.is_over(step(program="single"))
    assert not spent.is_over(step(None))
    assert not budget(*[stopped("cpu")] * MAX_TIMEOUTS, hang_group=None).is_over(step(None))


@pytest.mark.parametrize("limit", ["cpu", "wall"])
def test_after_a_run_that_did_not_end_others_are_stopped_sooner(limit: LimitHit) -> None:
    stopped_early = step(REFUSALS, early_stop=EARLY)
    assert TimeoutBudget().stop_s(stopped_early) == 2.0
    assert budget(EXITED).stop_s(stopped_early) == 2.0
    spent = budget(stopped(limit))
    assert spent.stop_s(stopped_early) == 0.3
    assert spent.stop_s(step(REFUSALS)) is None
    assert spent.stop_s(step(REFUSALS, "single", early_stop=EARLY)) == 2.0


def test_a_program_whose_other_runs_take_long_is_not_stopped_so_soon() -> None:
    stopped_early = step(early_stop=EARLY)
    spent = budget(stopped("cpu"))
    spent.note(step(), EXITED, 0.2)
    spent.note(step(), EXITED, 0.1)
    assert spent.stop_s(stopped_early) == SLOWER * 0.2
    spent.note(TRACED, EXITED, 7.0)
    assert spent.stop_s(stopped_early) == SLOWER * 0.2


def test_a_run_beneath_strace_shows_nothing_new() -> None:
    spent = budget(*[stopped("cpu")] * (MAX_TIMEOUTS - 1))
    spent.note(TRACED, stopped("cpu"))
    assert not spent.is_over(step())
    spent.note(step(), stopped("cpu"))
    spent.note(TRACED, EXITED)
    assert spent.is_over(step())


@pytest.mark.parametrize("limit", ["output", "memory", "cpu"])
def test_strace_does_not_wait_long_for_a_run_that_a_limit_stopped(limit: LimitHit) -> None:
    """A program that writes a byte at a time without end takes a quarter of a minute to reach its limit there."""
    spent = TimeoutBudget()
    traced = step(tracer_limits={}, early_stop={"first_s": None, "again_s": 1.0})
    other = {**traced, "case": "other", "program": "single" if limit == "cpu" else "many"}
    spent.note(step(), EXITED)
    assert spent.stop_s(traced) is None
    spent.note(step(), stopped(limit))
    assert spent.stop_s(traced) == 1.0
    assert spent.stop_s(other) is None  # type: ignore[arg-type]


def test_all_copies_are_one_hang_group_and_other_cases_those_of_their_checks() -> None:
    groups = {name: run.hang_group for name, run in steps("many").items()}
    assert groups.pop("many.refuse") == REFUSALS
    assert groups.pop("many.open") == "checks either"
    assert set(groups.values()) == {COPIES}


def test_the_words_tell_of_as_many_runs() -> None:
    seen: Facts = facts(left_out={"many.copy": "given-up"})
    words = seen.left_out_by_own_fault("many.copy")
    assert MAX_TIMEOUTS == 3
    assert words is not None
    assert "had not ended in three earlier runs" in words
