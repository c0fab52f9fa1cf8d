"""A report for a terminal: one line for a class, or about two screens for the student.

Everything is rich Text and never markup, and untrusted text is made visible first. So no name or message is taken for
markup or reaches the terminal as a control sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from grader.model.report import BuildEvidence, Check, Report
from grader.render.terminal.evidence import evidence_blocks, evidence_line
from grader.render.terminal.styled_text import STATUS_COLOURS, indented, shell, text
from grader.render.terminal.tables import figures
from grader.render.text.escape import clip, one_line, short
from grader.render.text.gcc_messages import first_warnings
from grader.render.text.markdown import sections, shell_lines
from grader.render.text.phrases import (
    certainty_words,
    counted,
    isolation_words,
    listed,
    points_words,
    score_words,
    status_words,
)
from grader.render.text.visibility import held_back_words, to_come_words, visibility_words
from grader.render.views.failures import Explained, explained, unbuilt, unexplained, with_status

MAX_MESSAGE_CHARS = 1000
MAX_PAGE_CHARS = 1500
MAX_LINE_CHARS = 160
MAX_IN_FULL = 3
"""Failed checks without a known cause that are shown with their evidence; each of the others has one line."""

MAX_NAMED = 4
"""Skipped checks whose names are listed; if there are more, only their number is shown."""

_WHAT_HAPPENS = "What happens"


def line(report: Report, *, name_width: int = 0, score_before: float | None = None) -> Text:
    """Return a submission as one line: name, score of maximum, failed checks and causes, or NOT GRADED and why.

    Names are padded to `name_width` columns; a longer name is not cut, and a narrow terminal wraps the line.
    `score_before` is the score before it was graded again; it is shown if it was different.
    """
    name = text(one_line(report.submission.name), style="bold")
    name.pad_right(max(0, name_width - name.cell_len))
    if report.status == "not_graded":
        reason = text(("  NOT GRADED", "bold yellow"), f": {one_line(report.reason)}")
        return text().append_text(name).append_text(reason)
    score = f"  {points_words(report.score):>5}/{points_words(report.max_score)}"
    failed = ", ".join(one_line(check.id) for check in with_status(report, "failed"))
    causes = ", ".join(one_line(cause.name) for cause in report.causes)
    why = f" ({causes})" if causes else ""
    was = f" (was {points_words(score_before)})" if score_before not in (None, report.score) else ""
    # Without sources there is nothing to compile: a 0 for a misplaced file must be noticed before grades go out.
    no_source = next(
        (check.message for check in unbuilt(report) if not isinstance(check.evidence, BuildEvidence)), ""
    )
    missing = f": {short(one_line(no_source), MAX_LINE_CHARS)}" if no_source else ""
    rest = text(
        (score, _score_style(report)), (was, "bold"), f"  {failed}" if failed else "", (why, "italic"), missing
    )
    return text().append_text(name).append_text(rest)


def summary(report: Report) -> RenderableType:
    """Return a report for at least 40 columns, in the order of the page.

    It shows the score, programs that did not compile, compiler warnings, causes, failed checks without a cause,
    skipped checks, calls and times, and notes.
    """
    if report.status == "not_graded":
        return Group(*_heading(report), *_not_graded(report))
    return Group(
        *_heading(report),
        *_unbuilt(report),
        *_warnings(report),
        *_causes(report),
        *_unexplained(report),
        *_skipped(report),
        *figures(report),
        *_notes(report),
    )


def _heading(report: Report) -> Iterator[RenderableType]:
    score = f"  {score_words(report)}"
    name = (one_line(report.submission.name), "bold")
    yield text(name, (score, _score_style(report))) if report.status == "graded" else text(name)
    yield text(f"{one_line(report.lab_title)}; graded {isolation_words(report.isolation)}", style="dim")
    if report.status == "graded":
        yield text(_count_checks(report))
        for remark in filter(None, (to_come_words(report), held_back_words(report))):
            yield text(remark, style="bold")


def _count_checks(report: Report) -> str:
    passed, failed, skipped = (len(with_status(report, status)) for status in ("passed", "failed", "skipped"))
    selected = len(report.only) or len(report.checks)
    skipped -= len(report.checks) - selected
    if passed == selected > 0:
        return (
            f"Nothing went wrong: all {counted(passed, 'check')} passed{' that were asked for' * bool(report.only)}."
        )
    parts = [f"{number} {word}" for number, word in ((failed, "failed"), (skipped, "skipped")) if number]
    return ", ".join([f"{counted(passed, 'check')} passed", *parts]) + "."


def _not_graded(report: Report) -> Iterator[RenderableType]:
    yield text("")
    yield text("NOT GRADED", style="bold yellow")
    yield text(clip(report.reason, MAX_MESSAGE_CHARS))
    yield text("The grader failed, not the submission. This is not 0 points; it has to be graded again.")


def _warnings(report: Report) -> Iterator[RenderableType]:
    for warnings in first_warnings(report.builds):
        more = f" ({warnings.more} more)" if warnings.more else ""
        message = short(one_line(warnings.first.message), MAX_LINE_CHARS)
        yield text("")
        yield text(("gcc warned:", "bold yellow"), f" {one_line(warnings.first.location)}: {message}{more}")


def _unbuilt(report: Report) -> Iterator[RenderableType]:
    for check in unbuilt(report):
        yield text("")
        yield text(*_heading_of(check))
        yield from _details(check)


def _causes(report: Report) -> Iterator[RenderableType]:
    for one in explained(report):
        yield text("")
        yield text(short(one_line(one.cause.title), 2 * MAX_LINE_CHARS), style="bold red")
        yield from _cause(one)


def _cause(one: Explained) -> Iterator[RenderableType]:
    checks = ", ".join(one_line(check.id) for check in (*one.checks, *one.elsewhere))
    if one.cause.certainty == "likely":
        yield indented(("Likely, not certain. ", "bold"), certainty_words(one.cause))
    lost = points_words(one.lost_points)
    yield indented((f"Costs {lost} {'point' if lost == '1' else 'points'}: ", "bold"), checks)
    happens = sections(one.cause.page).get(_WHAT_HAPPENS, "")
    if happens:
        yield indented(clip(happens, MAX_PAGE_CHARS))
    shown = shell_lines(one.cause.page)
    if shown:
        yield indented("To see it:", style="bold")
        yield from shell(clip(shown, MAX_PAGE_CHARS))


def _unexplained(report: Report) -> Iterator[RenderableType]:
    checks = unexplained(report)
    if not checks:
        return
    yield text("")
    them = "this" if len(checks) == 1 else "these"
    yield text(f"No known bug explains {them}; here is what was seen:", style="bold")
    for check in checks[:MAX_IN_FULL]:
        yield text("")
        yield text(*_heading_of(check))
        yield from _details(check)
    if checks[MAX_IN_FULL:]:
        yield text("")
    for check in checks[MAX_IN_FULL:]:
        yield text(*_heading_of(check), f": {short(evidence_line(check), MAX_LINE_CHARS)}")


def _heading_of(check: Check) -> tuple[tuple[str, str], str]:
    unseen = f" ({visibility_words(check.visibility)})" if check.visibility != "visible" else ""
    points = f"  {points_words(check.points)} of {points_words(check.max_points)}{unseen}"
    return (f"{status_words(check.status)}  {one_line(check.id)}", f"bold {STATUS_COLOURS[check.status]}"), points


def _details(check: Check) -> Iterator[RenderableType]:
    yield indented(one_line(check.title), style="italic")
    if check.message and not isinstance(check.evidence, BuildEvidence):
        yield indented(clip(check.message, MAX_MESSAGE_CHARS))
    if check.evidence is not None:
        yield from evidence_blocks(check.program, check.evidence, check.message)
    if check.hint:
        yield indented(("Hint: ", "bold"), clip(check.hint, MAX_MESSAGE_CHARS))


def _skipped(report: Report) -> Iterator[RenderableType]:
    """Yield each reason once, with the checks that were skipped because of it."""
    reasons: dict[str, list[str]] = {}
    for check in with_status(report, "skipped"):
        reasons.setdefault(check.message, []).append(one_line(check.id))
    if reasons:
        yield text("")
    for reason, ids in reasons.items():
        names = listed(ids) if len(ids) <= MAX_NAMED else counted(len(ids), "check")
        yield text(
            (f"{status_words('skipped')}  {names}", f"bold {STATUS_COLOURS['skipped']}"),
            f": {short(one_line(reason), 4 * MAX_LINE_CHARS)}",
        )


def _notes(report: Report) -> Iterator[RenderableType]:
    for note in report.notes:
        yield text("")
        yield text(("Note: ", "bold"), short(one_line(note), 4 * MAX_LINE_CHARS))


def _score_style(report: Report) -> str:
    if report.score is None:
        return "bold"
    return "bold green" if report.score == report.max_score else "bold red"
