from __future__ import annotations

import pytest

from grader.render.views.log_scale import Scale, scale_for


def test_a_scale_holds_whole_decades() -> None:
    assert scale_for([1, 5_000_002]) == Scale(power=0, decades=7)
    assert scale_for([0.02, 2.5]) == Scale(power=-2, decades=3)
    assert (scale_for([0.02, 2.5]).low, scale_for([0.02, 2.5]).high) == (0.01, 10.0)


@pytest.mark.parametrize("values", [[], [0.0], [1.0], [1.0, 1.0]])
def test_a_scale_has_a_decade_at_least(values: list[float]) -> None:
    assert scale_for(values) == Scale(power=0, decades=1)


def test_ten_times_as_much_is_one_decade_further() -> None:
    scale = Scale(power=0, decades=4)
    assert [scale.percent(value) for value in (1, 10, 100, 1000, 10_000)] == [0, 25, 50, 75, 100]


def test_what_is_off_the_scale_stays_in_the_cell() -> None:
    scale = Scale(power=0, decades=4)
    assert [scale.percent(value) for value in (0, 0.01, 10**9)] == [0, 0, 100]
