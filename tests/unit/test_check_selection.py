"""What `--only` asks for."""

from __future__ import annotations

import pytest

from grader.errors import UsageError
from grader.selfcheck.check_selection import select_checks

from .lab import SPEC


@pytest.mark.parametrize(
    ("names", "checks"),
    [
        (["many.output"], {"many.output", "many.build"}),
        (["output"], {"many.output", "many.build", "single.output", "single.build"}),
        (["many.errors", "single.timing"], {"many.errors", "many.build", "single.timing", "single.build"}),
        (["many.build"], {"many.build"}),
        (["output", "many.output"], {"many.output", "many.build", "single.output", "single.build"}),
    ],
)
def test_a_check_comes_with_that_its_program_compiles(names: list[str], checks: set[str]) -> None:
    assert select_checks(SPEC, names) == checks


def test_a_program_stands_for_all_its_checks() -> None:
    own = {check for check in SPEC.checks() if check.startswith("many.")}
    assert len(own) > 2
    assert select_checks(SPEC, ["many"]) == own
    assert select_checks(SPEC, ["many", "single.output"]) == own | {"single.output", "single.build"}


@pytest.mark.parametrize(
    ("name", "meant"), [("outptu", "output"), ("many.outputs", "many.output"), ("Timing", "timing")]
)
def test_a_check_that_is_not_there_is_told_with_the_one_that_is_meant(name: str, meant: str) -> None:
    with pytest.raises(UsageError) as caught:
        select_checks(SPEC, ["output", name])
    first, second = str(caught.value).splitlines()
    assert first == f"--only {name}: there is no such check. Did you mean {meant}?"
    assert all(item.name in second for item in SPEC.rubric)
    assert "many.build" in second


def test_where_nothing_is_near_no_guess_is_made() -> None:
    with pytest.raises(UsageError) as caught:
        select_checks(SPEC, ["zzzz"])
    assert "Did you mean" not in str(caught.value)
