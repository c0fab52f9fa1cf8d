"""A report for a terminal: one line of a batch, or the whole of it for the student, in two screens or so.

Everything is rich Text, never markup, and other people's text is made visible first: a name or a message can
neither be taken for markup nor reach the terminal as a control sequence.
"""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from grader.model.report import BuildEvidence, Check, CheckStatus, Report
from grader.render.terminal.evidence import evidence_blocks, evidence_line
from grader.render.terminal.styled_text import indented, shell, text
from grader.render.terminal.tables import figures
from grader.render.text.escape import clip, one_line, short
from grader.render.text.gcc_messages import warned
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

MESSAGE_CHARS = 1000
PAGE_CHARS = 1500
LINE_CHARS = 160
IN_FULL = 3
"""So many failed checks without a known cause are shown with their evidence, the others in a line each."""

NAMED = 4
"""Of so many skipped checks the names are listed, of more only the number."""

_WHAT_HAPPENS = "What happens"
_STATUS_STYLE: dict[CheckStatus, str] = {"passed": "green", "failed": "red", "skipped": "yellow"}


def line(report: Report, *, name_width: int = 0, score_before: float | None = None) -> Text:
    """Return a submission as one line: name, score of maximum, failed checks and causes, or NOT GRADED and why.

    `name_width` is in columns and lines names up; a longer name stands out. A narrow terminal wraps the line.
    `score_before` is what it had before it was graded again, and is shown where it was another.
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
    causes = ", ".join(one_line(cause.name) for cause in report.causes)
    why = f" ({causes})" if causes else ""
    was = f" (was {points_words(score_before)})" if score_before not in (None, report.score) else ""
    missing = f": {short(one_line(_not_there(report)), LINE_CHARS)}" if _not_there(report) else ""
    found = f"  {failed}" if failed else ""
    rest = text((score, _score_style(report)), (was, "bold"), found, (why, "italic"), missing)
    return text().append_text(name).append_text(rest)


def _not_there(report: Report) -> str:
    """Say why there was nothing to compile; whether a 0 is a misplaced file has to be seen before grades go out."""
    return next((check.message for check in unbuilt(report) if not isinstance(check.evidence, BuildEvidence)), "")


def summary(report: Report) -> RenderableType:
    """Return a report, for 40 columns and more, in the order of the page.

    Score, what could not be compiled, what gcc warned of, causes, failed checks without one, what could not be
    judged, calls and times, notes.
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
        yield text(_tally(report))
        yield from (text(words, style="bold") for words in (to_come_words(report), held_back_words(report)) if words)


def _tally(report: Report) -> str:
    passed, failed, skipped = (len(with_status(report, status)) for status in ("passed", "failed", "skipped"))
    asked = len(report.only) or len(report.checks)
    skipped -= len(report.checks) - asked
    if passed == asked > 0:
        return (
            f"Nothing went wrong: all {counted(passed, 'check')} passed{' that were asked for' * bool(report.only)}."
        )
    parts = [f"{number} {word}" for number, word in ((failed, "failed"), (skipped, "skipped")) if number]
    return ", ".join([f"{counted(passed, 'check')} passed", *parts]) + "."


def _not_graded(report: Report) -> Iterator[RenderableType]:
    yield text("")
    yield text("NOT GRADED", style="bold yellow")
    yield text(clip(report.reason, MESSAGE_CHARS))
    yield text("The grader failed, not the submission. This is not 0 points; it has to be graded again.")


def _warnings(report: Report) -> Iterator[RenderableType]:
    for one in warned(report.builds):
        more = f" ({one.more} more)" if one.more else ""
        words = f" {one_line(one.first.place)}: {short(one_line(one.first.words), LINE_CHARS)}{more}"
        yield text("")
        yield text(("gcc warned:", "bold yellow"), words)


def _unbuilt(report: Report) -> Iterator[RenderableType]:
    for check in unbuilt(report):
        yield text("")
        yield text(*_check_line(check))
        yield from _seen(check)


def _causes(report: Report) -> Iterator[RenderableType]:
    for one in explained(report):
        yield text("")
        yield text(short(one_line(one.cause.title), 2 * LINE_CHARS), style="bold red")
        yield from _cause(one)


def _cause(one: Explained) -> Iterator[RenderableType]:
    checks = ", ".join(one_line(check.id) for check in (*one.checks, *one.elsewhere))
    if one.cause.certainty == "likely":
        yield indented(("Likely, not certain. ", "bold"), certainty_words(one.cause))
    lost = points_words(one.lost_points)
    yield indented((f"Costs {lost} {'point' if lost == '1' else 'points'}: ", "bold"), checks)
    happens = sections(one.cause.page).get(_WHAT_HAPPENS, "")
    if happens:
        yield indented(clip(happens, PAGE_CHARS))
    shown = shell_lines(one.cause.page)
    if shown:
        yield indented("To see it:", style="bold")
        yield from shell(clip(shown, PAGE_CHARS))


def _unexplained(report: Report) -> Iterator[RenderableType]:
    checks = unexplained(report)
    if not checks:
        return
    yield text("")
    them = "this" if len(checks) == 1 else "these"
    yield text(f"No known bug explains {them}; here is what was seen:", style="bold")
    for check in checks[:IN_FULL]:
        yield text("")
        yield text(*_check_line(check))
        yield from _seen(check)
    if checks[IN_FULL:]:
        yield text("")
    for check in checks[IN_FULL:]:
        yield text(*_check_line(check), f": {short(evidence_line(check), LINE_CHARS)}")


def _check_line(check: Check) -> tuple[tuple[str, str], str]:
    unseen = f" ({visibility_words(check.visibility)})" if check.visibility != "visible" else ""
    points = f"  {points_words(check.points)} of {points_words(check.max_points)}{unseen}"
    return (f"{status_words(check.status)}  {one_line(check.id)}", f"bold {_STATUS_STYLE[check.status]}"), points


def _seen(check: Check) -> Iterator[RenderableType]:
    yield indented(one_line(check.title), style="italic")
    if check.message and not isinstance(check.evidence, BuildEvidence):
        yield indented(clip(check.message, MESSAGE_CHARS))
    if check.evidence is not None:
        yield from evidence_blocks(check.program, check.evidence, check.message)
    if check.hint:
        yield indented(("Hint: ", "bold"), clip(check.hint, MESSAGE_CHARS))


def _skipped(report: Report) -> Iterator[RenderableType]:
    """Yield each reason once, with the checks that it kept from being judged."""
    reasons: dict[str, list[str]] = {}
    for check in with_status(report, "skipped"):
        reasons.setdefault(check.message, []).append(one_line(check.id))
    if reasons:
        yield text("")
    for reason, ids in reasons.items():
        words = short(one_line(reason), 4 * LINE_CHARS)
        names = listed(ids) if len(ids) <= NAMED else counted(len(ids), "check")
        yield text((f"{status_words('skipped')}  {names}", f"bold {_STATUS_STYLE['skipped']}"), f": {words}")


def _notes(report: Report) -> Iterator[RenderableType]:
    for note in report.notes:
        yield text("")
        yield text(("Note: ", "bold"), short(one_line(note), 4 * LINE_CHARS))


def _score_style(report: Report) -> str:
    if report.score is None:
        return "bold"
    return "bold green" if report.score == report.max_score else "bold red"
