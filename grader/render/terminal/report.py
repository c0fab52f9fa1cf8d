"""A report for a terminal: one line for a class, or everything that is known, for `--verbose`.

Everything is rich Text and never markup, and untrusted text is made visible first. So no name or message is taken for
markup or reaches the terminal as a control sequence.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator

from rich.console import Group, RenderableType
from rich.text import Text

from grader.model.counted import counted, listed
from grader.model.proof_words import instruction_of
from grader.model.report import BuildEvidence, CauseLine, Certainty, Check, Proof, Report, Symptom
from grader.render.terminal.evidence import evidence_blocks
from grader.render.terminal.styled_text import STATUS_COLOURS, indented, shell, text
from grader.render.terminal.tables import figures
from grader.render.text.escape import clip, one_line, short, visible_text
from grader.render.text.gcc_messages import Diagnostic
from grader.render.text.markdown import sections, shell_lines
from grader.render.text.phrases import (
    certainty_label,
    certainty_words,
    cost_words,
    final_words,
    is_own_doing,
    isolation_words,
    points_counted,
    points_words,
    programs_words,
    score_words,
    signed_points,
    status_words,
)
from grader.render.text.visibility import held_back_words, to_come_words, visibility_words
from grader.render.views.failures import (
    Explained,
    Observed,
    by_program,
    explained,
    finding_rows,
    lost_points,
    observed,
    remaining_warnings,
    title_of_cause,
    unbuilt,
    with_status,
)
from grader.render.views.notes import shown_notes

MAX_MESSAGE_CHARS = 1000
MAX_PAGE_CHARS = 1500
MAX_LINE_CHARS = 160
MAX_IN_FULL = 3
"""Symptoms without a known cause that are shown with evidence; of each of the others there is only the sentence."""

MAX_WARNINGS = 3
"""Compiler warnings that are shown with a failure."""

MAX_LINES = 5
"""Lines of source that are shown with a cause."""

MAX_NAMED = 4
"""Skipped checks whose names are listed; if there are more, only their number is shown."""

TAB = "\t"
_CERTAINTY_STYLES: dict[Certainty, str] = {"proven": "bold reverse red", "certain": "bold red", "likely": "yellow"}
_WHAT_HAPPENS = "What happens"


def line(report: Report, *, name_width: int = 0, score_before: float | None = None) -> Text:
    """Return a submission as one line: name, score of maximum, failed checks and causes, or NOT GRADED and why.

    Names are padded to `name_width` columns; a longer name is not cut, and a narrow terminal wraps the line.
    `score_before` is the score before it was graded again; it is shown if it was different.
    """
    name = text(one_line(report.submission.name), style="bold")
    name.pad_right(max(0, name_width - name.cell_len))
    if report.status == "not_graded":
        reason = text(("  NOT GRADED", "bold yellow"), (_final(report), "bold"), f": {one_line(report.reason)}")
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
        (score, _score_style(report)),
        (_final(report), "bold"),
        (was, "bold"),
        f"  {failed}" if failed else "",
        (why, "italic"),
        missing,
    )
    return text().append_text(name).append_text(rest)


def _final(report: Report) -> str:
    grade = report.grade
    return f" → {final_words(grade)}" if grade is not None and grade.changed else ""


def in_full(report: Report) -> RenderableType:
    """Return a report for at least 40 columns, with the evidence of its failed checks and all tables.

    It shows the score, programs that did not compile, memory errors, causes, failed checks without a cause, skipped
    checks, calls and times, compiler warnings that concern no failure, remarks, and notes.
    """
    if report.status == "not_graded":
        return Group(*heading(report), *not_graded(report))
    return Group(
        *heading(report),
        *_unbuilt(report),
        *_findings(report),
        *_causes(report),
        *_observed(report),
        *skipped(report),
        *figures(report),
        *_warnings(report),
        *notes(report),
    )


def heading(report: Report, *, isolation: bool = True) -> Iterator[RenderableType]:
    """Yield name, score, points of each program, how many checks passed, and perhaps the isolation."""
    name = (one_line(report.submission.name), "bold")
    if report.status == "not_graded":
        yield text(name)
        yield text(f"Run {isolation_words(report.isolation)}.", style="dim")
        return
    yield text(name, (f"  {score_words(report)}", _score_style(report)))
    yield indented(
        ": ".join(filter(None, [points_by_program(report), _count_checks(report)])),
        (f" Run {isolation_words(report.isolation)}." if isolation else "", "dim"),
        columns=0,
    )
    yield from _grade(report)
    for remark in filter(None, (to_come_words(report), held_back_words(report))):
        yield text(remark, style="bold")


def _grade(report: Report) -> Iterator[RenderableType]:
    """Yield the final score and why it is not the computed one, if there is anything to say."""
    grade = report.grade
    if grade is None or not grade.changed:
        return
    yield text((f"Final score: {final_words(grade)}", "bold"))
    for one in grade.adjustments:
        points = f"{signed_points(one.points)}: " if one.points else ""
        yield indented(f"{points}{one_line(one.check)}{': ' * bool(one.check)}{one_line(one.reason)}", columns=2)
    if grade.comment:
        yield indented(clip(visible_text(grade.comment), MAX_MESSAGE_CHARS), columns=2)


def _count_checks(report: Report) -> str:
    passed, failed, skipped = (len(with_status(report, status)) for status in ("passed", "failed", "skipped"))
    selected = len(report.only) or len(report.checks)
    skipped -= len(report.checks) - selected
    if passed == selected > 0:
        return (
            f"Nothing went wrong: all {counted(passed, 'check')} passed{' that were selected' * bool(report.only)}."
        )
    parts = [f"{number} {word}" for number, word in ((failed, "failed"), (skipped, "skipped")) if number]
    return ", ".join([f"{counted(passed, 'check')} passed", *parts]) + "."


def not_graded(report: Report) -> Iterator[RenderableType]:
    """Yield why the submission has no grade."""
    yield text("")
    yield text("NOT GRADED", style="bold yellow")
    yield text(clip(report.reason, MAX_MESSAGE_CHARS))
    if report.is_decided:
        yield text("There is no program to grade. What counts is what the course decided.")
    elif report.undecided:
        yield text("Nothing failed, but there is no program to grade. This is not 0 points; somebody must decide.")
    else:
        failed = (
            "It could not be judged." if is_own_doing(report.reason) else "The grader failed, not the submission."
        )
        yield text(f"{failed} This is not 0 points; it has to be graded again.")


def _warnings(report: Report) -> Iterator[RenderableType]:
    for other in remaining_warnings(report):
        first, *rest = other.warnings
        more = f" ({len(rest)} more)" if rest else ""
        yield text("")
        yield text(("The compiler warned:", "bold yellow"), f" {_warning(first)}{more}")


def _warning(warning: Diagnostic) -> str:
    return f"{one_line(warning.location)}: {short(one_line(warning.message), MAX_LINE_CHARS)}"


def _concerning(warnings: tuple[Diagnostic, ...]) -> Iterator[RenderableType]:
    """Yield the first warnings that concern a failure, with their line of source."""
    for warning in warnings[:MAX_WARNINGS]:
        yield indented(("The compiler warned: ", "bold yellow"), _warning(warning))
        yield from shell(clip(warning.source, MAX_MESSAGE_CHARS))


def _findings(report: Report) -> Iterator[RenderableType]:
    for finding in report.findings:
        unseen = " (hidden from students)" if finding.hidden else ""
        yield text("")
        yield text(
            ("What a memory checker found: ", "bold red"),
            f"{short(one_line(finding.message), 4 * MAX_LINE_CHARS)}{unseen}",
        )
        for number, code, is_it in finding_rows(finding):
            mark, style = (">", "bold") if is_it else (" ", "dim")
            yield text((f"  {mark} {number}  {short(visible_text(code, keep=TAB), MAX_LINE_CHARS)}", style))
        yield indented(("Seen in: ", "bold"), ", ".join(map(one_line, finding.checks)))
        if finding.repeat:
            yield indented("To see it:", style="bold")
            yield from shell(clip(finding.repeat, MAX_MESSAGE_CHARS))


def _unbuilt(report: Report) -> Iterator[RenderableType]:
    for check in unbuilt(report):
        yield text("")
        yield text(*_heading_of(check))
        yield from _details(check)


def _causes(report: Report) -> Iterator[RenderableType]:
    for one in explained(report):
        yield text("")
        title = title_of_cause(report, one.cause)
        label = f"{certainty_label(one.cause.certainty)}{programs_words(title, one.programs)}:"
        yield text(
            (label, _CERTAINTY_STYLES[one.cause.certainty]),
            (f" {short(one_line(title), 2 * MAX_LINE_CHARS)}", "bold red"),
        )
        yield from _cause(one, report)


def _cause(one: Explained, report: Report) -> Iterator[RenderableType]:
    yield indented(clip(certainty_words(one.cause), MAX_MESSAGE_CHARS), style="bold")
    if one.cause.proof is not None:
        yield _fix(one.cause.proof)
    for line in one.cause.lines[:MAX_LINES]:
        yield _source_line(line)
    if report.shows_fixes and one.cause.proof is not None and one.cause.proof.fixed:
        yield indented("Fixed:", style="bold")
        for line in one.cause.proof.fixed[:MAX_LINES]:
            yield _source_line(line)
    yield from _concerning(one.warnings)
    yield indented(_cost(one))
    happens = sections(one.cause.page).get(_WHAT_HAPPENS, "")
    if happens:
        yield indented(clip(happens, MAX_PAGE_CHARS))
    shown = shell_lines(one.cause.page)
    if shown:
        yield indented("To see it:", style="bold")
        yield from shell(clip(shown, MAX_PAGE_CHARS))


def _fix(proof: Proof) -> RenderableType:
    return indented(("Fix: ", "bold"), clip(instruction_of(proof), MAX_MESSAGE_CHARS))


def _cost(one: Explained | Observed) -> str:
    own, elsewhere = (", ".join(one_line(check.id) for check in checks) for checks in (one.checks, one.elsewhere))
    return cost_words(lost_points(one.checks), own, elsewhere)


def _source_line(line: CauseLine, does: str = "") -> RenderableType:
    code = short(visible_text(line.text.strip(), keep=TAB), MAX_LINE_CHARS)
    return indented(f"{one_line(line.file)}:{line.number}{does}  ", (code, "bold"))


def _observed(report: Report) -> Iterator[RenderableType]:
    """Yield the symptoms that no cause explains; the first ones with advice and the evidence of a check."""
    for number, one in enumerate(observed(report)):
        in_full = number < MAX_IN_FULL
        yield text("")
        label = (f"{certainty_label('proven')}: ", _CERTAINTY_STYLES["proven"]) if one.proof else ""
        sentence = clip(one.symptom.sentence, MAX_MESSAGE_CHARS if in_full else MAX_LINE_CHARS)
        yield text(label, (sentence, "bold red"))
        for line in one.symptom.lines:
            yield _source_line(line, "" if one.proof else f" ({line.does})")
        if one.proof:
            yield _fix(one.proof)
        yield indented(_cost(one))
        if in_full and one.advice:
            yield indented(("Next: ", "bold"), clip(one.advice, MAX_MESSAGE_CHARS))
        if in_full:
            yield from _concerning(one.warnings)
        if in_full and one.checks:
            yield text(*_heading_of(one.checks[0]))
            yield from _details(one.checks[0], one.symptom)


def _heading_of(check: Check) -> tuple[tuple[str, str], str]:
    unseen = f" ({visibility_words(check.visibility)})" if check.visibility != "visible" else ""
    points = f"  {points_words(check.points)} of {points_counted(check.max_points)}{unseen}"
    return (f"{status_words(check.status)}  {one_line(check.id)}", f"bold {STATUS_COLOURS[check.status]}"), points


def _details(check: Check, said: Symptom | None = None) -> Iterator[RenderableType]:
    """Yield what is known of a check, without what was `said` above it."""
    yield indented(one_line(check.title), style="italic")
    is_said = said is not None and check.message in said.sentence
    is_repeated = isinstance(check.evidence, BuildEvidence) and check.evidence.quotes_error
    if check.message and not is_said and not is_repeated:
        yield indented(clip(check.message, MAX_MESSAGE_CHARS))
    if check.evidence is not None:
        yield from evidence_blocks(check.program, check.evidence, check.message)
    if check.hint and (said is None or check.hint != said.advice):
        yield indented(("Hint: ", "bold"), clip(check.hint, MAX_MESSAGE_CHARS))


def skipped(report: Report, apart: Collection[str] = ()) -> Iterator[RenderableType]:
    """Yield each reason once, with the checks that were skipped because of it, except those in `apart`."""
    reasons: dict[str, list[str]] = {}
    for check in (check for check in with_status(report, "skipped") if check.id not in apart):
        reasons.setdefault(check.message, []).append(one_line(check.id))
    if reasons:
        yield text("")
    for reason, ids in reasons.items():
        names = listed(ids) if len(ids) <= MAX_NAMED else counted(len(ids), "check")
        yield indented(
            (f"{status_words('skipped')}  {names}", f"bold {STATUS_COLOURS['skipped']}"),
            f": {short(one_line(reason), 4 * MAX_LINE_CHARS)}",
            columns=0,
        )


def notes(report: Report) -> Iterator[RenderableType]:
    """Yield the remarks and the notes, each after an empty line."""
    for remark in report.remarks:
        yield text("")
        yield indented(("Remark: ", "bold"), short(one_line(remark.sentence), 4 * MAX_LINE_CHARS), columns=0)
    for note in shown_notes(report):
        yield text("")
        yield indented(("Note: ", "bold"), short(one_line(note), 4 * MAX_LINE_CHARS), columns=0)


def points_by_program(report: Report) -> str:
    """Return `read 41 of 50, copy 50 of 50`; "" if there is no score."""
    if report.score is None:
        return ""
    parts = []
    for program, checks in by_program(report.checks).items():
        points, most = sum(check.points for check in checks), sum(check.max_points for check in checks)
        parts.append(f"{one_line(program)} {points_words(points)} of {points_words(most)}")
    return ", ".join(parts)


def _score_style(report: Report) -> str:
    if report.score is None:
        return "bold"
    return "bold green" if report.score == report.max_score else "bold red"
