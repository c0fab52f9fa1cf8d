"""Calls and times of one check, in Markdown."""

from __future__ import annotations

from collections.abc import Iterator

from grader.gradescope.results.markdown import paragraph, plain, table
from grader.model.counted import counted, listed
from grader.model.report import Report, Timing
from grader.model.spec.rubric import CallPatternItem, RubricEntry, TerminalItem, TimingItem
from grader.render.text.phrases import seconds_words, sink_words
from grader.render.views.syscalls import CallGroup, ProgramCalls, StreamRow, call_groups
from grader.render.views.visible_checks import RubricLine

NOT_KNOWN = "-"
WHICH_SECONDS = (
    "Compare the CPU seconds (user + sys). Real time includes waiting, because the processor here is shared; and the "
    "reference was measured when this autograder was set up."
)


def table_blocks(line: RubricLine, report: Report) -> Iterator[str]:
    """Yield the calls or the times that a check is about, next to the reference's; nothing for other checks."""
    if isinstance(line.item, TimingItem):
        yield from _times(line.check.program, line.item.case, report)
        return
    cases = _counted_cases(line.item)
    own = tuple(one for one in report.syscalls if one.program == line.check.program and one.case in cases)
    # Nothing about other checks may be shown here, so what they say about the same streams is removed first.
    for group in call_groups(report.model_copy(update={"syscalls": own, "checks": (line.check,)})):
        yield from _calls(group)


def _counted_cases(item: RubricEntry) -> tuple[str, ...]:
    match item:
        case CallPatternItem():
            return (item.slice, *item.full)
        case TerminalItem():
            return (*item.cases, *item.shown)
        case _:
            return ()


def _calls(group: CallGroup) -> Iterator[str]:
    size = counted(group.size_bytes, "byte") if group.size_bytes else listed(group.runs)
    yield f"**System calls**: {plain(size)} {sink_words(group.sink)}"
    if group.streams:
        yield table(
            ("calls", "reference", ""),
            [
                (
                    f"{row.calls:,}",
                    NOT_KNOWN if row.reference_calls is None else f"{row.reference_calls:,}",
                    _what(row),
                )
                for row in group.streams
            ],
        )
        yield paragraph(*dict.fromkeys(map(_why, group.streams)))
    for one in group.tables:
        yield plain(f"{listed(one.runs)}: {one.source}")
        yield _by_name(one)


def _what(row: StreamRow) -> str:
    call = f" with {row.other_call}" if row.other_call else ""
    return f"{row.verb}s{call} of {listed(row.runs)}{'' if row.complete else ' (incomplete)'}"


def _why(row: StreamRow) -> str:
    return plain(f"{counted(row.calls, row.verb)}: {row.derivation}") if row.derivation else ""


def _by_name(one: ProgramCalls) -> str:
    """Return the calls by name, in the columns of `strace -c`."""
    return table(
        ("calls", "errors", "syscall"),
        [(f"{row.calls:,}", f"{row.errors:,}" if row.errors else "", row.syscall) for row in (*one.rows, one.total)],
    )


def _times(program: str, case: str, report: Report) -> Iterator[str]:
    reference = () if report.reference is None else report.reference.timing
    timed = [
        (label, timing)
        for label, timings in (("yours", report.timing), ("the reference", reference))
        for timing in timings
        if (timing.program, timing.case) == (program, case)
    ]
    if timed:
        rows = [_seconds(label, timing) for label, timing in timed]
        yield f"Seconds, {plain(timed[0][1].name)}:"
        yield table(("real", "user", "sys", "user + sys", ""), rows)
        yield WHICH_SECONDS


def _seconds(label: str, timing: Timing) -> tuple[str, ...]:
    values = (timing.real_s, timing.user_s, timing.sys_s, timing.user_s + timing.sys_s)
    return (*map(seconds_words, values), label)
