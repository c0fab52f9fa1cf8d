"""Compare a notebook with the report of the programs next to it: could they have produced its numbers?"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Literal

from grader.model.counted import counted
from grader.model.notebook import CallTable, Notebook, NotebookFinding, Weight
from grader.model.report import Report, SyscallTable
from grader.model.spec.cases import RandomInput
from grader.model.spec.lab import Spec
from grader.model.spec.notebook import NotebookRules
from grader.notebook.numbers import (
    calls_for,
    input_size,
    is_batched,
    random_since,
    sink_words,
    stopped_early,
)

Buffering = Literal["one call per byte", "line by line", "in full buffers"]

LEAST_BUFFER = 256
"""Mean bytes of a write, at least, of a program that fills its buffer."""

LEAST_BYTES = 2_000
"""Bytes of a run, at least, that show how a program writes."""


def compared(notebook: Notebook, report: Report, spec: Spec) -> tuple[NotebookFinding, ...]:
    """Return what the programs of a report do otherwise than in the notebook, and what they do in the same way."""
    if report.status != "graded":
        return ()
    findings = [one for program in spec.programs for one in _of_program(program, notebook, report, spec)]
    return tuple(findings)


def _of_program(program: str, notebook: Notebook, report: Report, spec: Spec) -> Iterator[NotebookFinding]:
    tables = [table for table in notebook.tables if table.program == program]
    runs = [run for run in report.syscalls if run.program == program and run.complete]
    if not tables or not runs:
        return
    yield from _early_stops(program, tables, runs, notebook, spec)
    if is_batched(spec, program):
        yield from _buffers(program, tables, runs)
    yield from _reads(program, tables, runs)
    for terminal in (False, True):
        yield from _writes(program, tables, runs, terminal=terminal)


def _finding(kind: str, weight: Weight, message: str, tables: Sequence[CallTable]) -> NotebookFinding:
    return NotebookFinding(kind=kind, weight=weight, lines=tuple(table.lines for table in tables), message=message)


def _early_stops(
    program: str, tables: Sequence[CallTable], runs: Sequence[SyscallTable], notebook: Notebook, spec: Spec
) -> Iterator[NotebookFinding]:
    random_runs = [
        run for run in runs if isinstance(spec.inputs.get(run.input), RandomInput) and run.stdout is not None
    ]
    if not random_runs or not is_batched(spec, program):
        return
    stops = [run for run in random_runs if run.stdout is not None and run.stdout.bytes * 2 < _size(run, spec)]
    rules = spec.notebook or NotebookRules()
    sizes = {id(table): input_size(table, notebook.tables, notebook.inputs) for table in tables}
    early = [table for table in tables if stopped_early(table, sizes[id(table)], rules)]
    whole = [table for table in tables if table not in early and random_since(table, notebook.inputs) is not None]
    whole = [table for table in whole if table.n_bytes is not None]
    if stops and whole:
        run = stops[0]
        yield _finding(
            "not-these-programs",
            "problem",
            f"The table shows {program} copying {whole[0].n_bytes:,} random bytes. The submitted one "
            f"stops after {run.stdout.bytes if run.stdout else 0:,} of {_size(run, spec):,} random bytes "
            f"({run.input}), so it did not produce these numbers.",
            whole,
        )
    elif stops and early:
        words = f"The submitted {program} stops early on random bytes, too ({stops[0].input})."
        yield _finding("early-stop-confirmed", "fact", words, early)
    elif early and not stops:
        words = f"The submitted {program} does not stop early on random bytes: this run was of another version."
        yield _finding("early-stop-fixed", "notice", words, early)


def _size(run: SyscallTable, spec: Spec) -> int:
    declaration = spec.inputs[run.input]
    return declaration.size_bytes if isinstance(declaration, RandomInput) else 0


def _buffers(program: str, tables: Sequence[CallTable], runs: Sequence[SyscallTable]) -> Iterator[NotebookFinding]:
    known = [table for table in tables if table.buffer_bytes is not None]
    asked = {run.stdin.nbyte_max for run in runs if run.stdin is not None and run.stdin.nbyte_max is not None}
    if not known or len(asked) != 1:
        return
    graded = asked.pop()
    for noted in sorted({table.buffer_bytes or 0 for table in known}):
        yield _buffer(program, noted, graded, [table for table in known if table.buffer_bytes == noted])


def _buffer(program: str, noted: int, graded: int, known: Sequence[CallTable]) -> NotebookFinding:
    if graded == noted:
        words = f"{program}: B = {noted:,} bytes in the notebook and in the report."
        return _finding("buffer-agrees", "fact", words, known)
    if graded & (graded - 1) == 0 and graded >= LEAST_BUFFER:
        words = (
            f"{program}: B = {noted:,} bytes in the notebook, {graded:,} in the report. stdio takes the block "
            "size of the file system, so both are possible for one program."
        )
        return _finding("buffer-of-other-machine", "fact", words, known)
    words = (
        f"{program}: B = {noted:,} bytes in the notebook, but the submitted program reads {graded:,} bytes at a "
        "time, which is not a block size."
    )
    return _finding("not-these-programs", "problem", words, known)


def _reads(program: str, tables: Sequence[CallTable], runs: Sequence[SyscallTable]) -> Iterator[NotebookFinding]:
    """Yield whether the notebook shows one read per byte, and the program reads blocks in all its runs."""
    seen = [run for run in runs if run.stdin is not None and run.stdin.bytes >= LEAST_BYTES]
    large = [run for run in seen if run.stdin is not None and run.stdin.calls * LEAST_BUFFER <= run.stdin.bytes]
    single = [table for table in tables if (table.n_bytes or 0) >= LEAST_BYTES and table.reads > (table.n_bytes or 0)]
    if not single or not large or len(large) != len(seen):
        return
    run, table = large[0], single[0]
    calls, size = (run.stdin.calls, run.stdin.bytes) if run.stdin is not None else (0, 0)
    yield _finding(
        "not-these-programs",
        "problem",
        f"In the notebook {program} reads byte by byte ({table.reads:,} reads for {table.n_bytes:,} bytes). The "
        f"submitted program reads in blocks ({counted(calls, 'read')} for {size:,} bytes, {run.name}).",
        single,
    )


def _writes(
    program: str,
    tables: Sequence[CallTable],
    runs: Sequence[SyscallTable],
    *,
    terminal: bool,
) -> Iterator[NotebookFinding]:
    """Yield whether the program writes in the same way: byte by byte, line by line, or in full buffers."""
    seen = {
        kind: run
        for run in runs
        if (run.sink == "terminal") == terminal and run.stdout is not None
        for kind in [_kind(run.stdout.bytes, run.stdout.calls, terminal=terminal)]
        if kind is not None
    }
    if not seen:
        return
    for table in tables:
        if table.sink is None or (table.sink == "terminal") != terminal or table.n_bytes is None:
            continue
        kind = _kind(table.n_bytes, table.writes, terminal=terminal)
        if kind is None or kind in seen:
            continue
        other, run = next(iter(seen.items()))
        stdout = run.stdout
        yield _finding(
            "not-these-programs",
            "problem",
            f"In the notebook {program} writes to {sink_words(table.sink)} {kind} "
            f"({counted(table.writes, 'write')} for {table.n_bytes:,} bytes). The submitted program writes {other} "
            f"({counted(stdout.calls if stdout else 0, 'write')} for {stdout.bytes if stdout else 0:,} bytes, "
            f"{run.name}).",
            [table],
        )


def _kind(size: int, writes: int, *, terminal: bool) -> Buffering | None:
    if size < LEAST_BYTES or not writes:
        return None
    if writes >= size:
        return "one call per byte"
    if terminal and writes >= calls_for(size, 1024):
        return "line by line"
    return "in full buffers" if size / writes >= LEAST_BUFFER else None
