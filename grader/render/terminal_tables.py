"""Calls and times for a terminal, the student's above the reference's; they fit 40 columns."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table

from grader.model.evidence import CallCount
from grader.model.report import Report, SyscallTable, Timing
from grader.render.bytes_text import one_line
from grader.render.figures import CallGroup, TimeGroup, call_groups, engine_words, time_groups
from grader.render.terminal_text import text
from grader.render.words import seconds_words, sink_words

REFERENCE = "reference"


def call_tables(report: Report) -> Iterator[RenderableType]:
    """Yield a table for each input and sink: calls of read, of write, and of all kinds."""
    for group in call_groups(report):
        yield text("")
        yield text(f"System calls, {one_line(group.input)} {sink_words(group.sink)}", style="bold")
        yield text(_engines(group), style="dim")
        table = _table("", "read", "write", "all")
        for program in group.programs:
            _add(table, program.program, _counts(program.own))
            if program.reference is not None:
                _add(table, REFERENCE, _counts(program.reference))
        yield table


def time_tables(report: Report) -> Iterator[RenderableType]:
    """Yield a table for each input: real, user and system seconds, and how much faster one program is."""
    for group in time_groups(report):
        yield text("")
        yield text(f"Seconds, {one_line(group.input)}", style="bold")
        table = _table("", "real", "user", "sys")
        for timing in group.own:
            _add(table, timing.program, _seconds(timing))
            reference = group.reference.get(timing.program)
            if reference is not None:
                _add(table, REFERENCE, _seconds(reference))
        yield table
        yield from _ratios(group)


def _ratios(group: TimeGroup) -> Iterator[RenderableType]:
    if group.ratio:
        yield text(f"{one_line(group.ratio)}.")
    if group.reference_ratio:
        yield text(f"Reference: {one_line(group.reference_ratio)}.", style="dim")


def _table(*headings: str) -> Table:
    table = Table(box=None, padding=(0, 1, 0, 0), pad_edge=False, header_style="dim")
    for index, heading in enumerate(headings):
        table.add_column(heading, justify="right" if index else "left", no_wrap=index > 0)
    return table


def _add(table: Table, name: str, cells: Sequence[str]) -> None:
    style = "dim" if name == REFERENCE else ""
    table.add_row(text(one_line(name)), *(text(cell) for cell in cells), style=style)


def _counts(table: SyscallTable) -> tuple[str, ...]:
    every = "-" if table.totals_only else f"{_all(table.calls):,}"
    return _calls(table.calls, "read"), _calls(table.calls, "write"), every


def _calls(calls: Mapping[str, CallCount], name: str) -> str:
    return f"{calls[name].calls:,}" if name in calls else "0"


def _all(calls: Mapping[str, CallCount]) -> int:
    return sum(count.calls for count in calls.values())


def _seconds(timing: Timing) -> tuple[str, ...]:
    return tuple(seconds_words(value) for value in (timing.real_s, timing.user_s, timing.sys_s))


def _engines(group: CallGroup) -> str:
    """Say it once where it is the same for all programs, else for each."""
    words = {program.program: engine_words(program.own) for program in group.programs}
    if len(set(words.values())) == 1:
        return next(iter(words.values()))
    return "; ".join(f"{one_line(name)}: {engine}" for name, engine in words.items())
