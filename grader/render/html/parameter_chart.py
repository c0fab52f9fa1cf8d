"""Charts of calls and of seconds over a parameter, for inline SVGs, with the axes of the other chart."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.model.report import Report
from grader.render.html.chart import BOTTOM, HEIGHT, LEFT, MARGIN_DECADES, RIGHT, TOP, WIDTH, Axis, Tick
from grader.render.text.phrases import seconds_words
from grader.render.views.parameter_plots import ParameterPlot, PlotLine, parameter_plots, value_words

SPREAD = 7
"""Marks of the same value are this far from each other, so that programs with the same figures can be seen."""

MARGIN = 24
"""Space in the field left and right of the marks."""

LABEL_GAP = 8
CHAR_WIDTH = 7.3

SHAPES = (
    "m{r} 0a{r} {r} 0 1 0-{d} 0a{r} {r} 0 1 0 {d} 0",
    "m-{r}-{r}h{d}v{d}h-{d}z",
    "m0-{r}l{r} {d}h-{d}z",
    "m0 {r}l{r}-{d}h-{d}z",
)
"""Paths of marks around a point, with radius r and diameter d; a fifth program has that of the first."""

OWN_RADIUS, REFERENCE_RADIUS = 4, 7


@dataclass(frozen=True)
class DrawnLine:
    """A line as paths: from point to point, and all its marks."""

    line: PlotLine
    path: str
    marks: str


@dataclass(frozen=True)
class ParameterChart:
    """One picture; `unit` is what the vertical axis shows, `description` says in words what is drawn."""

    unit: str
    lines: tuple[DrawnLine, ...]
    ticks: tuple[Tick, ...]
    figure_axis: Axis
    description: str
    left: int = LEFT
    right: int = RIGHT
    width: int = WIDTH
    height: int = HEIGHT


@dataclass(frozen=True)
class LegendEntry:
    """A mark and whose it is."""

    mark: str
    label: str
    is_reference: bool


@dataclass(frozen=True)
class DrawnPlot:
    """What the template draws."""

    plot: ParameterPlot
    charts: tuple[ParameterChart, ...]
    legend: tuple[LegendEntry, ...]


def parameter_charts(report: Report) -> tuple[DrawnPlot, ...]:
    """Return the charts of a report."""
    return tuple(_drawn(plot) for plot in parameter_plots(report))


def _drawn(plot: ParameterPlot) -> DrawnPlot:
    pictures = (("reads and writes", plot.calls), ("seconds", plot.seconds))
    lines = {(one.label, one.number, one.is_reference): None for _, drawn in pictures for one in drawn}
    legend = sorted(lines, key=lambda one: (one[2], one[1]))
    return DrawnPlot(
        plot,
        tuple(_chart(plot, unit, drawn) for unit, drawn in pictures if drawn),
        tuple(
            LegendEntry(f"M10 10{_mark(number, is_reference=is_reference)}", label, is_reference)
            for label, number, is_reference in legend
        ),
    )


def _chart(plot: ParameterPlot, unit: str, lines: Sequence[PlotLine]) -> ParameterChart:
    values = sorted({point.value for line in (*plot.calls, *plot.seconds) for point in line.points})
    figures = [math.log10(point.figure) for line in lines for point in line.points]
    across = _value_axis(values)
    upwards = Axis(min(figures) - MARGIN_DECADES, max(figures) + MARGIN_DECADES, BOTTOM, TOP)
    middle = max(line.number for line in lines) / 2
    return ParameterChart(
        unit,
        tuple(_line(line, across, upwards, (line.number - middle) * SPREAD) for line in lines),
        tuple(_value_ticks(values, across)),
        upwards,
        "; ".join(_words(plot.parameter, unit, line) for line in lines if not line.is_reference),
    )


def _value_axis(values: Sequence[float]) -> Axis:
    low, high = math.log10(values[0]), math.log10(values[-1])
    if low == high:
        # A single value is in the middle.
        low, high = low - 1, high + 1
    return Axis(low, high, LEFT + MARGIN, RIGHT - MARGIN)


def _value_ticks(values: Sequence[float], axis: Axis) -> Iterator[Tick]:
    """Yield a line for each value; a label only where there is room for it."""
    free = -math.inf
    for value in values:
        at, text = axis.at(value), value_words(value)
        half = len(text) * CHAR_WIDTH / 2
        has_room = at - half >= free
        free = at + half + LABEL_GAP if has_room else free
        yield Tick(at, text if has_room else "")


def _line(line: PlotLine, across: Axis, upwards: Axis, shift: float) -> DrawnLine:
    points = [f"{across.at(one.value) + shift:.1f} {upwards.at(one.figure)}" for one in line.points]
    mark = _mark(line.number, is_reference=line.is_reference)
    return DrawnLine(line, "M" + "L".join(points), "".join(f"M{point}{mark}" for point in points))


def _mark(number: int, *, is_reference: bool) -> str:
    radius = REFERENCE_RADIUS if is_reference else OWN_RADIUS
    return SHAPES[number % len(SHAPES)].format(r=radius, d=2 * radius)


def _words(parameter: str, unit: str, line: PlotLine) -> str:
    """Say where a line begins and ends; the table has all numbers."""
    ends = (
        f"{seconds_words(point.figure) if unit == 'seconds' else f'{point.figure:,}'}"
        f" where {parameter} is {value_words(point.value)}"
        for point in dict.fromkeys((line.points[0], line.points[-1]))
    )
    return f"{line.label}: {', '.join(ends)}"
