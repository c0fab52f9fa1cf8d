"""What stands above all checks: the score, what went wrong and why, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.gradescope.results.cause_page import prose_of
from grader.gradescope.results.changes import since_blocks, submission_words
from grader.gradescope.results.evidence import diagnostic_text
from grader.gradescope.results.markdown import bold, code, code_block, document, paragraph, plain
from grader.gradescope.results.visible_checks import numbers_of, part, strictest
from grader.gradescope.submission_metadata import SubmissionMetadata
from grader.model.mutant import HEADINGS
from grader.model.report import Check, Report
from grader.model.spec.lab import Spec
from grader.render.terminal.evidence import evidence_line
from grader.render.text.gcc_messages import first_warnings
from grader.render.text.phrases import certainty_words, counted, isolation_words, listed, points_counted, points_words
from grader.render.views.failures import Explained, explained, lost_points, unbuilt, unexplained, with_status
from grader.render.views.syscalls import call_groups

IN_LINES = 20
"""So many failed checks without a known cause are listed."""

BETTER_STANDS = "If your last graded submission had more points than this one so far, its score stands until then."
LINE_CHARS = 200
TEXT_CHARS = 800
NOTES = 8
_WHAT_HAPPENS = HEADINGS[0]

RUNNING = (
    "**This was written while grading was under way.** If you can still see it and nothing happens any more, the run "
    "was cut short: what is below is not all. Hand in again, and if it says the same then, tell your instructor."
)


@dataclass(frozen=True)
class _Top:
    """What the output is made of: of the report the part that every student sees, and the score if it is told."""

    report: Report
    numbers: Mapping[str, str]
    whole: bool
    score: float
    spec: Spec
    running: bool

    def names(self, checks: tuple[Check, ...]) -> str:
        return listed(f"{self.numbers[check.id]} {code(check.id)}" for check in checks)


def top_output(report: Report, spec: Spec, metadata: SubmissionMetadata, *, score: float, running: bool) -> str:
    """Return the output for the whole; nothing in it comes from a check that is not visible.

    `score` is what is given in all; it is told only where every check is visible.
    """
    whole = strictest(spec) == "visible"
    top = _Top(part(report, spec, {"visible"}), numbers_of(report, spec), whole, score, spec, running)
    return document(_blocks(top, metadata))


def _blocks(top: _Top, metadata: SubmissionMetadata) -> Iterator[str]:
    if top.running:
        yield RUNNING
        # Whether it had more is not said: hidden checks count in it.
        yield BETTER_STANDS if metadata.last is not None else ""
    yield submission_words(metadata)
    yield _score(top)
    yield from _unbuilt(top)
    yield from _warnings(top)
    for one in explained(top.report):
        yield from _cause(top, one)
    yield from _unexplained(top)
    yield from _skipped(top)
    yield from _not_run(top)
    yield from _headlines(top)
    if metadata.last is not None and not top.running:
        told = top.whole and metadata.last.visibility == "visible"
        yield from since_blocks(top.report, top.numbers, metadata.last, top.score if told else None)
    yield from (f"**Note**: {plain(note, TEXT_CHARS)}" for note in top.report.notes[:NOTES])
    # On the platform the container is its own, and everybody's submission has one: only less is worth a word.
    isolation = f" {isolation_words('none')}," if top.report.isolation == "none" else ""
    yield f"Graded{isolation} by iolab\\-grader {plain(top.report.grader_version)}."


def _score(top: _Top) -> str:
    points = f"{points_words(top.score if top.whole else top.report.score)} of {points_words(top.report.max_score)}"
    if top.running:
        return f"**{points} points so far.** {_tally(top)}"
    if top.whole:
        return f"**{points} points.** {_tally(top)}"
    unseen = len(top.numbers) - len(top.report.checks)
    return (
        f"**{points} points for the checks that are shown here.** {_tally(top)} "
        f"{counted(unseen, 'more check')}, worth {points_counted(top.spec.max_score - top.report.max_score)}, "
        f"{'is' if unseen == 1 else 'are'} not shown to you now, so no total is either."
    )


def _tally(top: _Top) -> str:
    report = top.report
    passed, failed, skipped = (len(with_status(report, status)) for status in ("passed", "failed", "skipped"))
    if report.checks and passed == len(report.checks):
        return f"Nothing went wrong: {'' if passed == 1 else 'all '}{counted(passed, 'check')} passed."
    left_out = len(report.not_run)
    parts = ((failed, "failed"), (skipped - left_out, "could not be judged"), (left_out, "not run"))
    told = [f"{number} {words}" for number, words in parts if number]
    return ", ".join([f"{counted(passed, 'check')} passed", *told]) + "."


def _unbuilt(top: _Top) -> Iterator[str]:
    for check in unbuilt(top.report):
        words = plain(check.message, LINE_CHARS)
        yield f"**{plain(check.program)} could not be compiled** ({top.numbers[check.id]}): {words}"


def _warnings(top: _Top) -> Iterator[str]:
    for one in first_warnings(top.report.builds):
        more = f" ({one.more} more)" if one.more else ""
        yield f"**gcc warned** of {code(one.program)}{more}:"
        yield code_block(diagnostic_text(one.first), TEXT_CHARS)


def _cause(top: _Top, one: Explained) -> Iterator[str]:
    lost = points_words(one.lost_points)
    checks = (*one.checks, *one.elsewhere)
    likely = f"**Likely, not certain.** {certainty_words(one.cause)}" if one.cause.certainty == "likely" else ""
    yield paragraph(
        bold(one.cause.title),
        likely,
        f"Costs {lost} {'point' if lost == '1' else 'points'}: {top.names(checks)}",
    )
    yield prose_of(one.cause.page, _WHAT_HAPPENS)
    if checks:
        yield f"Test {top.numbers[checks[0].id]} shows how to see it."


def _unexplained(top: _Top) -> Iterator[str]:
    checks = unexplained(top.report)
    if not checks:
        return
    rest = f"and {counted(len(checks) - IN_LINES, 'more check')}" if len(checks) > IN_LINES else ""
    yield paragraph(
        f"**No known bug explains {'this' if len(checks) == 1 else 'these'}:**",
        *(f"{top.names((check,))}: {plain(evidence_line(check), LINE_CHARS)}" for check in checks[:IN_LINES]),
        rest,
    )


def _skipped(top: _Top) -> Iterator[str]:
    checks = [check for check in with_status(top.report, "skipped") if check.id not in top.report.not_run]
    for reason, alike in _by_reason(checks):
        cost = f", worth {points_counted(lost_points(alike))}," if lost_points(alike) else ""
        yield f"**{counted(len(alike), 'check')}**{cost} could not be judged: {reason}"


def _not_run(top: _Top) -> Iterator[str]:
    checks = [check for check in top.report.checks if check.id in top.report.not_run]
    if top.running:
        yield f"**{counted(len(checks), 'check')}** not run yet." if checks else ""
        return
    keeps = top.spec.gradescope.not_run == "keeps-points"
    taken = "No points are taken off for it." if keeps else "They earn no points."
    for reason, alike in _by_reason(checks):
        yield f"**{counted(len(alike), 'check')} not run**, because {reason} {taken}"


def _by_reason(checks: list[Check]) -> Iterator[tuple[str, list[Check]]]:
    reasons: dict[str, list[Check]] = {}
    for check in checks:
        reasons.setdefault(check.message, []).append(check)
    for reason, alike in [*reasons.items()][:NOTES]:
        words = plain(reason, LINE_CHARS)
        yield f"{words}{'' if words.endswith('.') else '.'}", alike


def _headlines(top: _Top) -> Iterator[str]:
    """Yield what is interesting where nothing went wrong; the figures are of all checks, so all must be visible."""
    report = top.report
    if not top.whole or len(with_status(report, "passed")) < len(report.checks):
        return
    copying = [
        f"To copy {counted(group.size_bytes, 'byte')}, {plain(group.ratio)}."
        for group in call_groups(report)[:1]
        if group.ratio
    ]
    yield paragraph(*copying)
