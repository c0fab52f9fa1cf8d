"""The dot plots of a class: how long its programs took and how often they called the kernel, drawn as SVG paths."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

from grader.model.report import SyscallTable
from grader.render.html.class_page.spread import middle_half
from grader.render.html.class_page.submission_row import SubmissionRow
from grader.render.text.phrases import seconds_words
from grader.render.views.call_derivation import VERBS, stream_of
from grader.render.views.log_scale import Scale, power_label, scale_for

COLUMNS = 120
"""Columns of dots across a plot; dots of one column are drawn above each other."""

MIN_COLUMN_HEIGHT = 8
"""Dots that fit into a column with the usual distance; if a column has more, all dots move closer together."""


@dataclass(frozen=True)
class Point:
    """One number of one submission."""

    value: float
    row: SubmissionRow


@dataclass(frozen=True)
class Series:
    """The points of one program, in ascending order; `label` says what they count."""

    label: str
    points: tuple[Point, ...]

    @property
    def lowest(self) -> Point:
        """The smallest point."""
        return self.points[0]

    @property
    def highest(self) -> Point:
        """The largest point."""
        return self.points[-1]

    @property
    def median(self) -> float:
        """The lower of the two middle values if their number is even."""
        return statistics.median_low(point.value for point in self.points)

    @property
    def middle(self) -> tuple[float, float] | None:
        """The values between which the middle half lies, None for a few points."""
        return middle_half([point.value for point in self.points])

    def dots(self, scale: Scale) -> str:
        """Return the dots as an SVG path in a field of 100 by 100.

        Each dot is a line without length, which round line caps make visible.
        """
        columns = Counter(round(scale.percent(point.value) / 100 * (COLUMNS - 1)) for point in self.points)
        step = 100 / max(MIN_COLUMN_HEIGHT, *columns.values())
        return "".join(
            f"M{_coordinate((column + 0.5) * 100 / COLUMNS)} {_coordinate(100 - (index + 0.5) * step)}h0"
            for column, count in sorted(columns.items())
            for index in range(count)
        )


@dataclass(frozen=True)
class DotPlot:
    """Series above one scale, of the case or the input `name`; `format_value` writes a value for people.

    The points are of programs that copied correctly. Left out are `wrong` other runs, and `unknown` ones,
    of which an earlier version did not say whether they did.
    """

    name: str
    series: tuple[Series, ...]
    scale: Scale
    format_value: Callable[[float], str]
    wrong: int = 0
    unknown: int = 0

    @property
    def grid(self) -> str:
        """The lines at the powers of ten as an SVG path in a field of 100 by 100."""
        return "".join(f"M{_coordinate(percent)} 0V100" for percent, _ in self.ticks)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The powers of ten as (percent, label) pairs."""
        powers = range(self.scale.power, self.scale.power + self.scale.decades + 1)
        return tuple((self.scale.percent(10.0**power), power_label(power)) for power in powers)


def time_plots(rows: Sequence[SubmissionRow]) -> tuple[DotPlot, ...]:
    """Return the wall-clock seconds of every correct copy, one plot per case that was timed.

    A program that copies half of its input is fast, and says nothing about the others.
    """
    points: dict[str, list[tuple[str, Point]]] = {}
    names: dict[str, str] = {}
    others: Counter[tuple[str, bool | None]] = Counter()
    for row in rows:
        for timing in row.report.timing:
            names.setdefault(timing.run, timing.name)
            if timing.correct:
                points.setdefault(timing.run, []).append((timing.program, Point(timing.real_s, row)))
            else:
                others[timing.run, timing.correct] += 1
    return tuple(
        replace(dot_plot(names[run], labelled, _format_seconds), wrong=others[run, False], unknown=others[run, None])
        for run, labelled in points.items()
    )


def call_plot(rows: Sequence[SubmissionRow]) -> DotPlot | None:
    """Return the reads of standard input and the writes to standard output of every program, None without counts.

    The plot is of one case, which writes to a file: one with the largest input, and of several with that size the one
    that was timed, because it is known of timed runs whether they copied correctly. Incomplete counts are left out.
    """
    tables = [
        (row, table) for row in rows for table in row.report.syscalls if table.sink == "file" and table.complete
    ]
    timed = {timing.run for row in rows for timing in row.report.timing}
    sizes: dict[str, int] = {}
    for _, table in tables:
        size_bytes = 0 if table.stdin is None else table.stdin.bytes
        sizes[table.run] = max(sizes.get(table.run, 0), size_bytes)
    if not sizes:
        return None
    run = max(sizes, key=lambda candidate: (sizes[candidate], candidate in timed))
    tables = [(row, table) for row, table in tables if table.run == run]
    correct = [(row, table) for row, table in tables if run not in timed or _may_be_correct(row, table)]
    points = [*_call_points(correct)]
    if not points:
        return None
    # Two engines may have counted the same run.
    every, shown = ({(row.entry.name, table.program) for row, table in some} for some in (tables, correct))
    name = tables[0][1].name
    return replace(dot_plot(name, points, lambda value: f"{value:,.0f}"), wrong=len(every - shown))


def _may_be_correct(row: SubmissionRow, table: SyscallTable) -> bool:
    # A run that crashed or was stopped has no time.
    return any(
        timing.correct is not False and (timing.program, timing.run) == (table.program, table.run)
        for timing in row.report.timing
    )


def dot_plot(name: str, points: Iterable[tuple[str, Point]], format_value: Callable[[float], str]) -> DotPlot:
    """Return points, each given with the label of its series, as a plot; there must be at least one.

    Zero has no place on a logarithmic scale, so it is drawn at the lower end.
    """
    by_label: dict[str, list[Point]] = {}
    for label, point in points:
        by_label.setdefault(label, []).append(point)
    series = tuple(
        Series(label, tuple(sorted(by_label[label], key=lambda point: point.value))) for label in sorted(by_label)
    )
    return DotPlot(name, series, scale_for(point.value for one in series for point in one.points), format_value)


def _call_points(tables: Iterable[tuple[SubmissionRow, SyscallTable]]) -> Iterator[tuple[str, Point]]:
    seen = set()
    for row, table in tables:
        for verb in VERBS:
            stream = stream_of(table, verb)
            # Two engines may have counted the same run.
            key = (row.entry.name, table.program, verb)
            if stream is not None and key not in seen:
                seen.add(key)
                yield f"{table.program} {verb}s", Point(stream.calls, row)


def _format_seconds(value: float) -> str:
    return f"{seconds_words(value)} s"


def _coordinate(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
