"""Calls and time over a parameter: a line for each program of the student's, and one for its reference."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.report import PlotFigures, PlottedRun, Report
from grader.render.text.phrases import program_label, seconds_words

NOT_MEASURED = "not measured"


@dataclass(frozen=True)
class PlotPoint:
    """A value of the parameter, and what was measured there."""

    value: float
    figure: float


@dataclass(frozen=True)
class PlotLine:
    """What is drawn of one program; `number` tells the programs apart, from 0 on."""

    program: str
    number: int
    is_reference: bool
    points: tuple[PlotPoint, ...]

    @property
    def label(self) -> str:
        """Whose program it is."""
        return program_label(self.program, is_reference=self.is_reference)


@dataclass(frozen=True)
class PlotRow:
    """A row of the table in words: figures of the student's program, which may be wrong, and of the reference."""

    value: str
    program: str
    calls: str
    reference_calls: str
    seconds: str
    reference_seconds: str


@dataclass(frozen=True)
class ParameterPlot:
    """A plot: the lines of calls and those of seconds, all numbers as a table, and why some are not drawn."""

    title: str
    parameter: str
    calls: tuple[PlotLine, ...]
    seconds: tuple[PlotLine, ...]
    rows: tuple[PlotRow, ...]
    left_out: tuple[str, ...]


def parameter_plots(report: Report) -> tuple[ParameterPlot, ...]:
    """Return the plots of a report in which something of the student's can be drawn."""
    found = (_plot(figures) for figures in report.plots)
    return tuple(plot for plot in found if any(not line.is_reference for line in (*plot.calls, *plot.seconds)))


def value_words(value: float) -> str:
    """Return a value of a parameter: `65,536`, `0.5`."""
    return f"{value:,}"


def _plot(figures: PlotFigures) -> ParameterPlot:
    reference = {(run.program, run.case): run for run in figures.reference}
    return ParameterPlot(
        figures.title,
        figures.parameter,
        _lines(figures, {run: run.calls for run in (*figures.runs, *figures.reference)}),
        _lines(figures, {run: run.real_s for run in (*figures.runs, *figures.reference)}),
        tuple(
            _row(run, reference.get((run.program, run.case)))
            for run in sorted(figures.runs, key=lambda one: one.value)
        ),
        tuple(_left_out(figures)),
    )


def _lines(
    figures: PlotFigures, measured: dict[PlottedRun, int | None] | dict[PlottedRun, float | None]
) -> tuple[PlotLine, ...]:
    """Return the lines with at least one point. What is 0 has no place on a logarithmic axis."""
    programs = list(dict.fromkeys(run.program for run in figures.runs))
    lines = []
    for is_reference, runs in ((True, figures.reference), (False, figures.runs)):
        for number, program in enumerate(programs):
            points = [
                PlotPoint(run.value, figure)
                for run in runs
                if run.program == program and run.correct and (figure := measured[run])
            ]
            if points:
                lines.append(PlotLine(program, number, is_reference, tuple(points)))
    return tuple(lines)


def _row(own: PlottedRun, reference: PlottedRun | None) -> PlotRow:
    theirs = (None, None) if reference is None else (reference.calls, reference.real_s)
    return PlotRow(
        value_words(own.value),
        own.program if own.correct or not _was_run(own) else f"{own.program} (wrong)",
        _calls_words(own.calls),
        _calls_words(theirs[0]),
        _seconds_words(own.real_s),
        _seconds_words(theirs[1]),
    )


def _was_run(run: PlottedRun) -> bool:
    return run.calls is not None or run.real_s is not None


def _calls_words(calls: int | None) -> str:
    return NOT_MEASURED if calls is None else f"{calls:,}"


def _seconds_words(real_s: float | None) -> str:
    return NOT_MEASURED if real_s is None else seconds_words(real_s)


def _left_out(figures: PlotFigures) -> Iterable[str]:
    """Yield a sentence for each program with runs that are not drawn."""
    for program in dict.fromkeys(run.program for run in figures.runs):
        runs = [run for run in figures.runs if run.program == program]
        was_run = [run for run in runs if _was_run(run)]
        wrong = [value_words(run.value) for run in was_run if not run.correct]
        missing = [value_words(run.value) for run in runs if run not in was_run]
        if wrong:
            yield (
                f"{program} is not drawn where {figures.parameter} is {', '.join(wrong)}: "
                "it did not do there what the case expects."
            )
        if missing:
            yield f"{program} was not measured where {figures.parameter} is {', '.join(missing)}."
