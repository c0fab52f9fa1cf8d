"""The figures of a class that are worth a plot: how long programs took, and how often they called the kernel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.model.report import SyscallTable
from grader.render.html.class_page.plots import Figure, Strip, strip
from grader.render.html.class_page.rows import Row
from grader.render.text.phrases import seconds_words
from grader.render.views.call_derivation import VERBS, stream_of


def time_strips(rows: Sequence[Row]) -> tuple[Strip, ...]:
    """Return the wall-clock seconds of every program, a strip an input that was timed."""
    inputs = dict.fromkeys(timing.input for row in rows for timing in row.report.timing)
    strips = (strip(name, _times(rows, name), _seconds) for name in inputs)
    return tuple(one for one in strips if one is not None)


def call_strip(rows: Sequence[Row]) -> Strip | None:
    """Return the reads of standard input and the writes to standard output of every program.

    Of one input, copied to a file: the largest, and where several are as large the one that was timed. A count that
    was cut is left out.
    """
    tables = [
        (row, table) for row in rows for table in row.report.syscalls if table.sink == "file" and table.complete
    ]
    timed = {timing.input for row in rows for timing in row.report.timing}
    sizes: dict[str, int] = {}
    for _, table in tables:
        sizes[table.input] = max(sizes.get(table.input, 0), _size(table))
    if not sizes:
        return None
    name = max(sizes, key=lambda one: (sizes[one], one in timed))
    return strip(name, _calls([(row, table) for row, table in tables if table.input == name]), _count)


def _times(rows: Sequence[Row], name: str) -> Iterator[tuple[str, Figure]]:
    for row in rows:
        for timing in row.report.timing:
            if timing.input == name:
                yield timing.program, Figure(timing.real_s, row)


def _calls(tables: Sequence[tuple[Row, SyscallTable]]) -> Iterator[tuple[str, Figure]]:
    seen = set()
    for row, table in tables:
        for verb in VERBS:
            stream = stream_of(table, verb)
            # Two engines may have counted the same run.
            key = (row.entry.name, table.program, verb)
            if stream is not None and key not in seen:
                seen.add(key)
                yield f"{table.program} {verb}s", Figure(stream.calls, row)


def _size(table: SyscallTable) -> int:
    return 0 if table.stdin is None else table.stdin.bytes


def _seconds(value: float) -> str:
    return f"{seconds_words(value)} s"


def _count(value: float) -> str:
    return f"{value:,.0f}"
