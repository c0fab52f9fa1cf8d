from __future__ import annotations

import re

import pytest

from grader.render.html.class_page.plots import COLUMNS, ROOM, Figure, Lane, Strip, power_words, strip
from grader.render.html.class_page.rows import Row

from . import factory

ROW = Row(factory.entry(factory.report()))


def lanes(**values: list[float]) -> Strip:
    made = strip("input", [(label, Figure(one, ROW)) for label, every in values.items() for one in every], str)
    assert made is not None
    return made


def places(lane: Lane, of: Strip) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", lane.dots(of.scale))]


def test_a_dot_a_figure_within_the_field() -> None:
    made = lanes(a=[0.01, 0.5, 0.5, 9.9], b=[10.0])
    for lane in made.lanes:
        dots = places(lane, made)
        assert len(dots) == len(lane.figures)
        assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in dots)


def test_larger_is_further_right_and_the_same_stands_higher() -> None:
    made = lanes(a=[1.0, 1.0, 3.0, 10.0])
    (x1, y1), (x2, y2), (x3, _), (x4, _) = places(made.lanes[0], made)
    assert x1 == x2 < x3 < x4
    assert y1 > y2
    assert y1 - y2 == pytest.approx(100 / ROOM)


def test_a_high_pile_reaches_the_top_and_no_further() -> None:
    made = lanes(a=[1.0] * 1000)
    heights = [y for _, y in places(made.lanes[0], made)]
    assert min(heights) == pytest.approx(0.05, abs=0.01)
    assert max(heights) == pytest.approx(99.95, abs=0.01)


def test_ends_of_the_scale_have_a_column_of_their_own() -> None:
    made = lanes(a=[1.0, 10.0])
    assert [x for x, _ in places(made.lanes[0], made)] == pytest.approx([50 / COLUMNS, 100 - 50 / COLUMNS], abs=0.01)


def test_what_never_happened_stands_at_the_lower_end() -> None:
    made = lanes(a=[0.0, 5.0])
    assert places(made.lanes[0], made)[0][0] == pytest.approx(50 / COLUMNS, abs=0.01)


def test_extremes_and_median() -> None:
    (lane,) = lanes(a=[3.0, 1.0, 2.0, 9.0]).lanes
    assert (lane.lowest.value, lane.median, lane.highest.value) == (1.0, 2.0, 9.0)


def test_nothing_is_no_strip() -> None:
    assert strip("input", [], str) is None


@pytest.mark.parametrize(
    ("power", "words"),
    [(-3, "0.001"), (0, "1"), (2, "100"), (3, "1,000"), (4, "10k"), (6, "1M"), (7, "10M"), (9, "1G"), (15, "1e15")],
)
def test_an_axis_is_short(power: int, words: str) -> None:
    assert power_words(power) == words
