"""Read a notebook: bytes to commands, tables, times, findings and coverage. Nothing here fails on any bytes."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from grader.model.counted import counted
from grader.model.notebook import (
    CallTable,
    LineCount,
    Measured,
    Notebook,
    NotebookCommand,
    NotebookFinding,
    TimeFigure,
    TraceLog,
)
from grader.model.spec.lab import Spec
from grader.model.spec.notebook import NotebookRules
from grader.notebook.attribution import (
    Attribution,
    attribute,
    introducing_commands,
    program_labels,
    terminal_lines,
    typed_ahead,
)
from grader.notebook.command_lines import CommandReader, joined_lines, loop_lines
from grader.notebook.coverage import coverage_of
from grader.notebook.margins import without_margins
from grader.notebook.numbers import fingerprint, number_findings, with_numbers
from grader.notebook.prose import Prose, prose_findings, prose_of
from grader.notebook.tables import FoundTable, find_tables, is_heading
from grader.notebook.text import Line, NotebookText, text_of
from grader.notebook.times import FoundTime, find_times
from grader.notebook.traces import FoundCount, FoundLog, find_counts, find_inputs, find_logs

MAX_ITEMS = 200
"""Tables, and as many times, that are kept."""

INTERRUPTED = re.compile(r"[\s>|#*;]*(?:\^C|(?:\^C)?strace: Process [0-9]+ detached|Killed$|Terminated$|Interrupt$)")
MAX_COMMANDS = 1_000
MAX_SHOWN_LINES = 1_500
MAX_SHOWN_CHARS = 60_000
"""Lines and characters of a notebook that a report has."""

MAX_SHOWN_LINE_CHARS = 250
_COUNTS = frozenset({"strace -c", "truss -c"})
_TIME = frozenset({"time"})
_STRACE = frozenset({"strace"})


@dataclass
class _Items:
    """Everything that was found in the text."""

    commands: list[NotebookCommand] = field(default_factory=list)
    tables: list[CallTable] = field(default_factory=list)
    times: list[TimeFigure] = field(default_factory=list)
    logs: list[TraceLog] = field(default_factory=list)
    counts: list[LineCount] = field(default_factory=list)
    findings: list[NotebookFinding] = field(default_factory=list)
    sentences: set[int] = field(default_factory=set)
    """Lines with a command that are text of the student nevertheless."""


def read_notebook(data: bytes, spec: Spec, *, file: str = "", size_bytes: int | None = None) -> Notebook:
    """Return what a notebook contains. `data` is its beginning if `size_bytes`, its size, is more."""
    size_bytes = len(data) if size_bytes is None else size_bytes
    text = text_of(data, size_bytes)
    text = replace(text, lines=without_margins(text.lines))
    rules = spec.notebook or NotebookRules()
    items = _items(text, spec)
    prose = prose_of(text.lines, _used_lines(items))
    inputs = find_inputs(text.lines, items.commands)
    tables = with_numbers(items.tables, inputs, spec, rules)
    findings = [*text.findings, *items.findings]
    if text.lines:
        findings += number_findings(tables, items.times, inputs, spec, rules)
        findings += prose_findings(prose, tables, items.times, _other_counts(items))
        findings += _share_of_notes(prose, text)
    return Notebook(
        file=file,
        size_bytes=size_bytes,
        encoding=text.encoding,
        line_count=len(text.shown),
        prose_words=prose.words,
        prose_lines=len(prose.lines),
        n_bytes=_only({table.n_bytes for table in tables} - {None}),
        buffer_bytes=_only({table.buffer_bytes for table in tables} - {None}),
        commands=tuple(items.commands),
        tables=tuple(tables),
        times=tuple(items.times),
        logs=tuple(items.logs),
        line_counts=tuple(items.counts),
        inputs=tuple(inputs),
        findings=_in_order(findings),
        coverage=coverage_of(text, prose, tables, [*items.logs, *items.counts], items.times, inputs, spec, rules),
        fingerprints=tuple(dict.fromkeys(filter(None, map(fingerprint, tables)))),
        text=_shown(text.shown),
    )


def _other_counts(items: _Items) -> set[int]:
    """Return the numbers of calls that logs, and counts of their lines, show."""
    return {count.count for count in items.counts} | {log.calls for log in items.logs}


def _shown(lines: Sequence[str]) -> tuple[str, ...]:
    shown, left = [], MAX_SHOWN_CHARS
    for line in lines[:MAX_SHOWN_LINES]:
        text = line if len(line) <= MAX_SHOWN_LINE_CHARS else f"{line[:MAX_SHOWN_LINE_CHARS]} [...]"
        left -= len(text)
        if left < 0:
            break
        shown.append(text)
    return tuple(shown)


def _in_order(findings: Sequence[NotebookFinding]) -> tuple[NotebookFinding, ...]:
    """Return the findings by line; those that say the same of several places are one."""
    merged: dict[tuple[str, str], NotebookFinding] = {}
    for one in findings:
        key = one.kind, one.message
        earlier = merged.get(key)
        merged[key] = one if earlier is None else earlier.model_copy(update={"lines": (*earlier.lines, *one.lines)})
    return tuple(sorted(merged.values(), key=lambda one: one.lines[0] if one.lines else (0, 0)))


def _only(values: set[int | None]) -> int | None:
    return values.pop() if len(values) == 1 else None


def _items(text: NotebookText, spec: Spec) -> _Items:
    reader = CommandReader.of({name: program.all_sources for name, program in spec.programs.items()})
    times = find_times(text.lines, frozenset())
    time_lines = {number for time in times for number in range(time.first, time.last + 1)}
    aliases: dict[str, str] = {}
    items = _Items()
    items.commands, own = _commands(text.lines, reader, aliases, time_lines, times)
    command_lines = {number for command in items.commands for number in range(command.lines[0], command.lines[1] + 1)}
    tables = find_tables(text.lines, command_lines)
    items.findings += _kept(tables, "table") + _kept(times, "time")
    quoted = introducing_commands(
        text.lines, [*tables, *times], command_lines | time_lines, lambda line: reader.in_sentence(line, aliases)
    )
    items.sentences = {command.lines[0] for command in quoted}
    items.commands = sorted([*items.commands, *quoted], key=lambda command: command.lines)
    labels = program_labels(text.lines, spec.programs, frozenset(command_lines | time_lines))
    repeated, ahead = loop_lines(text.lines), typed_ahead(text.lines, items.commands)
    announced = terminal_lines(text.lines, command_lines | time_lines | items.sentences)
    of_tables = attribute(tables, items.commands, _COUNTS, labels, "table", repeated, ahead, announced)
    interruptions = [line.number for line in text.lines if INTERRUPTED.match(line.text)]
    items.tables = [
        _table(table, given, _interruption(table, given, interruptions))
        for table, given in zip(tables, of_tables, strict=True)
    ]
    of_times = attribute(times, items.commands, _TIME, labels, "time", repeated, ahead, announced)
    items.times = [_time(time, _own(time, given, own)) for time, given in zip(times, of_times, strict=True)]
    logs = find_logs(text.lines)[:MAX_ITEMS]
    of_logs = attribute(logs, items.commands, _STRACE, labels, "log")
    items.logs = [_log(log, given, reader, aliases) for log, given in zip(logs, of_logs, strict=True)]
    written = {command.log: command for command in items.commands if command.log is not None}
    items.counts = [_count(count, written) for count in find_counts(text.lines, items.commands, written)[:MAX_ITEMS]]
    return items


def _kept(found: list[Any], what: str) -> list[NotebookFinding]:
    """Leave out what is beyond a sensible number, and say so."""
    if len(found) <= MAX_ITEMS:
        return []
    first, number = found[MAX_ITEMS].first, len(found)
    del found[MAX_ITEMS:]
    message = f"Of {counted(number, what)} the first {MAX_ITEMS} were read."
    return [NotebookFinding(kind=f"too-many-{what}s", weight="notice", lines=((first, first),), message=message)]


def _commands(
    lines: tuple[Line, ...],
    reader: CommandReader,
    aliases: dict[str, str],
    others: set[int],
    times: Sequence[FoundTime],
) -> tuple[list[NotebookCommand], dict[int, NotebookCommand]]:
    """Return all commands, and those that zsh and GNU time print with their times, by the line of the time."""
    commands: list[NotebookCommand] = []
    own: dict[int, NotebookCommand] = {}
    printed = {time.first: time.command for time in times if time.command}
    until = 0
    for line, text, end, _ in joined_lines(lines):
        last = end
        if line.number in printed:
            found = reader.read(Line(line.number, ""), f"$ time {_own_command(printed[line.number])}", last, aliases)
            own.update({line.number: found[0]} if found else {})
        is_other = line.number in others or is_heading(line.text)
        if is_other or line.number <= until or len(commands) >= MAX_COMMANDS:
            continue
        found = reader.read(line, text, last, aliases)
        if not found and last != line.number:
            found, last = reader.read(line, line.text, line.number, aliases), line.number
        if found:
            commands += found
            until = last
    return commands, own


def _own_command(text: str) -> str:
    """Return the command that a time has, without quotation marks of mails and the braces of a group."""
    return text.lstrip(" \t>|#*;").strip("(){} ;")


def _own(time: FoundTime, given: Attribution, own: Mapping[int, NotebookCommand]) -> Attribution:
    """Return the command that a time names itself. The same command line above it shows the redirections."""
    command = own.get(time.first)
    if command is None:
        return given
    if time.form in ("zsh", "hyperfine"):
        return Attribution(command)
    above = given.command
    if above is not None and (above.program, above.operands) == (command.program, command.operands):
        return given
    reason = "the output of time does not show redirections"
    update = {"input": None, "input_kind": None, "sink": None, "undetermined": {"input": reason, "sink": reason}}
    return Attribution(command.model_copy(update=update))


def _interruption(item: FoundTable, given: Attribution, interruptions: Sequence[int]) -> int | None:
    """Return the line between the command line and its table that says that the run was interrupted."""
    since = given.command.lines[1] if given.command is not None else item.first - 2
    return next((line for line in interruptions if since < line < item.first), None)


def _table(found: FoundTable, given: Attribution, interrupted: int | None) -> CallTable:
    fields = given.fields()
    undetermined = dict(fields.pop("undetermined"))
    if found.total is None:
        undetermined["total"] = "the line is cut off" if found.total_is_cut else "there is no such line"
    if found.rows_left_out:
        undetermined["rows"] = "some are left out"
    tools = given.command.tools if given.command is not None else ()
    counts = next((at for at, tool in enumerate(tools) if tool in _COUNTS), len(tools))
    if "time" in tools[counts:]:
        fields["program"] = None
        undetermined["program"] = f"{tools[counts].split()[0]} counts the calls of the program time"
    if interrupted is not None:
        undetermined["n_bytes"] = f"the run was interrupted (line {interrupted})"
    return CallTable(
        lines=(found.first, found.last),
        rows=tuple(found.rows),
        total=found.total,
        complete=bool(found.rows)
        and not found.rows_left_out
        and found.heading == "whole"
        and found.total is not None
        and not found.total_is_cut,
        undetermined=undetermined,
        **fields,
    )


def _time(found: FoundTime, given: Attribution) -> TimeFigure:
    fields = given.fields()
    values = {"real_s": found.real_s, "user_s": found.user_s, "sys_s": found.sys_s}
    undetermined = dict(fields.pop("undetermined"))
    undetermined |= {name: "there is no such line" for name, value in values.items() if value is None}
    return TimeFigure(lines=(found.first, found.last), form=found.form, undetermined=undetermined, **values, **fields)


def _log(found: FoundLog, given: Attribution, reader: CommandReader, aliases: Mapping[str, str]) -> TraceLog:
    fields = given.fields()
    if given.command is None and found.words:
        name = found.words[0]
        fields["program"] = reader.program_of(name, aliases) or name.rpartition("/")[2]
        fields["operands"] = found.words[1:]
        fields["undetermined"] = {
            name: reason for name, reason in fields["undetermined"].items() if name not in ("program", "operands")
        }
    return TraceLog(lines=(found.first, found.last), calls=found.calls, streams=found.traced(), **fields)


def _count(found: FoundCount, written: Mapping[str, NotebookCommand]) -> LineCount:
    names = {name.rpartition("/")[2]: command for name, command in written.items()}
    command = names.get((found.file or "").rpartition("/")[2])
    fields = Attribution(command, "no command line shows which run wrote this file").fields()
    return LineCount(
        lines=(found.line, found.line), file=found.file, count=found.count, pattern=found.pattern, **fields
    )


def _used_lines(items: _Items) -> set[int]:
    """Return the numbers of the lines that belong to commands and their output."""
    found: list[NotebookCommand | Measured] = [
        *items.commands,
        *items.tables,
        *items.times,
        *items.logs,
        *items.counts,
    ]
    ranges = [one.lines for one in found]
    return {number for first, last in ranges for number in range(first, last + 1)} - items.sentences


def _share_of_notes(prose: Prose, text: NotebookText) -> list[NotebookFinding]:
    full = sum(1 for row in text.shown if row.strip())
    if full < MIN_LINES or len(prose.lines) * NOTES_SHARE >= full:
        return []
    message = (
        f"Notes are {len(prose.lines):,} of {full:,} lines, with {counted(prose.words, 'word')}; the others are "
        "commands and their output. This has no influence on points."
    )
    return [NotebookFinding(kind="mostly-transcript", weight="notice", lines=(), message=message)]


MIN_LINES = 30
NOTES_SHARE = 12
"""A notebook of which less than a twelfth is written by the student is more transcript than notes."""
