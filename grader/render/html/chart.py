"""The chart of calls against time, for an inline SVG: where its marks, labels and lines are.

Coordinates are in units of the viewBox. It has about as many as a phone has pixels, so that text has its size there.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from grader.model.report import Report
from grader.render.text.escape import short
from grader.render.text.phrases import seconds_words
from grader.render.views.calls_and_time import CallsAndTime, MeasuredProgram, calls_and_time
from grader.render.views.log_scale import power_label

WIDTH, HEIGHT = 360, 250
LEFT, RIGHT, TOP, BOTTOM = 42, 350, 24, 206
"""The field of the marks."""

MARGIN_DECADES = 0.5
"""Space around the marks: with half a decade on both sides, each axis has a power of ten."""

MARK_RADIUS = 7
LINE_HEIGHT = 16
CHAR_WIDTH = 7.3
"""Width of a character of a label, in a wide typeface."""

MAX_NAME_CHARS = 20


@dataclass(frozen=True)
class Box:
    """A rectangle; `x` and `y` are its left upper corner."""

    x: float
    y: float
    width: float
    height: float

    def overlaps(self, other: Box) -> bool:
        """Return whether two rectangles have more than an edge in common."""
        return (
            self.x < other.x + other.width
            and other.x < self.x + self.width
            and self.y < other.y + other.height
            and other.y < self.y + self.height
        )

    def is_in_field(self) -> bool:
        """Return whether the whole rectangle is in the field of the marks."""
        return self.x >= LEFT and self.x + self.width <= RIGHT and self.y >= TOP and self.y + self.height <= BOTTOM


@dataclass(frozen=True)
class Mark:
    """A mark at (x, y) and its label; `leader` is a line from the mark to a label that is not next to it, or ""."""

    measured: MeasuredProgram
    text: str
    x: float
    y: float
    label: Box
    leader: str


@dataclass(frozen=True)
class Tick:
    """A line of the grid and its label."""

    at: float
    text: str


@dataclass(frozen=True)
class Axis:
    """A logarithmic axis from position `start` to `end`; `low` and `high` are powers of ten, perhaps not whole."""

    low: float
    high: float
    start: float
    end: float

    def at(self, value: float) -> float:
        """Return the position of a positive value."""
        fraction = (math.log10(value) - self.low) / (self.high - self.low)
        return round(self.start + fraction * (self.end - self.start), 1)

    @property
    def ticks(self) -> tuple[Tick, ...]:
        """The whole powers of ten."""
        powers = range(math.ceil(self.low), math.floor(self.high) + 1)
        return tuple(Tick(self.at(10.0**power), power_label(power)) for power in powers)


@dataclass(frozen=True)
class Chart:
    """What the template draws; `description` says in words what is drawn."""

    shown: CallsAndTime
    marks: tuple[Mark, ...]
    calls_axis: Axis
    time_axis: Axis
    description: str
    width: int = WIDTH
    height: int = HEIGHT


def chart_of(report: Report) -> Chart | None:
    """Return the chart of a report, None if there is nothing to draw."""
    shown = calls_and_time(report)
    if shown is None:
        return None
    calls_axis = _axis([one.calls for one in shown.measured], LEFT, RIGHT)
    time_axis = _axis([one.real_s for one in shown.measured], BOTTOM, TOP)
    points = [(calls_axis.at(one.calls), time_axis.at(one.real_s)) for one in shown.measured]
    described = [f"{one.label}: {one.calls:,} calls, {seconds_words(one.real_s)} s" for one in shown.measured]
    return Chart(shown, _marks(shown.measured, points), calls_axis, time_axis, "; ".join(described))


def _axis(values: Sequence[float], start: float, end: float) -> Axis:
    powers = [math.log10(value) for value in values]
    return Axis(min(powers) - MARGIN_DECADES, max(powers) + MARGIN_DECADES, start, end)


def _marks(measured: Sequence[MeasuredProgram], points: Sequence[tuple[float, float]]) -> tuple[Mark, ...]:
    """Return the marks, each with its label as near as there is room."""
    taken = [Box(x - MARK_RADIUS, y - MARK_RADIUS, 2 * MARK_RADIUS, 2 * MARK_RADIUS) for x, y in points]
    marks = []
    for one, (x, y) in zip(measured, points, strict=True):
        text = f"{one.label[: -len(one.program)]}{short(one.program, MAX_NAME_CHARS)}"
        places = [place for place in _places(text, x, y) if place.is_in_field()]
        free = (place for place in places if not any(place.overlaps(other) for other in taken))
        label = next(free, places[-1])
        taken.append(label)
        marks.append(Mark(one, text, x, y, label, _leader(x, y, label)))
    return tuple(marks)


def _places(text: str, x: float, y: float) -> Iterator[Box]:
    """Yield places for a label: right and left of the mark, then further and further above and below."""
    width = len(text) * CHAR_WIDTH
    gap = MARK_RADIUS + 3
    for line in range(int((BOTTOM - TOP) / LINE_HEIGHT) + 1):
        for top in dict.fromkeys((y - line * LINE_HEIGHT, y + line * LINE_HEIGHT)):
            for left in (x + gap, x - gap - width):
                yield Box(round(left, 1), round(top - LINE_HEIGHT / 2, 1), round(width, 1), LINE_HEIGHT)
    # Wherever the mark is, there is a place in the field.
    yield Box(LEFT, TOP, min(round(width, 1), RIGHT - LEFT), LINE_HEIGHT)


def _leader(x: float, y: float, label: Box) -> str:
    end_x = label.x - 2 if label.x > x else label.x + label.width + 2
    end_y = label.y + LINE_HEIGHT / 2
    if abs(end_y - y) < LINE_HEIGHT:
        return ""
    # From the edge of the mark on.
    edge = MARK_RADIUS / math.hypot(end_x - x, end_y - y)
    return f"M{x + edge * (end_x - x):.1f} {y + edge * (end_y - y):.1f}L{end_x:.1f} {end_y:.1f}"
