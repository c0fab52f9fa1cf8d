"""What was found in a lab notebook: commands, tables of calls, times, and what follows from them."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Model

LineRange = Annotated[tuple[int, int], Field(description="First and last line, from 1.")]
NotebookSinkWord = Literal["file", "terminal", "/dev/null", "pipe"]
CommandTool = Literal["strace", "strace -c", "truss", "truss -c", "time"]
"""What a program is run by. dtruss, which macOS has, counts as truss."""

TimeForm = Literal["bash", "posix", "ksh", "zsh", "csh", "gnu", "gnu-verbose", "bsd", "fish", "perf", "hyperfine"]
Weight = Literal["fact", "notice", "problem"]

UNDETERMINED = "Why a field is null, by the name of the field."


class NotebookCommand(Model):
    """A command line: one program with its operands, and where its input comes from and its output goes.

    `program` is one of the lab's, by its name or because a command above compiled it under another name, or the name
    of another program. `log` is the file that strace or time writes to, if it is not standard error.
    """

    lines: LineRange
    text: str
    tools: tuple[CommandTool, ...] = ()
    program: str | None
    operands: tuple[str, ...] | None
    input: str | None
    input_kind: NotebookSinkWord | None
    sink: NotebookSinkWord | None
    output: str | None
    log: str | None = None
    undetermined: Annotated[Mapping[str, str], Field(description=UNDETERMINED)] = {}


class Measured(Model):
    """Something that was measured in a run: the run's command line, if the text shows which one it is.

    `command` is the line of that command line. `program`, `operands`, `input` and `sink` are None if the text does
    not determine them.
    """

    lines: LineRange
    command: int | None
    program: str | None
    operands: tuple[str, ...] | None
    input: str | None
    sink: NotebookSinkWord | None
    undetermined: Annotated[Mapping[str, str], Field(description=UNDETERMINED)] = {}


class TableRow(Model):
    """One row of `strace -c` or `truss -c`; a number that the row does not show is None."""

    line: int
    syscall: str
    percent: float | None
    seconds: float | None
    usecs_per_call: int | None
    calls: int
    errors: int


class CallTable(Measured):
    """A table of `strace -c` or `truss -c`. `complete`: heading, rows and total are there.

    `n_bytes` and `buffer_bytes` follow from its numbers, if they do.
    """

    rows: tuple[TableRow, ...]
    total: TableRow | None
    complete: bool
    n_bytes: int | None = None
    buffer_bytes: int | None = None

    def calls(self, *names: str) -> int:
        """Return the number of calls with one of these names."""
        return sum(row.calls for row in self.rows if row.syscall in names)

    @property
    def reads(self) -> int:
        """Reads, without those at an offset, which only the loader makes."""
        return self.calls("read", "read_nocancel")

    @property
    def writes(self) -> int:
        """Writes of any stream."""
        return self.calls("write", "write_nocancel")


class TimeFigure(Measured):
    """The output of `time`, in seconds; a number that it does not show is None."""

    form: TimeForm
    real_s: float | None
    user_s: float | None
    sys_s: float | None


class TracedStream(Model):
    """Calls of one name on one descriptor in a log, and the nbyte that they asked for."""

    syscall: str
    descriptor: int
    calls: int
    bytes: int
    nbyte_min: int
    nbyte_max: int


class TraceLog(Measured):
    """Lines of strace's log that are in the notebook, mostly a part of the log."""

    calls: int
    streams: tuple[TracedStream, ...]


class LineCount(Measured):
    """A number of lines that `wc -l` or `grep -c` printed, of a file that strace wrote."""

    file: str | None
    count: int
    pattern: str | None


class InputFact(Model):
    """What a command or its output says about a file: its size, whether its bytes are random."""

    line: int
    file: str
    size_bytes: int | None
    random: bool


class NotebookFinding(Model):
    """Something that follows from the numbers, with the arithmetic; `kind` is its id."""

    kind: str
    weight: Weight
    lines: tuple[LineRange, ...]
    message: str


class CoverageItem(Model):
    """Something that the statement asks for, and the lines that have it; `met` is None if it is not known."""

    item: str
    title: str
    met: bool | None
    lines: tuple[LineRange, ...] = ()
    reason: str = ""


class Notebook(Model):
    """A notebook, read. `n_bytes` and `buffer_bytes` are None if tables differ or do not show them.

    `fingerprints` are hashes of its tables with their seconds, which are equal in two notebooks if one is a copy.

    `text` is the beginning of the notebook, line by line, for a page that shows it. `prose_words` are the words
    outside of commands, tables, times and other output.
    """

    schema_version: Literal[1] = 1
    file: str = ""
    size_bytes: int
    encoding: str
    line_count: int
    prose_words: int
    prose_lines: int
    n_bytes: int | None
    buffer_bytes: int | None
    commands: tuple[NotebookCommand, ...]
    tables: tuple[CallTable, ...]
    times: tuple[TimeFigure, ...]
    logs: tuple[TraceLog, ...]
    line_counts: tuple[LineCount, ...]
    inputs: tuple[InputFact, ...]
    findings: tuple[NotebookFinding, ...]
    coverage: tuple[CoverageItem, ...]
    fingerprints: tuple[str, ...] = ()
    text: tuple[str, ...] = ()


def without_items(notebook: Notebook) -> Notebook:
    """Return a notebook with only what the table of a class needs: findings, coverage and fingerprints."""
    return notebook.model_copy(
        update={"commands": (), "tables": (), "times": (), "logs": (), "line_counts": (), "inputs": (), "text": ()}
    )
