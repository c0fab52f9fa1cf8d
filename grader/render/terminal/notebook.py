"""A notebook for a terminal: what was measured, what follows from it, and what the statement asks for."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from rich.console import Group, RenderableType
from rich.text import Text

from grader.model.counted import counted
from grader.model.notebook import CallTable, CoverageItem, LineRange, Measured, Notebook, NotebookFinding, TimeFigure
from grader.render.terminal.styled_text import text
from grader.render.text.escape import one_line, short

MAX_FINDINGS = 60
MAX_ITEMS = 40
MAX_LINE_CHARS = 400
_STYLES = {"problem": "bold red", "notice": "yellow", "fact": ""}
_MARKS = {True: "+", False: "-", None: "?"}


def notebook_view(notebook: Notebook) -> RenderableType:
    """Return everything that was found, by line."""
    return Group(*_lines(notebook))


def _lines(notebook: Notebook) -> Iterator[Text]:
    numbers = [counted(len(notebook.tables), "table"), counted(len(notebook.times), "time")]
    if notebook.n_bytes is not None:
        numbers.append(f"n = {notebook.n_bytes:,}")
    if notebook.buffer_bytes is not None:
        numbers.append(f"B = {notebook.buffer_bytes:,}")
    yield text((one_line(notebook.file) or "notebook", "bold"), f": {', '.join(numbers)}")
    measured: list[CallTable | TimeFigure] = sorted([*notebook.tables, *notebook.times], key=lambda one: one.lines)
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


def lines_words(lines: Sequence[LineRange], most: int = 4) -> str:
    """Return `line 3`, `lines 3-18`, `lines 3-18, 20-35`; empty for no lines."""
    if not lines:
        return ""
    shown = [f"{first}-{last}" if last > first else f"{first}" for first, last in lines[:most]]
    more = f" and {len(lines) - most} more" if len(lines) > most else ""
    noun = "line" if len(lines) == 1 and lines[0][0] == lines[0][1] else "lines"
    return f"{noun} {', '.join(shown)}{more}"


def measured_words(one: Measured) -> str:
    """Return the program, where its output went, and what the text does not show."""
    program = one_line(one.program) if one.program is not None else "unknown program"
    sink = {"file": "to a file", "terminal": "to the terminal", "pipe": "to a pipe", None: "unknown where to"}
    return short(f"{program}, {sink.get(one.sink, f'to {one.sink}')}", MAX_LINE_CHARS)


def _measured(one: CallTable | TimeFigure) -> Text:
    if isinstance(one, CallTable):
        numbers = f"{counted(one.reads, 'read')}, {counted(one.writes, 'write')}"
    else:
        values = (("real", one.real_s), ("user", one.user_s), ("sys", one.sys_s))
        numbers = ", ".join(f"{name} {value:g} s" for name, value in values if value is not None)
    reason = ""
    for name in ("program", "sink"):
        reason = reason or one.undetermined.get(name, "")
    why = f" ({one_line(reason)})" if reason else ""
    return text(f"  {lines_words([one.lines])}: {measured_words(one)}: {numbers}{why}")


def _finding(finding: NotebookFinding) -> Text:
    where = lines_words(finding.lines)
    words = f"{where}: {one_line(finding.message)}" if where else one_line(finding.message)
    style = _STYLES[finding.weight]
    mark = {"problem": "!", "notice": "*", "fact": "="}[finding.weight]
    return text("  ", (mark, style), f" {words}")


def _coverage(item: CoverageItem) -> Text:
    where = f" ({lines_words(item.lines)})" if item.lines else ""
    reason = f": {one_line(item.reason)}" if item.reason else ""
    return text("  ", (_MARKS[item.met], "" if item.met else "yellow"), f" {one_line(item.title)}{where}{reason}")
