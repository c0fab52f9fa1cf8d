"""A notebook for a terminal: what was measured, what follows from it, and what the statement asks for."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TypeAlias

from rich.console import Group, RenderableType
from rich.text import Text

from grader.model.counted import counted, listed
from grader.model.notebook import (
    CallTable,
    CoverageItem,
    LineCount,
    Measured,
    Notebook,
    NotebookFinding,
    TimeFigure,
    TraceLog,
)
from grader.render.terminal.styled_text import indented, labelled, text
from grader.render.text.escape import one_line, short
from grader.render.views.notebooks import in_short, lines_words, missing, to_look_at

MAX_FINDINGS = 60
MAX_ITEMS = 40
MAX_SUMMARY = 4
MAX_LINE_CHARS = 400
MAX_PATTERN_CHARS = 40
Shown: TypeAlias = CallTable | TraceLog | LineCount | TimeFigure
_STYLES = {"problem": "bold red", "notice": "yellow", "fact": ""}
_MARKS = {True: "+", False: "-", None: "?"}


def notebook_view(notebook: Notebook) -> RenderableType:
    """Return everything that was found, by line."""
    return Group(*_lines(notebook))


def notebook_summary(notebook: Notebook) -> Iterator[RenderableType]:
    """Yield the notebook in a few lines: how much was found, what to look at, and what is missing."""
    yield text("")
    yield indented((f"Notebook {one_line(notebook.file)}", "bold"), f": {in_short(notebook)}", columns=0)
    findings = to_look_at(notebook)
    for finding in findings[:MAX_SUMMARY]:
        yield _finding(finding)
    yield from _more(len(findings), MAX_SUMMARY)
    lacking = [one_line(item.title) for item in missing(notebook)]
    if lacking:
        yield indented(f"Not met: {listed(lacking)}.", columns=2)


def _lines(notebook: Notebook) -> Iterator[RenderableType]:
    yield text((one_line(notebook.file) or "notebook", "bold"), f": {in_short(notebook)}")
    found: list[Shown] = [*notebook.tables, *notebook.logs, *notebook.line_counts, *notebook.times]
    measured = sorted(found, key=lambda one: one.lines)
    if measured:
        yield text("\nMeasured")
    for one in measured[:MAX_ITEMS]:
        yield _measured(one)
    yield from _more(len(measured), MAX_ITEMS)
    if notebook.findings:
        yield text("\nWhat follows")
    for finding in notebook.findings[:MAX_FINDINGS]:
        yield _finding(finding)
    yield from _more(len(notebook.findings), MAX_FINDINGS)
    if notebook.coverage:
        yield text("\nWhat the lab asks for")
    for item in notebook.coverage:
        yield _coverage(item)


def _more(number: int, most: int) -> Iterator[Text]:
    if number > most:
        yield text(f"  and {number - most} more")


def measured_words(one: Measured) -> str:
    """Return the program, where its output went, and what the text does not show."""
    program = one_line(one.program) if one.program is not None else "unknown program"
    sink = {"file": "to a file", "terminal": "to the terminal", "pipe": "to a pipe", None: "unknown where to"}
    return short(f"{program}, {sink.get(one.sink, f'to {one.sink}')}", MAX_LINE_CHARS)


def _measured(one: Shown) -> Text:
    match one:
        case CallTable():
            numbers = f"{counted(one.reads, 'read')}, {counted(one.writes, 'write')}"
        case TraceLog():
            numbers = f"{counted(one.calls, 'call')} of strace's log"
        case LineCount():
            matching = "" if one.pattern is None else f" with {short(one_line(one.pattern), MAX_PATTERN_CHARS)!r}"
            numbers = f"{counted(one.count, 'line')} of strace's log{matching}"
        case TimeFigure():
            values = (("real", one.real_s), ("user", one.user_s), ("sys", one.sys_s))
            numbers = ", ".join(f"{name} {value:g} s" for name, value in values if value is not None)
    reason = ""
    for name in ("program", "sink"):
        reason = reason or one.undetermined.get(name, "")
    why = f" ({one_line(reason)})" if reason else ""
    return text(f"  {lines_words([one.lines])}: {measured_words(one)}: {numbers}{why}")


def _finding(finding: NotebookFinding) -> RenderableType:
    where = lines_words(finding.lines)
    words = f"{where}: {one_line(finding.message)}" if where else one_line(finding.message)
    style = _STYLES[finding.weight]
    mark = {"problem": "!", "notice": "*", "fact": "="}[finding.weight]
    return labelled(text("  ", (mark, style), " "), words)


def _coverage(item: CoverageItem) -> Text:
    where = f" ({lines_words(item.lines)})" if item.lines else ""
    reason = f": {one_line(item.reason)}" if item.reason else ""
    return text("  ", (_MARKS[item.met], "" if item.met else "yellow"), f" {one_line(item.title)}{where}{reason}")
