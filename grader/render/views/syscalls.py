"""System calls prepared for display, the student's next to the reference's; page and terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TypeVar

from grader.model.evidence import CallCount
from grader.model.report import ComparedPrograms, Report, StreamJudgement, SyscallTable
from grader.model.spec.cases import Sink
from grader.render.text.phrases import ratio_words
from grader.render.views.call_derivation import (
    VERBS,
    Judged,
    Verb,
    calls_elsewhere,
    derivation,
    judged_streams,
    other_call,
    shown_calls,
    stream_of,
)
from grader.render.views.log_scale import Scale, scale_for

_SINK_ORDER: tuple[Sink, ...] = ("file", "pipe", "terminal")
_NO_CALLS = CallCount(calls=0, errors=0)


@dataclass(frozen=True)
class CallRow:
    """One row of a call table; `reference_calls` is None if there is no reference to compare with."""

    syscall: str
    calls: int
    errors: int
    reference_calls: int | None


@dataclass(frozen=True)
class ProgramCalls:
    """All calls of one program by name, as `strace -c` prints them; they are the same in all `runs`."""

    program: str
    runs: tuple[str, ...]
    source: str
    rows: tuple[CallRow, ...]

    @cached_property
    def total(self) -> CallRow:
        """The sum of all rows."""
        reference_calls = [row.reference_calls for row in self.rows if row.reference_calls is not None]
        return CallRow(
            "total",
            sum(row.calls for row in self.rows),
            sum(row.errors for row in self.rows),
            sum(reference_calls) if reference_calls else None,
        )


@dataclass(frozen=True)
class StreamRow:
    """The calls of one program that read its input or wrote its output, and why there are so many.

    `calls` is the number that `strace -c` shows for the name; those `elsewhere` move neither input nor output.
    `other_call` is the name if it is not that of the verb. A derivation is "" if it is not certain, and `besides` are
    the parts of that of single bytes that are about other reads.
    """

    program: str
    verb: Verb
    runs: tuple[str, ...]
    calls: int
    elsewhere: int
    other_call: str
    derivation: str
    reference_calls: int | None
    reference_derivation: str
    complete: bool
    besides: tuple[str, ...]


@dataclass(frozen=True)
class CallGroup:
    """The calls of all programs on inputs of one size with one kind of output; `size_bytes` is 0 if unknown.

    `uncounted` are programs of which only the reference's calls were counted.
    """

    size_bytes: int
    sink: Sink
    runs: tuple[str, ...]
    streams: tuple[StreamRow, ...]
    tables: tuple[ProgramCalls, ...]
    ratio: str
    uncounted: tuple[str, ...] = ()

    @property
    def scale(self) -> Scale:
        """The scale of the streams' bars."""
        calls = [row.calls for row in self.streams] + [row.reference_calls or 1 for row in self.streams]
        # Always from 1 on, so that bars of the same length mean the same number in every group with this scale.
        return scale_for([1.0, *calls])


@dataclass(frozen=True)
class _Run:
    """The table of one run, and the one of the reference for the same run, if there is one."""

    own: SyscallTable
    reference: SyscallTable | None


def call_groups(report: Report) -> tuple[CallGroup, ...]:
    """Return the calls of a report by size of input and by sink: the largest first, files before terminals."""
    references = () if report.reference is None else report.reference.syscalls
    runs = [_Run(table, _matching_reference(table, references)) for table in report.syscalls]
    # The size of an input is as much as any program read of it.
    sizes: dict[str, int] = {}
    for table in (*report.syscalls, *references):
        if table.stdin is not None:
            sizes[table.input] = max(sizes.get(table.input, 0), table.stdin.bytes)
    groups: dict[tuple[int, Sink], list[_Run]] = {}
    for run in runs:
        groups.setdefault((sizes.get(run.own.input, 0), run.own.sink), []).append(run)
    ordered = sorted(groups, key=lambda key: (-key[0], _SINK_ORDER.index(key[1])))
    found = []
    for size_bytes, sink in ordered:
        group = _group(size_bytes, sink, groups[size_bytes, sink], runs, report)
        counted = {row.program for row in group.streams}
        expected = [table.program for table in references if table.sink == sink and table.name in group.runs]
        programs = {check.program for check in report.checks}
        missing = (program for program in dict.fromkeys(expected) if program in programs - counted)
        found.append(replace(group, uncounted=tuple(missing)))
    return tuple(found)


def source_words(table: SyscallTable) -> str:
    """Say where the numbers of a table come from and whether they are incomplete."""
    if table.totals_only:
        counted_by = "the kernel's own totals of reads and writes, without tracing"
    else:
        counted_by = "counted by strace" if table.engine == "strace" else "every call counted by tally, at full speed"
    return counted_by if table.complete else f"{counted_by}; incomplete, because counting was stopped"


def _group(size_bytes: int, sink: Sink, runs: Sequence[_Run], all_runs: Sequence[_Run], report: Report) -> CallGroup:
    judged = judged_streams(report)
    by_program: dict[str, list[_Run]] = {}
    for run in runs:
        by_program.setdefault(run.own.program, []).append(run)
    streams: list[StreamRow] = []
    for program_runs in by_program.values():
        for verb in VERBS:
            rows = [_stream_row(run, verb, all_runs, judged) for run in program_runs]
            streams += _merged(row for row in rows if row is not None)
    tables = [_table(run) for same in by_program.values() for run in same if not run.own.totals_only]
    return CallGroup(
        size_bytes,
        sink,
        tuple(dict.fromkeys(run.own.name for run in runs)),
        tuple(streams),
        tuple(_merged(tables)),
        _ratio(runs, report.comparisons),
    )


def _table(run: _Run) -> ProgramCalls:
    own = run.own
    # Totals are only of reads and writes: compared with them, every other call would seem to be missing.
    reference = None if run.reference is None or run.reference.totals_only else run.reference.calls
    rows = [_row(name, own.calls, reference) for name in {*own.calls, *(reference or {})}]
    rows.sort(key=lambda row: (-row.calls, -(row.reference_calls or 0), row.syscall))
    return ProgramCalls(own.program, (own.name,), source_words(own), tuple(rows))


def _row(name: str, own: Mapping[str, CallCount], reference: Mapping[str, CallCount] | None) -> CallRow:
    count = own.get(name, _NO_CALLS)
    reference_calls = None if reference is None else reference.get(name, _NO_CALLS).calls
    return CallRow(name, count.calls, count.errors, reference_calls)


def _stream_row(run: _Run, verb: Verb, all_runs: Sequence[_Run], judged: Sequence[Judged]) -> StreamRow | None:
    own, reference = run.own, run.reference
    calls = shown_calls(own, verb)
    if calls is None:
        return None
    reference_calls = None if reference is None else shown_calls(reference, verb)
    judgement = _judgement(own, verb, judged)
    # A judgement derives the expected number, so it explains the student's own number only if that is the same.
    is_as_expected = judgement is not None and judgement.passed and calls == (reference_calls or calls)
    alike = [other for other in all_runs if (other.own.program, other.own.sink) == (own.program, own.sink)]
    own_sizes = _block_sizes((other.own for other in alike), verb)
    reference_sizes = _block_sizes((other.reference for other in alike), verb)
    own_sum = derivation(own, verb, own_sizes, judgement if is_as_expected else None)
    return StreamRow(
        program=own.program,
        verb=verb,
        runs=(own.name,),
        calls=calls,
        elsewhere=calls_elsewhere(own, verb),
        # Totals do not tell the names of calls, but those of a shorter run do.
        other_call=next(filter(None, (other_call(other.own, verb) for other in (run, *alike))), ""),
        derivation=own_sum.words,
        reference_calls=reference_calls,
        reference_derivation=""
        if reference is None
        else derivation(reference, verb, reference_sizes, judgement).words,
        complete=own.complete,
        besides=own_sum.besides,
    )


def _judgement(table: SyscallTable, verb: Verb, judged: Sequence[Judged]) -> StreamJudgement | None:
    """Return the judgement of this stream, else of the same stream with another input of the same program."""
    stream = "stdin" if verb == "read" else "stdout"
    same = [
        one.judgement
        for one in judged
        if (one.program, one.judgement.sink, one.judgement.stream) == (table.program, table.sink, stream)
    ]
    return min(same, key=lambda judgement: (judgement.run != table.run, judgement.input != table.input), default=None)


def _block_sizes(tables: Iterable[SyscallTable | None], verb: Verb) -> tuple[int, ...]:
    streams = [stream_of(table, verb) for table in tables if table is not None]
    return tuple(dict.fromkeys(stream.nbyte_max for stream in streams if stream is not None and stream.nbyte_max))


_Row = TypeVar("_Row", StreamRow, ProgramCalls)


def _merged(rows: Iterable[_Row]) -> Iterator[_Row]:
    """Yield rows, merging those that differ only in their runs."""
    merged: dict[_Row, list[str]] = {}
    for row in rows:
        merged.setdefault(replace(row, runs=()), []).extend(row.runs)
    for row, runs in merged.items():
        yield replace(row, runs=tuple(runs))


def _ratio(runs: Sequence[_Run], comparisons: Iterable[ComparedPrograms]) -> str:
    """Compare the programs that the lab compares; the run is named if several runs differ in this.

    Of several inputs of this size, the first that both programs read whole is enough.
    """
    named: dict[str, str] = {}
    inputs: dict[tuple[str, str], str] = {}
    for comparison in comparisons:
        programs = (comparison.program, comparison.other)
        pair = [run.own for run in runs if run.own.case == comparison.case and run.own.program in programs]
        sentence = _compared(pair)
        if sentence and inputs.setdefault(programs, pair[0].input) == pair[0].input:
            named.setdefault(sentence, pair[0].words)
    return "; ".join(named if len(named) == 1 else (f"{sentence} ({words})" for sentence, words in named.items()))


def _compared(tables: Sequence[SyscallTable]) -> str:
    """Compare the program with the most calls and the one with the fewest; "" if they did not move the same bytes."""
    moved = sorted(map(_moved, tables))
    if len(moved) < 2:  # noqa: PLR2004 - a ratio needs two
        return ""
    (fewest, least, least_bytes), (most, busiest, most_bytes) = moved[0], moved[-1]
    if not fewest or not least_bytes or least_bytes != most_bytes:
        return ""
    times = ratio_words(most / fewest)
    more = "about" if times == ratio_words(1) else f"{times} times"
    return f"{busiest} makes {more} as many reads and writes as {least}"


def _moved(table: SyscallTable) -> tuple[int, str, int]:
    """Return the calls as they are shown, the program, and the bytes that it moved."""
    streams = [stream for stream in (table.stdin, table.stdout) if stream is not None]
    calls = sum(shown_calls(table, verb) or 0 for verb in VERBS)
    return calls, table.program, sum(stream.bytes for stream in streams)


def _matching_reference(own: SyscallTable, references: Sequence[SyscallTable]) -> SyscallTable | None:
    """Return the reference's table of the same run, if possible counted by the same engine."""
    key = (own.program, own.run, own.sink)
    same = [table for table in references if (table.program, table.run, table.sink) == key]
    return min(same, key=lambda table: table.engine != own.engine, default=None)
