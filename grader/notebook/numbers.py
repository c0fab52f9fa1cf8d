"""What follows from the numbers of tables and times: the input's size, buffers, and programs that stopped early."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from itertools import groupby

from grader.model.counted import counted, listed, listed_up_to
from grader.model.notebook import CallTable, InputFact, LineRange, NotebookFinding, TimeFigure, Weight
from grader.model.spec.lab import Spec
from grader.model.spec.notebook import NotebookRules
from grader.model.spec.programs import BatchedCalls, ExactCalls, LineBufferedCalls

MAX_EXTRA_READS = 4
"""Reads besides those of the input's bytes: the end of the file, and one of the loader for each library."""

BUFFERS = tuple(1 << power for power in range(8, 23))
EARLY_READS = 2
"""A program that buffers and makes so few reads got one buffer at most, or only the loader read."""

MIN_BYTE_CALLS = 100_000
"""Writes of a program that can only be those of single bytes: with a buffer they are far fewer."""

LARGEST_BUFFER = BUFFERS[-1]
NEWLINE_SHARE = 1 / 256
"""Share of newlines among random bytes."""

RANDOM_TOLERANCE = 0.03
CPU_TOLERANCE = 1.1
CPU_TOLERANCE_S = 0.05
MAX_LISTED = 8
HASH_DIGITS = 16
MIN_SECONDS_ROWS = 3
"""Rows with times that two tables must share for the likeness to be more than chance."""


def is_exact(spec: Spec, program: str | None) -> bool:
    """Return whether a program makes one call for so many bytes, in both directions."""
    own = spec.programs.get(program or "")
    return own is not None and isinstance(own.stdin, ExactCalls) and isinstance(own.stdout, ExactCalls)


def is_batched(spec: Spec, program: str | None) -> bool:
    """Return whether a program reads with a buffer."""
    own = spec.programs.get(program or "")
    return own is not None and isinstance(own.stdin, BatchedCalls)


def with_numbers(
    tables: Sequence[CallTable], inputs: Sequence[InputFact], spec: Spec, rules: NotebookRules
) -> list[CallTable]:
    """Return the tables with the sizes of input and buffer that follow from their calls."""
    exact = [_of_exact(table, spec) if is_exact(spec, table.program) else table for table in tables]
    result = []
    for table in exact:
        if not is_batched(spec, table.program):
            result.append(table)
            continue
        size = input_size(table, exact, inputs)
        if size is None or _is_partial(table) or stopped_early(table, size, rules):
            result.append(table)
            continue
        buffer = _buffer_of(table, size)
        update = {"buffer_bytes": buffer, "n_bytes": size if buffer is not None else None}
        result.append(table.model_copy(update=update))
    return result


def _is_partial(table: CallTable) -> bool:
    """Return whether a table is of a run that did not come to its end."""
    return "n_bytes" in table.undetermined


def _of_exact(table: CallTable, spec: Spec) -> CallTable:
    if _is_partial(table):
        return table
    extra = table.reads - table.writes
    pattern = spec.programs[table.program or ""].stdin
    nbyte = pattern.nbyte if isinstance(pattern, ExactCalls) else 1
    if not table.writes or not 1 <= extra <= MAX_EXTRA_READS or nbyte != 1:
        return table
    return table.model_copy(update={"n_bytes": table.writes})


def input_size(table: CallTable, tables: Sequence[CallTable], inputs: Sequence[InputFact]) -> int | None:
    """Return the size of a table's input, from a table with one call per byte, or from what the text says of it."""
    sized = [one for one in tables if one.n_bytes is not None]
    same = [one for one in sized if one.input is not None and one.input == table.input]
    after = [one.n_bytes for one in same if one.lines[0] > table.lines[0]]
    before = [one.n_bytes for one in same if one.lines[0] <= table.lines[0]]
    for size in (*after[:1], *before[-1:]):
        return size
    fact = _fact(table, inputs)
    if fact is not None:
        return fact.size_bytes
    every = {one.n_bytes for one in sized}
    return every.pop() if len(every) == 1 and table.input is None else None


def _fact(table: CallTable, inputs: Sequence[InputFact]) -> InputFact | None:
    """Return the last statement about a table's input above its command line."""
    if table.input is None or table.command is None:
        return None
    name = table.input.rpartition("/")[2]
    above = [one for one in inputs if one.line < table.command and one.file.rpartition("/")[2] == name]
    return above[-1] if above else None


def random_since(table: CallTable, inputs: Sequence[InputFact]) -> int | None:
    """Return the line of the command that filled a table's input with random bytes, None if another may have."""
    if table.input is None or table.command is None:
        return None
    name = table.input.rpartition("/")[2]
    above = [one for one in inputs if one.line < table.command and one.file.rpartition("/")[2] == name]
    # A listing says the size, not who wrote the file.
    sizes = {one.size_bytes for one in above if one.random}
    written = [one for one in above if one.random or one.size_bytes is None or one.size_bytes not in sizes]
    return written[-1].line if written and written[-1].random else None


def stopped_early(table: CallTable, size: int | None, rules: NotebookRules) -> bool:
    """Return whether a program with a buffer got less of its input than any buffer explains."""
    size = size if size is not None else rules.least_bytes
    return (
        size is not None and size > LARGEST_BUFFER and 1 <= table.reads <= EARLY_READS and table.calls("execve") == 1
    )


def _buffer_of(table: CallTable, size: int) -> int | None:
    """Return the only power of two that explains the reads, and the writes of a table to a file."""
    fitting = _fitting_buffers(table, size)
    return fitting[0] if len(fitting) == 1 and size > fitting[0] else None


def _fitting_buffers(table: CallTable, size: int) -> list[int]:
    return [
        buffer
        for buffer in BUFFERS
        if 1 <= table.reads - calls_for(size, buffer) <= MAX_EXTRA_READS
        and (_may_be_terminal(table, size, buffer) or table.writes == calls_for(size, buffer))
    ]


def _may_be_terminal(table: CallTable, size: int, buffer: int) -> bool:
    """Return whether the output went to a terminal, or may have: there, lines and not buffers make the writes."""
    return table.sink == "terminal" or (table.sink is None and table.writes > calls_for(size, buffer))


def calls_for(size: int, buffer: int) -> int:
    """Return the number of full and partial buffers."""
    return -(-size // buffer)


def number_findings(
    tables: Sequence[CallTable],
    times: Sequence[TimeFigure],
    inputs: Sequence[InputFact],
    spec: Spec,
    rules: NotebookRules,
) -> Iterator[NotebookFinding]:
    """Yield everything that follows from the numbers, with the arithmetic."""
    yield from _totals(tables)
    yield from _copies(tables)
    short = short_tables(tables, rules)
    for table in tables:
        if is_exact(spec, table.program):
            yield from _exact(table, rules, is_short=table in short)
        elif is_batched(spec, table.program):
            yield from _batched(table, input_size(table, tables, inputs), inputs, spec, rules)
    yield from _different_sizes(tables)
    yield from _ratios(times, spec)
    yield from _impossible_times(times, spec)


def _finding(kind: str, weight: Weight, message: str, *lines: LineRange) -> NotebookFinding:
    return NotebookFinding(kind=kind, weight=weight, lines=lines, message=message)


def _totals(tables: Sequence[CallTable]) -> Iterator[NotebookFinding]:
    right = []
    for table in tables:
        if table.total is None or not table.rows or "rows" in table.undetermined:
            continue
        calls, errors = sum(row.calls for row in table.rows), sum(row.errors for row in table.rows)
        if (calls, errors) == (table.total.calls, table.total.errors):
            right.append(table)
            continue
        what, own, total = ("calls", calls, table.total.calls) if calls != table.total.calls else (
            "errors", errors, table.total.errors
        )  # fmt: skip
        yield _finding(
            "total-differs",
            "problem" if table.complete else "notice",
            f"The {what} of the rows add up to {own:,}, and the total line says {total:,}"
            f" ({abs(own - total):,} {'more' if own > total else 'fewer'} in the rows).",
            table.lines,
        )
    if right:
        yield _finding(
            "totals-agree",
            "fact",
            f"In {counted(len(right), 'table')} of {len(tables)} the total equals the sum of the rows: "
            f"{listed_up_to(MAX_LISTED, [f'{_total_calls(table):,}' for table in right])} calls.",
            *(table.lines for table in right),
        )


def _total_calls(table: CallTable) -> int:
    return table.total.calls if table.total is not None else 0


def fingerprint(table: CallTable) -> str | None:
    """Return what tells a table apart from every other: a hash of its seconds. None if most of them are 0.

    Calls alone follow from the size of the input, so that they are the same in many notebooks.
    """
    if sum(bool(row.seconds) for row in table.rows) < MIN_SECONDS_ROWS:
        return None
    rows = sorted((row.syscall, row.calls, row.seconds) for row in table.rows)
    return hashlib.sha256(repr(rows).encode("utf-8")).hexdigest()[:HASH_DIGITS]


def _copies(tables: Sequence[CallTable]) -> Iterator[NotebookFinding]:
    keyed = [(key, table) for table in tables if (key := fingerprint(table)) is not None]
    ordered = sorted(keyed, key=lambda one: (one[0], one[1].lines))
    for _, group in groupby(ordered, key=lambda one: one[0]):
        same = [table for _, table in group]
        if len(same) > 1:
            yield _finding(
                "same-table-twice",
                "notice",
                f"{counted(len(same), 'table')} have the same numbers, also the seconds, which differ by run.",
                *(table.lines for table in same),
            )


def short_tables(tables: Sequence[CallTable], rules: NotebookRules) -> list[CallTable]:
    """Return the tables of inputs that are smaller than asked for, unless a larger one was measured in the same way.

    What the statement does not ask for, such as a pipe, counts only if nothing else was measured.
    """
    sized = [table for table in tables if table.n_bytes is not None]
    asked = [table for table in sized if table.sink in (*rules.strace_sinks, None)] or sized
    least = rules.least_bytes or 0
    enough = {(table.program, table.sink) for table in asked if (table.n_bytes or 0) >= least}
    return [table for table in asked if (table.n_bytes or 0) < least and (table.program, table.sink) not in enough]


def _interrupted(table: CallTable) -> NotebookFinding:
    return _finding(
        "interrupted",
        "notice",
        f"{table.program}: {counted(table.reads, 'read')} and {counted(table.writes, 'write')}, but "
        f"{table.undetermined['n_bytes']}, so nothing follows from them.",
        table.lines,
    )


def _exact(table: CallTable, rules: NotebookRules, *, is_short: bool) -> Iterator[NotebookFinding]:
    reads, writes = table.reads, table.writes
    if _is_partial(table):
        yield _interrupted(table)
        return
    if table.n_bytes is None:
        if table.rows and (reads or writes):
            yield _finding(
                "one-call-per-byte",
                "notice",
                f"{table.program}: {counted(reads, 'read')} and {counted(writes, 'write')}. A program with one call "
                "per byte makes as many writes as its input has bytes, and one to "
                f"{MAX_EXTRA_READS} reads more.",
                table.lines,
            )
        return
    loader = reads - writes - 1
    yield _finding(
        "input-size",
        "fact",
        f"{table.program}: {writes:,} writes of 1 byte, so n = {writes:,} bytes. {reads:,} reads = {writes:,} + 1 "
        f"for the end of the file{_loader_words(loader)}.",
        table.lines,
    )
    if is_short and rules.least_bytes is not None and table.n_bytes < rules.least_bytes:
        yield _finding(
            "input-too-small",
            "problem",
            f"n = {table.n_bytes:,} bytes, and the lab asks for at least {rules.least_bytes:,}: "
            f"{rules.least_bytes - table.n_bytes:,} are missing.",
            table.lines,
        )


def _loader_words(reads: int) -> str:
    if not reads:
        return ""
    return f" + {reads} by the loader, which reads the start of " + (
        "the C library" if reads == 1 else "each library"
    )


def _batched(
    table: CallTable, size: int | None, inputs: Sequence[InputFact], spec: Spec, rules: NotebookRules
) -> Iterator[NotebookFinding]:
    if _is_partial(table):
        yield _interrupted(table)
        return
    is_early = stopped_early(table, size, rules)
    if table.rows and table.reads <= 1 and table.calls("execve") == 1:
        # A program that refuses its operands looks like that as well.
        is_early = is_early and random_since(table, inputs) is not None
        if not is_early:
            yield _nothing_read(table)
            return
    if is_early:
        yield _early_stop(table, size, inputs, rules)
        return
    if _is_byte_by_byte(table):
        yield _finding(
            "no-buffer",
            "notice",
            f"{table.program}: {table.reads:,} reads and {table.writes:,} writes: one of each per byte, as if it had "
            "no buffer. Is this the table of another program?",
            table.lines,
        )
        return
    if size is None:
        return
    buffer = table.buffer_bytes
    if buffer is None:
        # Several buffers explain a small input.
        if table.reads and size > table.reads and not _fitting_buffers(table, size):
            yield _finding(
                "buffer-unknown",
                "notice",
                f"{table.program}: {counted(table.reads, 'read')} and {counted(table.writes, 'write')} for "
                f"{size:,} bytes; no power of two explains these as the size of a buffer.",
                table.lines,
            )
        return
    full = calls_for(size, buffer)
    writes = f"{table.writes:,} writes = " if table.writes == full and table.sink != "terminal" else ""
    yield _finding(
        "buffer-size",
        "fact",
        f"{table.program}: {writes}{size:,} / {buffer:,} = {size / buffer:.2f}, rounded up {full:,}, so B = "
        f"{buffer:,} bytes. {table.reads:,} reads = {full:,} + 1 for the end of the file"
        f"{_loader_words(table.reads - full - 1)}.{_unknown_sink_words(table, full)}",
        table.lines,
    )
    if table.sink == "terminal":
        yield from _terminal(table, size, buffer, spec)


def _unknown_sink_words(table: CallTable, full: int) -> str:
    if table.sink is not None or table.writes == full:
        return ""
    return (
        f" The {table.writes:,} writes are more than full buffers would be, as they are to a terminal, but the text "
        "does not show where the output went."
    )


def _is_byte_by_byte(table: CallTable) -> bool:
    return table.writes >= MIN_BYTE_CALLS and 1 <= table.reads - table.writes <= MAX_EXTRA_READS


def _nothing_read(table: CallTable) -> NotebookFinding:
    loader = "which is usually the loader's" if table.reads else "not even the loader's"
    return _finding(
        "nothing-read",
        "notice",
        f"{table.program}: {counted(table.reads, 'read')}, {loader}, so it read nothing of its input. Did it refuse "
        "its operands?",
        table.lines,
    )


def _early_stop(
    table: CallTable, size: int | None, inputs: Sequence[InputFact], rules: NotebookRules
) -> NotebookFinding:
    line = random_since(table, inputs)
    got, other = ("at most one buffer", "") if table.reads > 1 else ("nothing", "It may have refused its operands. ")
    source = f" The input is random (line {line})." if line is not None else ""
    if size is None:
        return _finding(
            "early-stop",
            "notice",
            f"{table.program}: {counted(table.reads, 'read')} and {counted(table.writes, 'write')}, too few for the "
            f"{rules.least_bytes:,} bytes that the lab asks for. The text does not show the size of its input.",
            table.lines,
        )
    return _finding(
        "early-stop",
        "problem",
        f"{table.program} stopped early: {counted(table.reads, 'read')} and {counted(table.writes, 'write')}. "
        f"One read is usually the loader's, so the program read {got} of an input of {size:,} bytes, and never "
        f"reached its end.{source} "
        f"{other}The usual reason: the byte 0xFF in a char equals EOF, so the program takes it for the end of the "
        "file.",
        table.lines,
    )


def _terminal(table: CallTable, size: int, buffer: int, spec: Spec) -> Iterator[NotebookFinding]:
    """Yield whether the writes to a terminal are those of a line-buffered program."""
    pattern = spec.programs[table.program or ""].terminal
    if not isinstance(pattern, LineBufferedCalls):
        return
    most, writes = pattern.buffer_bytes, table.writes
    full = calls_for(size, most)
    arithmetic = f"{size:,} / {most:,} = {size / most:.2f}, rounded up {full:,}"
    if writes == full:
        message = f"{writes:,} writes = {arithmetic}: line buffered, and there are no newlines in the input."
        yield _finding("terminal-line-buffered", "fact", f"{table.program}: {message}", table.lines)
    elif writes > full:
        words = f"{writes:,} writes, more than {arithmetic}: line buffered, because newlines end writes as well."
        expected = _writes_of_random(size, most)
        if abs(writes - expected) <= RANDOM_TOLERANCE * expected:
            words += f" Random bytes have a newline in 256: about {expected:,.0f} writes."
        yield _finding("terminal-line-buffered", "fact", f"{table.program}: {words}", table.lines)
    elif writes == calls_for(size, buffer):
        yield _finding(
            "terminal-not-line-buffered",
            "notice",
            f"{table.program}: {writes:,} writes, as many as full buffers of {buffer:,} bytes. A line-buffered "
            f"program makes at least {full:,} ({arithmetic}): was its output really a terminal?",
            table.lines,
        )
    else:
        yield _finding(
            "terminal-not-line-buffered",
            "notice",
            f"{table.program}: {counted(writes, 'write')}, fewer than {arithmetic}, the least of a "
            "line-buffered program.",
            table.lines,
        )


def _writes_of_random(size: int, most: int) -> float:
    """Return the expected writes for random bytes: each write ends with a newline, or is full."""
    return size * NEWLINE_SHARE / (1 - (1 - NEWLINE_SHARE) ** most)


def _different_sizes(tables: Sequence[CallTable]) -> Iterator[NotebookFinding]:
    sizes: dict[int, CallTable] = {}
    for table in tables:
        if table.n_bytes is not None:
            sizes.setdefault(table.n_bytes, table)
    if len(sizes) > 1:
        yield _finding(
            "different-inputs",
            "notice",
            f"The tables are of inputs of different sizes: {listed(f'{size:,}' for size in sizes)} bytes.",
            *(table.lines for table in sizes.values()),
        )


def _ratios(times: Sequence[TimeFigure], spec: Spec) -> Iterator[NotebookFinding]:
    """Yield how many times as long the slower of two programs takes, for each place that their output went to."""
    for sink in dict.fromkeys(time.sink for time in times if time.sink is not None):
        last: Mapping[str, TimeFigure] = {
            time.program: time
            for time in times
            if time.sink == sink and time.program in spec.programs and time.program is not None and time.real_s
        }
        slow_first = sorted(last.values(), key=lambda time: -(time.real_s or 0))
        if len(slow_first) < 2:  # noqa: PLR2004 - two programs
            continue
        slow, fast = slow_first[0], slow_first[-1]
        if slow.real_s and fast.real_s:
            yield _finding(
                "time-ratio",
                "fact",
                f"To {sink_words(sink)}: {slow.program} {slow.real_s:g} s / {fast.program} {fast.real_s:g} s = "
                f"{slow.real_s / fast.real_s:.1f}.",
                slow.lines,
                fast.lines,
            )


def sink_words(sink: str) -> str:
    """Return where an output went, for a sentence."""
    return {"file": "a file", "terminal": "the terminal", "pipe": "a pipe"}.get(sink, sink)


def _impossible_times(times: Sequence[TimeFigure], spec: Spec) -> Iterator[NotebookFinding]:
    for time in times:
        if time.program not in spec.programs or time.real_s is None or time.user_s is None or time.sys_s is None:
            continue
        cpu = time.user_s + time.sys_s
        if cpu > CPU_TOLERANCE * time.real_s + CPU_TOLERANCE_S:
            yield _finding(
                "more-cpu-than-time",
                "notice",
                f"user {time.user_s:g} s + sys {time.sys_s:g} s = {cpu:g} s, more than real {time.real_s:g} s: a "
                "program with one thread cannot use more.",
                time.lines,
            )
