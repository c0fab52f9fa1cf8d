"""System calls ready to be laid out, the student's beside the reference's; page and terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TypeVar

from grader.model.evidence import CallCount
from grader.model.report import Report, StreamJudgement, SyscallTable
from grader.model.spec.cases import Sink
from grader.render.text.phrases import ratio_words
from grader.render.views.call_derivation import (
    VERBS,
    Judged,
    Verb,
    derivation,
    judged_streams,
    shown_calls,
    stream_of,
)
from grader.render.views.log_scale import Scale, scale_for

_SINK_ORDER: tuple[Sink, ...] = ("file", "pipe", "terminal")
_NO_CALLS = CallCount(calls=0, errors=0)


@dataclass(frozen=True)
class CallRow:
    """One line of a call table; `reference_calls` is None where there is no reference to compare with."""

    syscall: str
    calls: int
    errors: int
    reference_calls: int | None


@dataclass(frozen=True)
class CallTable:
    """All calls of one program by name, as `strace -c` prints them; `inputs` are those where they are the same."""

    program: str
    inputs: tuple[str, ...]
    source: str
    rows: tuple[CallRow, ...]

    @property
    def total(self) -> CallRow:
        """The sum of all rows."""
        theirs = [row.reference_calls for row in self.rows if row.reference_calls is not None]
        return CallRow(
            "total",
            sum(row.calls for row in self.rows),
            sum(row.errors for row in self.rows),
            sum(theirs) if theirs else None,
        )

    @property
    def scale(self) -> Scale:
        """The scale of the bars."""
        return _scale((row.calls, row.reference_calls) for row in self.rows)


@dataclass(frozen=True)
class StreamRow:
    """The calls of one program that read its input, or wrote its output, and why there are so many.

    `calls` is what `strace -c` shows for the name. A derivation is empty where it is not known for sure.
    """

    program: str
    verb: Verb
    inputs: tuple[str, ...]
    calls: int
    derivation: str
    reference_calls: int | None
    reference_derivation: str
    complete: bool


@dataclass(frozen=True)
class CallGroup:
    """What all programs did with inputs of one size and one kind of output; `size_bytes` 0 is not known."""

    size_bytes: int
    sink: Sink
    inputs: tuple[str, ...]
    streams: tuple[StreamRow, ...]
    tables: tuple[CallTable, ...]
    ratio: str

    @property
    def scale(self) -> Scale:
        """The scale of the streams' bars."""
        return _scale((row.calls, row.reference_calls) for row in self.streams)


@dataclass(frozen=True)
class _Pair:
    """One run's table, and the reference's of the same run where there is one."""

    own: SyscallTable
    reference: SyscallTable | None


def call_groups(report: Report) -> tuple[CallGroup, ...]:
    """Return the report's calls by size of input and by sink: the largest first, files before terminals."""
    theirs = () if report.reference is None else report.reference.syscalls
    pairs = [_Pair(table, _beside(table, theirs)) for table in report.syscalls]
    sizes = _sizes((*report.syscalls, *theirs))
    keys = {(sizes.get(pair.own.input, 0), pair.own.sink) for pair in pairs}
    judged = judged_streams(report)
    return tuple(
        _group(size, sink, [pair for pair in pairs if _is(pair, sizes, size, sink)], pairs, judged)
        for size, sink in sorted(keys, key=lambda key: (-key[0], _SINK_ORDER.index(key[1])))
    )


def source_words(table: SyscallTable) -> str:
    """Say where a table's numbers come from, and whether anything is missing from them."""
    if table.totals_only:
        source = "the kernel's own totals of reads and writes, without tracing"
    else:
        source = "counted by strace" if table.engine == "strace" else "every call counted by tally, at full speed"
    return source if table.complete else f"{source}; incomplete, the count was cut"


def _scale(pairs: Iterable[tuple[int, int | None]]) -> Scale:
    # From 1 on, so that the same length means the same number in every table of a size.
    return scale_for(float(value) for pair in ((1, 1), *pairs) for value in pair if value is not None)


def _sizes(tables: Iterable[SyscallTable]) -> dict[str, int]:
    """Return each input's size: as much as any program read of it."""
    sizes: dict[str, int] = {}
    for table in tables:
        if table.stdin is not None:
            sizes[table.input] = max(sizes.get(table.input, 0), table.stdin.bytes)
    return sizes


def _is(pair: _Pair, sizes: Mapping[str, int], size: int, sink: Sink) -> bool:
    return (sizes.get(pair.own.input, 0), pair.own.sink) == (size, sink)


def _group(
    size: int, sink: Sink, pairs: Sequence[_Pair], every: Sequence[_Pair], judged: Sequence[Judged]
) -> CallGroup:
    programs = [*dict.fromkeys(pair.own.program for pair in pairs)]
    of_program = [pair for program in programs for pair in pairs if pair.own.program == program]
    return CallGroup(
        size,
        sink,
        tuple(dict.fromkeys(pair.own.input for pair in pairs)),
        tuple(_merged(row for verb_rows in _stream_rows(of_program, every, judged) for row in verb_rows)),
        tuple(_merged(_table(pair) for pair in of_program if not pair.own.totals_only)),
        _ratio(pairs),
    )


def _table(pair: _Pair) -> CallTable:
    own, theirs = pair.own, pair.reference
    # Totals are of reads and writes only; beside them every other call would seem to be missing.
    reference = None if theirs is None or theirs.totals_only else theirs.calls
    rows = [_row(name, own.calls, reference) for name in {*own.calls, *(reference or {})}]
    rows.sort(key=lambda row: (-row.calls, -(row.reference_calls or 0), row.syscall))
    return CallTable(own.program, (own.input,), source_words(own), tuple(rows))


def _row(name: str, own: Mapping[str, CallCount], theirs: Mapping[str, CallCount] | None) -> CallRow:
    count = own.get(name, _NO_CALLS)
    reference = None if theirs is None else theirs.get(name, _NO_CALLS).calls
    return CallRow(name, count.calls, count.errors, reference)


def _stream_rows(
    pairs: Sequence[_Pair], every: Sequence[_Pair], judged: Sequence[Judged]
) -> Iterator[list[StreamRow]]:
    """Yield the rows of each program and verb together, so that equal ones are neighbours."""
    for program in dict.fromkeys(pair.own.program for pair in pairs):
        for verb in VERBS:
            rows = [_stream_row(pair, verb, every, judged) for pair in pairs if pair.own.program == program]
            yield [row for row in rows if row is not None]


def _stream_row(pair: _Pair, verb: Verb, every: Sequence[_Pair], judged: Sequence[Judged]) -> StreamRow | None:
    own, theirs = pair.own, pair.reference
    calls = shown_calls(own, verb)
    if calls is None:
        return None
    reference_calls = None if theirs is None else shown_calls(theirs, verb)
    words = _judgement(own, verb, judged)
    # The words tell why there should be so many; of the student's own number only where it is that many.
    own_words = words if words is not None and words.passed and calls == (reference_calls or calls) else None
    alike = [other for other in every if other.own.program == own.program and other.own.sink == own.sink]
    own_sizes = _nbytes((other.own for other in alike), verb)
    their_sizes = _nbytes((other.reference for other in alike), verb)
    return StreamRow(
        program=own.program,
        verb=verb,
        inputs=(own.input,),
        calls=calls,
        derivation=derivation(own, verb, own_sizes, own_words),
        reference_calls=reference_calls,
        reference_derivation="" if theirs is None else derivation(theirs, verb, their_sizes, words),
        complete=own.complete,
    )


def _judgement(table: SyscallTable, verb: Verb, judged: Sequence[Judged]) -> StreamJudgement | None:
    """Return what was said of this stream, else of the same stream with another input of the same program."""
    stream = "stdin" if verb == "read" else "stdout"
    same = [
        one.judgement
        for one in judged
        if (one.program, one.judgement.sink, one.judgement.stream) == (table.program, table.sink, stream)
    ]
    same.sort(key=lambda one: one.input != table.input)
    return same[0] if same else None


def _nbytes(tables: Iterable[SyscallTable | None], verb: Verb) -> tuple[int, ...]:
    streams = [stream_of(table, verb) for table in tables if table is not None]
    return tuple(dict.fromkeys(stream.nbyte_max for stream in streams if stream is not None and stream.nbyte_max))


_Row = TypeVar("_Row", StreamRow, CallTable)


def _merged(rows: Iterable[_Row]) -> Iterator[_Row]:
    """Yield rows, those that differ in nothing but their inputs as one."""
    merged: dict[_Row, list[str]] = {}
    for row in rows:
        merged.setdefault(replace(row, inputs=()), []).extend(row.inputs)
    for row, inputs in merged.items():
        yield replace(row, inputs=tuple(inputs))


def _ratio(pairs: Sequence[_Pair]) -> str:
    """Say how many times as many calls the busiest program made, on the first input that all programs read whole."""
    programs = {pair.own.program for pair in pairs}
    for name in dict.fromkeys(pair.own.input for pair in pairs):
        moved = sorted(_moved(pair.own) for pair in pairs if pair.own.input == name)
        if len(programs) < 2 or len(moved) < len(programs):  # noqa: PLR2004 - a ratio needs two
            continue
        (fewest, least, least_bytes), (most, busiest, most_bytes) = moved[0], moved[-1]
        if fewest and least_bytes == most_bytes:
            return f"{busiest} makes {ratio_words(most / fewest)} times as many reads and writes as {least}"
    return ""


def _moved(table: SyscallTable) -> tuple[int, str, int]:
    streams = [stream for stream in (table.stdin, table.stdout) if stream is not None]
    return sum(stream.calls for stream in streams), table.program, sum(stream.bytes for stream in streams)


def _beside(own: SyscallTable, theirs: Sequence[SyscallTable]) -> SyscallTable | None:
    key = (own.program, own.input, own.sink)
    same = [table for table in theirs if (table.program, table.input, table.sink) == key]
    # Both engines may have counted the same run; like is compared with like where that is so.
    same.sort(key=lambda table: table.engine != own.engine)
    return same[0] if same else None
