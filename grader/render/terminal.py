"""A report for a terminal: one line of a batch, or the whole of it for the student.

Everything is rich Text, never markup, and other people's text is made visible first: a name or a message can
neither be taken for markup nor reach the terminal as a control sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from grader.model.report import Check, CheckStatus, Report
from grader.render.bytes_text import clip, one_line
from grader.render.figures import with_status
from grader.render.terminal_evidence import evidence_blocks
from grader.render.terminal_tables import call_tables, time_tables
from grader.render.terminal_text import indented, text
from grader.render.words import counted, isolation_words, points_words, status_words

MESSAGE_CHARS = 2000
_STATUS_STYLE: dict[CheckStatus, str] = {"passed": "green", "failed": "red", "skipped": "yellow"}


def line(report: Report, *, name_width: int = 0) -> Text:
    """Return a submission as one line: name, score of maximum and the failed checks, or NOT GRADED and why.

    `name_width` is in columns and lines names up; a longer name stands out. A narrow terminal wraps the line.
    """
    name = text(one_line(report.submission.name), style="bold")
    name.pad_right(max(0, name_width - name.cell_len))
    if report.status == "not_graded":
        return (
            text()
            .append_text(name)
            .append_text(text(("  NOT GRADED", "bold yellow"), f": {one_line(report.reason)}"))
        )
    score = f"  {points_words(report.score):>5}/{points_words(report.max_score)}"
    failed = ", ".join(one_line(check.id) for check in with_status(report, "failed"))
    rest = text((score, _score_style(report)), f"  {failed}" if failed else "")
    return text().append_text(name).append_text(rest)


def summary(report: Report) -> RenderableType:
    """Return a report in full, for 40 columns and more: score, failed and skipped checks, tables, isolation."""
    if report.status == "not_graded":
        return Group(*_heading(report), *_not_graded(report))
    return Group(*_heading(report), *_checks(report), *call_tables(report), *time_tables(report), *_notes(report))


def _heading(report: Report) -> Iterator[RenderableType]:
    score = f"  {points_words(report.score)} of {points_words(report.max_score)}"
    name = (one_line(report.submission.name), "bold")
    yield text(name, (score, _score_style(report))) if report.status == "graded" else text(name)
    yield text(f"{one_line(report.lab_title)}; graded {isolation_words(report.isolation)}", style="dim")


def _not_graded(report: Report) -> Iterator[RenderableType]:
    yield text("")
    yield text("NOT GRADED", style="bold yellow")
    yield text(clip(report.reason, MESSAGE_CHARS))
    yield text("The grader failed, not the submission. This is not 0 points; it has to be graded again.")


def _checks(report: Report) -> Iterator[RenderableType]:
    for check in with_status(report, "failed"):
        yield text("")
        yield text(*_check_line(check))
        yield from _explained(check)
    skipped = with_status(report, "skipped")
    if skipped:
        yield text("")
    for check in skipped:
        yield text(*_check_line(check), f": {one_line(check.message)}")
    yield text("")
    yield text(f"{counted(len(with_status(report, 'passed')), 'check')} passed.")


def _check_line(check: Check) -> tuple[tuple[str, str], str]:
    points = f"  {points_words(check.points)} of {points_words(check.max_points)} points"
    return (f"{status_words(check.status)}  {one_line(check.id)}", f"bold {_STATUS_STYLE[check.status]}"), points


def _explained(check: Check) -> Iterator[RenderableType]:
    yield indented(one_line(check.title), style="italic")
    if check.message:
        yield indented(clip(check.message, MESSAGE_CHARS))
    if check.cause:
        yield indented(("Cause: ", "bold"), one_line(check.cause))
    if check.hint:
        yield indented(("Hint: ", "bold"), clip(check.hint, MESSAGE_CHARS))
    if check.evidence is not None:
        yield from evidence_blocks(check.program, check.evidence)


def _notes(report: Report) -> Iterator[RenderableType]:
    for note in report.notes:
        yield text("")
        yield text(("Note: ", "bold"), one_line(note))


def _score_style(report: Report) -> str:
    return "bold green" if report.score == report.max_score else "bold red"
