from __future__ import annotations

import re

import pytest

from grader.render.html.class_page.plots import (
    COLUMNS,
    MIN_COLUMN_HEIGHT,
    DotPlot,
    Point,
    Series,
    call_plot,
    dot_plot,
    time_plots,
)
from grader.render.html.class_page.submission_row import SubmissionRow
from grader.render.views.log_scale import power_label

from . import factory

ROW = SubmissionRow(factory.entry(factory.report()))


def plot_of(**values_by_label: list[float]) -> DotPlot:
    points = [(label, Point(value, ROW)) for label, values in values_by_label.items() for value in values]
    return dot_plot("input", points, str)


def dots_of(series: Series, plot: DotPlot) -> list[tuple[float, float]]:
    return [(float(x), float(y)) for x, y in re.findall(r"M([\d.]+) ([\d.]+)h0", series.dots(plot.scale))]


def test_each_point_is_a_dot_within_the_field() -> None:
    plot = plot_of(a=[0.01, 0.5, 0.5, 9.9], b=[10.0])
    for series in plot.series:
        dots = dots_of(series, plot)
        assert len(dots) == len(series.points)
        assert all(0 <= x <= 100 and 0 <= y <= 100 for x, y in dots)


def test_larger_values_are_further_right_and_equal_ones_above_each_other() -> None:
    plot = plot_of(a=[1.0, 1.0, 3.0, 10.0])
    (x1, y1), (x2, y2), (x3, _), (x4, _) = dots_of(plot.series[0], plot)
    assert x1 == x2 < x3 < x4
    assert y1 > y2
    assert y1 - y2 == pytest.approx(100 / MIN_COLUMN_HEIGHT)


def test_many_equal_values_reach_the_top_and_no_further() -> None:
    plot = plot_of(a=[1.0] * 1000)
    heights = [y for _, y in dots_of(plot.series[0], plot)]
    assert min(heights) == pytest.approx(0.05, abs=0.01)
    assert max(heights) == pytest.approx(99.95, abs=0.01)


def test_the_ends_of_the_scale_have_their_own_columns() -> None:
    plot = plot_of(a=[1.0, 10.0])
    assert [x for x, _ in dots_of(plot.series[0], plot)] == pytest.approx(
        [50 / COLUMNS, 100 - 50 / COLUMNS], abs=0.01
    )


def test_zero_is_at_the_lower_end() -> None:
    plot = plot_of(a=[0.0, 5.0])
    assert dots_of(plot.series[0], plot)[0][0] == pytest.approx(50 / COLUMNS, abs=0.01)


def test_extremes_and_median() -> None:
    (series,) = plot_of(a=[3.0, 1.0, 2.0, 9.0]).series
    assert (series.lowest.value, series.median, series.highest.value) == (1.0, 2.0, 9.0)


def test_without_figures_there_is_no_plot() -> None:
    assert time_plots([]) == ()
    assert call_plot([]) is None
    uncounted = factory.buffered().model_copy(update={"stdin": None, "stdout": None})
    assert call_plot([SubmissionRow(factory.entry(factory.report(syscalls=(uncounted,))))]) is None


@pytest.mark.parametrize(
    ("power", "label"),
    [(-3, "0.001"), (0, "1"), (2, "100"), (3, "1,000"), (4, "10k"), (6, "1M"), (7, "10M"), (9, "1G"), (15, "1e15")],
)
def test_labels_of_an_axis_are_short(power: int, label: str) -> None:
    assert power_label(power) == label


def row_of(name: str, **changes: object) -> SubmissionRow:
    return SubmissionRow(factory.entry(factory.report(**changes), name))


def test_calls_of_wrong_copies_are_left_out() -> None:
    right, wrong = (
        factory.times(0.2, 5.0),
        tuple(one.model_copy(update={"correct": False}) for one in factory.times(0.1, 2.0)),
    )
    found = call_plot([row_of("right", timing=right), row_of("wrong", timing=wrong), row_of("crashed", timing=())])
    assert found is not None
    assert {len(series.points) for series in found.series} == {1}
    assert {series.lowest.row.entry.name for series in found.series} == {"right"}
    assert found.wrong == 4


def test_calls_of_runs_without_a_time_are_shown_if_the_lab_times_nothing() -> None:
    found = call_plot([row_of("a", timing=()), row_of("b", timing=())])
    assert found is not None
    assert {len(series.points) for series in found.series} == {2}
    assert found.wrong == 0
