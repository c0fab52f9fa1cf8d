"""Tables of system calls and times, ready to be laid out; the page and the terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.model.evidence import CallCount
from grader.model.report import Check, CheckStatus, Report, SyscallTable, Timing
from grader.model.spec import Sink

_SINK_ORDER: tuple[Sink, ...] = ("file", "pipe", "terminal")
_NO_CALLS = CallCount(calls=0, errors=0)
TENTHS_BELOW = 10  # times faster: 3.4, but 27


@dataclass(frozen=True)
class CallRow:
    """One line of a call table; `reference_calls` is None where there is no reference to compare with."""

    syscall: str
    calls: int
    errors: int
    reference_calls: int | None


@dataclass(frozen=True)
class ProgramCalls:
    """The calls of one program on one input: its own table, and the reference's where there is one."""

    program: str
    own: SyscallTable
    reference: SyscallTable | None

    @property
    def rows(self) -> tuple[CallRow, ...]:
        """A row a system call, the most frequent first, then by name."""
        theirs = None if self.reference is None else self.reference.calls
        rows = [_row(name, self.own.calls, theirs) for name in {*self.own.calls, *(theirs or {})}]
        return tuple(sorted(rows, key=lambda row: (-row.calls, -(row.reference_calls or 0), row.syscall)))

    @property
    def total(self) -> CallRow | None:
        """The sum of all rows; None where the rows are not all calls."""
        if self.own.totals_only:
            return None
        rows = self.rows
        reference = None if self.reference is None else sum(row.reference_calls or 0 for row in rows)
        return CallRow("total", sum(row.calls for row in rows), sum(row.errors for row in rows), reference)


@dataclass(frozen=True)
class CallGroup:
    """What all programs did with one input and one kind of output."""

    input: str
    sink: Sink
    programs: tuple[ProgramCalls, ...]


@dataclass(frozen=True)
class TimeGroup:
    """How long the programs took on one input, the student's and the reference's; `ratio` in words, or empty."""

    input: str
    own: tuple[Timing, ...]
    reference: Mapping[str, Timing]
    ratio: str
    reference_ratio: str


def call_groups(report: Report) -> tuple[CallGroup, ...]:
    """Return the report's call tables by input and sink, files first; the reference's beside them."""
    theirs = () if report.reference is None else report.reference.syscalls
    keys = dict.fromkeys((table.input, table.sink) for table in report.syscalls)
    return tuple(
        CallGroup(
            name, sink, tuple(_beside(table, theirs) for table in report.syscalls if _key(table) == (name, sink))
        )
        for name, sink in sorted(keys, key=lambda key: _SINK_ORDER.index(key[1]))
    )


def engine_words(table: SyscallTable) -> str:
    """Say where a table's numbers come from, and whether anything is missing from them."""
    if table.totals_only:
        source = "the kernel's own totals of reads and writes, without tracing"
    else:
        source = "counted by strace" if table.engine == "strace" else "every call counted by tally, at full speed"
    return source if table.complete else f"{source}; incomplete, the count was cut"


def time_groups(report: Report) -> tuple[TimeGroup, ...]:
    """Return the report's times by input; the reference's beside them."""
    theirs = () if report.reference is None else report.reference.timing
    return tuple(_time_group(name, report.timing, theirs) for name in _inputs(report.timing))


def with_status(report: Report, status: CheckStatus) -> tuple[Check, ...]:
    """Return the checks that ended so, in the rubric's order."""
    return tuple(check for check in report.checks if check.status == status)


def faster_words(timings: Iterable[Timing]) -> str:
    """Say how much faster the fastest program is than the slowest: `tr2b is 27 times faster than tr2u`.

    Empty with fewer than two programs, or where a time is too short to divide by.
    """
    by_time = sorted(timings, key=lambda timing: timing.real_s)
    if len(by_time) < 2 or by_time[0].real_s <= 0:  # noqa: PLR2004 - a ratio needs two
        return ""
    fastest, slowest = by_time[0], by_time[-1]
    ratio = slowest.real_s / fastest.real_s
    times = f"{ratio:.1f}" if ratio < TENTHS_BELOW else f"{ratio:,.0f}"
    return f"{fastest.program} is {times} times faster than {slowest.program}"


def _row(name: str, own: Mapping[str, CallCount], theirs: Mapping[str, CallCount] | None) -> CallRow:
    count = own.get(name, _NO_CALLS)
    reference = None if theirs is None else theirs.get(name, _NO_CALLS).calls
    return CallRow(name, count.calls, count.errors, reference)


def _key(table: SyscallTable) -> tuple[str, Sink]:
    return table.input, table.sink


def _beside(own: SyscallTable, theirs: Sequence[SyscallTable]) -> ProgramCalls:
    same = [table for table in theirs if table.program == own.program and _key(table) == _key(own)]
    # Both engines may have counted the same run; like is compared with like where that is so.
    same.sort(key=lambda table: table.engine != own.engine)
    return ProgramCalls(own.program, own, same[0] if same else None)


def _inputs(timings: Iterable[Timing]) -> Iterable[str]:
    return dict.fromkeys(timing.input for timing in timings)


def _time_group(name: str, own: Sequence[Timing], theirs: Sequence[Timing]) -> TimeGroup:
    mine = tuple(timing for timing in own if timing.input == name)
    reference = {timing.program: timing for timing in theirs if timing.input == name}
    return TimeGroup(name, mine, reference, faster_words(mine), faster_words(reference.values()))
