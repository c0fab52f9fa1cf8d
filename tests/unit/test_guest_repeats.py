"""Which runs are repeated without a tracer."""

from __future__ import annotations

from typing import Any

from grader.guest.runs import Runner

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
