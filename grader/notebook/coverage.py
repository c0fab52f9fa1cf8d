"""What the statement asks for, and whether a notebook has it."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.model.counted import counted
from grader.model.notebook import CallTable, CoverageItem, InputFact, LineCount, Measured, TimeFigure, TraceLog
from grader.model.spec.lab import Spec
from grader.model.spec.notebook import NotebookRules
from grader.notebook.numbers import short_tables
from grader.notebook.prose import Prose
from grader.notebook.text import NotebookText

CONCLUSION_WORDS = 12
"""Words below the first table or time, at least, that count as a conclusion."""

MAX_LINES = 10
_SINK_WORDS = {"file": "to a file", "terminal": "to the terminal"}


def coverage_of(  # noqa: PLR0913, PLR0917 - everything that was found
    text: NotebookText,
    prose: Prose,
    tables: Sequence[CallTable],
    traced: Sequence[TraceLog | LineCount],
    times: Sequence[TimeFigure],
    inputs: Sequence[InputFact],
    spec: Spec,
    rules: NotebookRules,
) -> tuple[CoverageItem, ...]:
    """Return everything that the statement asks for, in its order; nothing if the file is not text.

    `traced` is what else shows that a program ran under strace: lines of a log, and their number.
    """
    if not text.lines:
        return ()
    return (
        *_measured([*tables, *traced], times, spec, rules),
        *_size(tables, inputs, rules),
        *_conclusion(prose, [*tables, *traced, *times], rules),
        *_format(text, rules),
    )


def _measured(
    traced: Sequence[Measured], times: Sequence[TimeFigure], spec: Spec, rules: NotebookRules
) -> Iterator[CoverageItem]:
    for sink in rules.strace_sinks:
        for program in spec.programs:
            having = [one for one in traced if one.program == program and one.sink == sink]
            open_ = [one for one in traced if one.program in (program, None) and one.sink is None]
            item = _item(f"strace-{program}-{sink}", f"strace of {program} {_SINK_WORDS[sink]}", having, open_)
            away = [one.lines for one in traced if one.program == program and one.sink == "/dev/null"]
            if item.met is False and sink == "file" and away:
                item = item.model_copy(update={"reason": "only to /dev/null", "lines": tuple(away)})
            yield item
    if rules.time:
        for program in spec.programs:
            timed = [time for time in times if time.program == program]
            unknown = [time for time in times if time.program is None]
            yield _item(f"time-{program}", f"time of {program}", timed, unknown)


def _item(item: str, title: str, having: Sequence[Measured], unknown: Sequence[Measured]) -> CoverageItem:
    """Return an item that is met, not met, or not known because a table could be the one."""
    met = True if having else None if unknown else False
    reason = (
        ""
        if met is not None
        else f"{counted(len(unknown), 'measurement')} could be it, but the text does not show what was run"
    )
    return CoverageItem(
        item=item, title=title, met=met, lines=tuple(sorted(one.lines for one in having or unknown)), reason=reason
    )


def _size(tables: Sequence[CallTable], inputs: Sequence[InputFact], rules: NotebookRules) -> Iterator[CoverageItem]:
    if rules.least_bytes is None:
        return
    title = f"an input of at least {rules.least_bytes:,} bytes"
    sized = [table for table in tables if table.n_bytes is not None]
    if sized:
        short = short_tables(sized, rules)
        lines = tuple(table.lines for table in short or sized if short or (table.n_bytes or 0) >= rules.least_bytes)
        yield CoverageItem(item="input-size", title=title, met=not short, lines=lines)
        return
    used = {table.input for table in tables if table.input is not None}
    facts = [fact for fact in inputs if fact.file in used and fact.size_bytes is not None]
    met_by_fact = (
        None if not facts else facts[-1].size_bytes is not None and facts[-1].size_bytes >= rules.least_bytes
    )
    lines = tuple((fact.line, fact.line) for fact in facts[-1:])
    reason = "" if facts else "neither tables nor commands show its size"
    yield CoverageItem(item="input-size", title=title, met=met_by_fact, lines=lines, reason=reason)


def _conclusion(prose: Prose, measured: Sequence[Measured], rules: NotebookRules) -> Iterator[CoverageItem]:
    if not rules.conclusion:
        return
    firsts = [one.lines[0] for one in measured]
    below = prose.after(min(firsts)) if firsts else []
    words = sum(len(line.text.split()) if line.text.isascii() else len(line.text) // 4 for line in below)
    yield CoverageItem(
        item="conclusion",
        title="a conclusion",
        met=words >= CONCLUSION_WORDS,
        lines=tuple((line.number, line.number) for line in below[-3:]),
        reason="" if firsts else "no table, log or time shows where it could begin",
    )


def _format(text: NotebookText, rules: NotebookRules) -> Iterator[CoverageItem]:
    if rules.ascii_only:
        wrong = [number for number, row in enumerate(text.shown, 1) if not row.isascii()]
        yield _rule("ascii", "ASCII only", wrong, text)
    if not rules.carriage_returns:
        yield _rule("no-carriage-returns", "no carriage returns", text.return_lines, text)
    if rules.columns is not None:
        wrong = [number for number, row in enumerate(text.shown, 1) if len(row.expandtabs()) > rules.columns]
        yield _rule("columns", f"at most {rules.columns} columns", wrong, text)


def _rule(item: str, title: str, wrong: Sequence[int], text: NotebookText) -> CoverageItem:
    reason = "" if text.is_whole else "the file is too long to be read whole"
    if wrong:
        reason = f"{counted(len(wrong), 'line')} {'breaks' if len(wrong) == 1 else 'break'} this rule"
    lines = tuple((number, number) for number in wrong[:MAX_LINES])
    return CoverageItem(item=item, title=title, met=not reason, lines=lines, reason=reason)
