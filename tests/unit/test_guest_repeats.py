"""Which runs are repeated without a tracer, and how strictly."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from grader.guest.launch import Filter
from grader.guest.runs import AMBIGUOUS, Runner

OK = {"kind": "exited", "code": 0}
ENDED = {"ending": OK, "trace": None}
CONFORMING = {"calls": 5, "nbyte_min": 1, "nbyte_max": 1}
EXEC = {"calls": 1, "errors": 0}
TRACE = {
    "complete": True,
    "transfers_only": False,
    "input_mappings": 0,
    "calls": {"execve": EXEC, "read": {"calls": 6, "errors": 0}},
    "stdin": CONFORMING,
    "stdout": CONFORMING,
}
STRICT = Filter(1, 1)


class Repeats(Runner):
    """Remembers what it would run again."""

    def __init__(self) -> None:
        self.again: list[Filter] = []

    def _untraced(self, step: Any, filtered: Filter) -> dict[str, Any]:  # noqa: ANN401 - a part of it
        assert step["id"] == "tr2u.own-size"
        self.again.append(filtered)
        return {}

    def of(self, *, repeat_untraced: bool = True, **done: object) -> list[Filter]:
        step: Any = {"id": "tr2u.own-size", "repeat_untraced": repeat_untraced, "read_nbyte": 1, "write_nbyte": 1}
        self._again(step, {**ENDED, **done})
        return self.again


def test_a_filtered_run_is_repeated_without_a_tracer_and_with_no_other_calls() -> None:
    assert Repeats().of(engine="filter", trace=TRACE) == [STRICT]
    assert not Repeats().of(repeat_untraced=False, engine="filter", trace=TRACE)
    assert not Repeats().of(engine="filter", trace={**TRACE, "complete": False})
    assert not Repeats().of(engine="account", trace=TRACE)
    assert not Repeats().of(engine="filter", trace=TRACE, ending={"kind": "limit", "limit": "wall"})


@pytest.mark.parametrize(
    "other",
    [
        *({"calls": {**TRACE["calls"], name: EXEC}} for name in sorted(AMBIGUOUS)),  # type: ignore[dict-item]
        {"calls": {"execve": {"calls": 2, "errors": 0}}},
        {"input_mappings": 1},
        {"transfers_only": True},
        {"stdin": {**CONFORMING, "nbyte_max": 4096}},
        {"stdout": {"calls": 0, "nbyte_min": None, "nbyte_max": None}},
    ],
)
def test_what_the_traced_run_did_too_does_not_end_the_other(other: Mapping[str, Any]) -> None:
    assert Repeats().of(engine="filter", trace={**TRACE, **other}) == [Filter()]
