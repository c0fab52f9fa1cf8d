"""Calls and times for a terminal of at least 40 columns, the student's above the reference's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from rich.console import RenderableType
from rich.table import Table

from grader.model.counted import counted, listed
from grader.model.report import Report, Timing
from grader.render.terminal.styled_text import text
from grader.render.text.escape import one_line
from grader.render.text.phrases import seconds_words, sink_words
from grader.render.views.call_derivation import VERBS, Verb
from grader.render.views.syscalls import CallGroup, StreamRow, call_groups
from grader.render.views.timings import TimeGroup, time_groups

REFERENCE = "reference"


def figures(report: Report) -> Iterator[RenderableType]:
    """Yield calls and times of the largest inputs, to a file and to a terminal; the page also has the others."""
    groups = call_groups(report)
    for group in groups:
        if group.streams and group.size_bytes == groups[0].size_bytes:
            yield from _calls(group)
    for time_group in time_groups(report):
        yield from _times(time_group)


def _calls(group: CallGroup) -> Iterator[RenderableType]:
    size = counted(group.size_bytes, "byte") if group.size_bytes else _names(group.runs)
    yield text("")
    yield text(f"System calls, {size} {sink_words(group.sink)}", style="bold")
    table = _table("", "read", "write")
    runs = [*_by_run(group)]
    runs_of = Counter(program for program, _, _ in runs)
    for program, inputs, rows in runs:
        _add(table, program if runs_of[program] == 1 else f"{program}, {_names(inputs)}", _cells(rows))
        if any(row.reference_calls is not None for row in rows.values()):
            _add(table, REFERENCE, _cells(rows, reference=True))
    yield table
    for row in group.streams:
        # Otherwise a program that writes only a message would seem to copy something.
        if row.calls == row.elsewhere > 0 and row.derivation:
            yield text(f"{one_line(row.program)}: {counted(row.calls, row.verb)} = {row.derivation}.")
    if group.ratio:
        yield text(f"{one_line(group.ratio)}.")


def _by_run(group: CallGroup) -> Iterator[tuple[str, tuple[str, ...], dict[Verb, StreamRow]]]:
    """Yield each program with inputs on which its calls are the same, and these calls by verb."""
    for program in dict.fromkeys(row.program for row in group.streams):
        runs: dict[tuple[int, ...], tuple[list[str], dict[Verb, StreamRow]]] = {}
        for name in group.runs:
            rows = {row.verb: row for row in group.streams if row.program == program and name in row.runs}
            if rows:
                key = tuple(number for row in rows.values() for number in (row.calls, row.reference_calls or 0))
                runs.setdefault(key, ([], rows))[0].append(name)
        for inputs, rows in runs.values():
            yield program, tuple(inputs), rows


def _times(group: TimeGroup) -> Iterator[RenderableType]:
    yield text("")
    yield text(f"Seconds, {one_line(group.name)}", style="bold")
    table = _table("", "real", "user", "sys")
    for timing in group.own:
        _add(table, timing.program, _seconds(timing))
        reference = group.reference.get(timing.program)
        if reference is not None:
            _add(table, REFERENCE, _seconds(reference))
    yield table
    if group.ratio:
        yield text(f"{one_line(group.ratio)}.")
    for remark in group.remarks:
        yield text(one_line(remark))
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


def _cells(rows: Mapping[Verb, StreamRow], *, reference: bool = False) -> tuple[str, ...]:
    return tuple(_cell(rows.get(verb), reference=reference) for verb in VERBS)


def _cell(row: StreamRow | None, *, reference: bool) -> str:
    calls = None if row is None else row.reference_calls if reference else row.calls
    return "-" if calls is None else f"{calls:,}"


def _seconds(timing: Timing) -> tuple[str, ...]:
    return tuple(seconds_words(value) for value in (timing.real_s, timing.user_s, timing.sys_s))


def _names(names: Sequence[str]) -> str:
    return listed(one_line(name) for name in names)
