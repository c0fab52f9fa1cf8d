"""Which runs are repeated without a tracer."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

import pytest

from grader.guest.runs import MANY_STOPS, Runner

OK = {"kind": "exited", "code": 0}
ENDED = {"ending": OK, "trace": None}
TRACE = {"complete": True, "strays": []}


class Repeats(Runner):
    """Does not run anything again."""

    def __init__(self) -> None:
        """Have no launcher and no folders."""

    def _untraced(self, step: Any) -> dict[str, Any]:  # noqa: ANN401 - a part of it
        return {"step": f"{step['id']}.again"}

    def of(self, *, repeat_untraced: bool = True, **done: object) -> dict[str, Any] | None:
        step: Any = {"id": "tr2u.own-size", "repeat_untraced": repeat_untraced}
        return self._again(step, {**ENDED, **done})


def test_a_filtered_run_is_repeated_without_a_tracer() -> None:
    assert Repeats().of(engine="filter", trace=TRACE) == {"step": "tr2u.own-size.again"}
    assert Repeats().of(repeat_untraced=False, engine="filter", trace=TRACE) is None
    assert Repeats().of(engine="filter", trace={**TRACE, "complete": False}) is None
    assert Repeats().of(engine="account", trace=TRACE) is None
    assert Repeats().of(engine="filter", trace=TRACE, ending={"kind": "limit", "limit": "wall"}) is None


def test_calls_that_would_end_it_are_not_made_again() -> None:
    assert Repeats().of(engine="filter", trace={**TRACE, "strays": ["dup"]}) is None


WALL_S, MOST_S = 10, 160
TOO_OFTEN = {"kind": "limit", "limit": "stops"}
FLOODS = {"kind": "limit", "limit": "output"}


class Filtered(Runner):
    """Runs a program that makes too many calls for the filter, and remembers the engines."""

    def __init__(self, ending: dict[str, Any], filtered: Mapping[str, Any] = MappingProxyType({})) -> None:
        """`ending` is how the program ends where nothing stops its calls, and `filtered` what the filter reports."""
        self.ending = ending
        self.filtered = filtered or {"ending": TOO_OFTEN, "trace": None}
        self.engines: list[str] = []
        self._made_many_calls: set[str] = set()

    def _most_stops(self, _step: object) -> int:
        return 1

    def _stops_often(self, _step: object) -> bool:
        return False

    def _in_time(self, _step: object, engine: str, *_others: object) -> dict[str, Any]:
        self.engines.append(engine)
        return {**self.filtered} if engine == "filter" else {"ending": self.ending, "trace": None}

    def of(self, program: str) -> list[str]:
        """Return the engines of one run."""
        before = len(self.engines)
        assert self.done(program)["ending"] == self.ending
        return self.engines[before:]

    def done(self, program: str = "tr2u") -> dict[str, Any]:
        limits = {"wall_s": WALL_S}
        step: Any = {"program": program, "read_nbyte": 1, "write_nbyte": 1, "limits": limits, "tracer_limits": None}
        return self._filtered(step, "", MOST_S)


def test_the_calls_of_a_program_that_does_not_end_are_counted_once() -> None:
    runner = Filtered(FLOODS)
    assert runner.of("tr2u") == ["filter", "filter", "account"]
    assert runner.of("tr2u") == ["account"]
    assert runner.of("tr2b") == ["filter", "filter", "account"], "another program"
    runner.ending = OK
    assert runner.of("tr2u") == ["account", "filter", "filter", "account"], "it ends now"


FREE = {"calls": 5000, "nbyte_min": 1, "nbyte_max": 1}
OTHER = {"calls": 0, "nbyte_min": None, "nbyte_max": None}


def stopped(stops: int, limit: str) -> dict[str, Any]:
    """What the filter reports of a run that a limit stops after so many stops."""
    calls = {"write": {"calls": 5000}, "pread64": {"calls": stops}}
    return {
        "ending": {"kind": "limit", "limit": limit},
        "trace": {"calls": calls, "stdin": OTHER, "stdout": FREE},
    }


@pytest.mark.parametrize(
    ("limit", "engines"),
    [
        # With more time first: a machine that is busy for long has none for that either.
        ("wall", ["filter", "account", "filter", "filter", "account"]),
        ("cpu", ["filter", "account", "filter", "account"]),
    ],
)
def test_a_run_that_is_slow_because_of_its_stops_is_run_without_them(limit: str, engines: list[str]) -> None:
    """On a busy machine a right program that calls pread for each byte was said not to end."""
    runner = Filtered(OK, stopped(MANY_STOPS, limit))
    done = runner.done()
    assert runner.engines == engines
    assert done["ending"] == OK
    assert done["trace"] == runner.filtered["trace"]


@pytest.mark.parametrize("limit", ["wall", "cpu"])
def test_a_run_that_is_slow_with_few_stops_is_not_repeated(limit: str) -> None:
    runner = Filtered(OK, stopped(MANY_STOPS - 1, limit))
    assert runner.done()["ending"]["kind"] == "limit"
    assert runner.engines == ["filter"]


def test_a_run_whose_stops_wait_for_a_cpu_has_more_time() -> None:
    """On a busy machine, the writes of a program to a terminal were not judged."""

    class Busy(Filtered):
        def _in_time(self, step: Any, engine: str, *others: object) -> dict[str, Any]:  # noqa: ANN401 - a part of it
            done = super()._in_time(step, engine, *others)
            return {"ending": OK, "trace": {"all": "seen"}} if step["limits"]["wall_s"] == MOST_S else done

    runner = Busy(OK, stopped(MANY_STOPS, "wall"))
    assert runner.done() == {"ending": OK, "trace": {"all": "seen"}}
    assert runner.engines == ["filter", "account", "filter"]


def test_a_run_that_does_not_end_without_stops_either_is_not_filtered_again() -> None:
    trace = {"calls": {"lseek": {"calls": MANY_STOPS}}, "stdin": OTHER, "stdout": OTHER}
    endless = {"kind": "limit", "limit": "cpu"}
    runner = Filtered(endless, {"ending": endless, "trace": trace})
    assert runner.of("tr2u") == ["filter", "account"]
    assert runner.of("tr2u") == ["account"]


def test_the_calls_of_a_program_that_ends_are_counted_in_each_run() -> None:
    runner = Filtered(OK)
    assert runner.of("tr2u") == runner.of("tr2u") == ["filter", "filter", "account"]


class Named(Filtered):
    """Runs a program without a tracer; `strays` is what the kernel names, None if it cannot."""

    def __init__(self, ending: dict[str, Any], strays: list[str] | None) -> None:
        """`ending` is how the program ends while its calls are named."""
        super().__init__(OK, {"ending": OK, "trace": {"calls": {}}})
        self.named = {"ending": ending, "trace": None, "strays": strays}
        self._names_strays = True

    def _in_time(self, step: object, engine: str, *others: object) -> dict[str, Any]:
        if engine == "account" and len(others) > 1:
            self.engines.append("named")
            return {**self.named}
        return super()._in_time(step, engine, *others)

    def done(self, program: str = "tr2u") -> dict[str, Any]:
        step: Any = {"program": program, "read_nbyte": 1, "write_nbyte": 1}
        return self._attempt(step, "account", "", MOST_S)


def test_calls_of_an_exact_pattern_are_named_where_the_kernel_can() -> None:
    assert Named(OK, ["read"]).of("tr2u") == ["named"]


def test_where_the_kernel_cannot_the_filter_counts_them_and_this_is_tried_once() -> None:
    runner = Named({"kind": "signalled", "signal": 31}, None)
    assert [runner.of("tr2u"), runner.of("tr2u")] == [["named", "filter"], ["filter"]]


def test_who_makes_too_many_of_them_is_counted_by_the_totals() -> None:
    runner = Named(TOO_OFTEN, ["read"])
    assert runner.done()["strays"] == ["read"], "or its calls would be taken for conforming ones"
    assert runner.engines == ["named", "account"]
