"""The output above all checks: the score, what went wrong and why, and what changed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from grader.gradescope.results.cause_page import prose_of
from grader.gradescope.results.changes import change_blocks, submission_words
from grader.gradescope.results.evidence import (
    certainty_block,
    diagnostic_text,
    fix_block,
    line_blocks,
    lines_text,
)
from grader.gradescope.results.markdown import bold, code, code_block, document, paragraph, plain
from grader.gradescope.submission_metadata import SubmissionMetadata
from grader.model.counted import counted, listed
from grader.model.mutant import HEADINGS
from grader.model.notebook import NotebookFinding
from grader.model.report import Check, RelatedLine, Report
from grader.model.spec.lab import Spec
from grader.render.text.gcc_messages import Diagnostic
from grader.render.text.phrases import (
    certainty_label,
    cost_words,
    isolation_words,
    points_counted,
    points_words,
    programs_words,
)
from grader.render.views.failures import (
    Explained,
    Observed,
    explained,
    lost_points,
    next_step,
    observed,
    remaining_warnings,
    title_of_cause,
    unbuilt,
    with_status,
)
from grader.render.views.notebooks import in_short, lines_words, missing, to_look_at
from grader.render.views.notes import shown_notes
from grader.render.views.syscalls import call_groups
from grader.render.views.visible_checks import numbers_of, part, strictest

IN_LINES = 20
"""The number of failed checks without a known cause that are listed."""

BETTER_STANDS = "If your last graded submission had more points than this one so far, its score stands until then."
LINE_CHARS = 200
TEXT_CHARS = 800
NOTES = 8
WARNINGS = 3
_WHAT_HAPPENS = HEADINGS[0]

RUNNING = (
    "**This was written during grading.** If this text does not change, the run was interrupted, and the results "
    "below are incomplete. Hand in again. If you see this again, tell your instructor."
)


@dataclass(frozen=True)
class _Summary:
    """The part of the report that every student sees, and what else the output is made of.

    `whole`: every check is visible, so the student may know `score`. `numbers` has the checks' numbers by id.
    """

    report: Report
    numbers: Mapping[str, str]
    whole: bool
    score: float
    spec: Spec
    running: bool

    def names(self, checks: tuple[Check, ...]) -> str:
        return listed(f"{self.numbers[check.id]} {code(check.id)}" for check in checks)

    def cost(self, one: Explained | Observed) -> str:
        return cost_words(lost_points(one.checks), self.names(one.checks), self.names(one.elsewhere))


def summary_output(report: Report, spec: Spec, metadata: SubmissionMetadata, *, score: float, running: bool) -> str:
    """Return the output for the whole; nothing in it comes from a check that is not visible.

    `score` is the total; the output has it only if every check is visible.
    """
    whole = strictest(spec) == "visible"
    summary = _Summary(part(report, spec, {"visible"}), numbers_of(report, spec), whole, score, spec, running)
    return document(_blocks(summary, metadata))


def _blocks(summary: _Summary, metadata: SubmissionMetadata) -> Iterator[str]:
    if summary.running:
        yield RUNNING
        # It must not say whether the last one had more, because hidden checks count in it.
        yield BETTER_STANDS if metadata.last is not None else ""
    yield submission_words(metadata)
    yield _score(summary)
    yield from _unbuilt(summary)
    yield from _problems(summary)
    yield from _skipped(summary)
    yield from _not_run(summary)
    yield from _headlines(summary)
    yield from _warnings(summary)
    if metadata.last is not None and not summary.running:
        may_know = summary.whole and metadata.last.visibility == "visible"
        yield from change_blocks(summary.report, summary.numbers, metadata.last, summary.score if may_know else None)
    yield from (f"**Remark**: {plain(remark.sentence, TEXT_CHARS)}" for remark in summary.report.remarks)
    yield from _notebook(summary.report)
    yield from (f"**Note**: {plain(note, TEXT_CHARS)}" for note in shown_notes(summary.report)[:NOTES])
    # On the platform every submission has a container of its own, so only less isolation than that is mentioned.
    isolation = f" {isolation_words('none')}," if summary.report.isolation == "none" else ""
    yield f"Graded{isolation} by iolab\\-grader {plain(summary.report.grader_version)}."


def _notebook(report: Report) -> Iterator[str]:
    """Yield what the notebook has, and what to look at in it."""
    if report.notebook is None:
        return
    yield f"**Lab notebook** {code(report.notebook.file)}: {plain(in_short(report.notebook))}."
    findings = to_look_at(report.notebook)
    for finding in findings[:NOTES]:
        yield f"**Lab notebook**, {plain(_finding_words(finding), TEXT_CHARS)}"
    if len(findings) > NOTES:
        yield f"**Lab notebook**: {len(findings) - NOTES} more findings are not shown."
    lacking = [item.title for item in missing(report.notebook)]
    if lacking:
        yield f"**Not in the lab notebook**: {plain(listed(lacking), TEXT_CHARS)}."


def _finding_words(finding: NotebookFinding) -> str:
    where = lines_words(finding.lines)
    return f"{where or 'as a whole'}: {finding.message}"


def _score(summary: _Summary) -> str:
    score = summary.score if summary.whole else summary.report.score
    points = f"{points_words(score)} of {points_counted(summary.report.max_score)}"
    if summary.running:
        return f"**{points} so far.** {_tally(summary)}"
    if summary.whole:
        return f"**{points}.** {_tally(summary)}"
    unseen = len(summary.numbers) - len(summary.report.checks)
    unseen_points = summary.spec.max_score - summary.report.max_score
    return (
        f"**{points} for the checks that are shown here.** {_tally(summary)} "
        f"{counted(unseen, 'more check')}, worth {points_counted(unseen_points)}, "
        f"{'is' if unseen == 1 else 'are'} not shown to you now, so the total is not shown either."
    )


def _tally(summary: _Summary) -> str:
    report = summary.report
    passed, failed, skipped = (len(with_status(report, status)) for status in ("passed", "failed", "skipped"))
    if report.checks and passed == len(report.checks):
        return f"Nothing went wrong: {'' if passed == 1 else 'all '}{counted(passed, 'check')} passed."
    left_out = len(report.not_run)
    parts = ((failed, "failed"), (skipped - left_out, "could not be judged"), (left_out, "not run"))
    others = [f"{number} {words}" for number, words in parts if number]
    return ", ".join([f"{counted(passed, 'check')} passed", *others]) + "."


def _unbuilt(summary: _Summary) -> Iterator[str]:
    for check in unbuilt(summary.report):
        words = plain(check.message, LINE_CHARS)
        yield f"**{plain(check.program)} could not be compiled** ({summary.numbers[check.id]}): {words}"


def _warnings(summary: _Summary) -> Iterator[str]:
    """Yield the first of the warnings that concern no failure."""
    for one in remaining_warnings(summary.report):
        first, *rest = one.warnings
        more = f" ({len(rest)} more)" if rest else ""
        yield f"**The compiler warned** of {code(one.program)}{more}:"
        yield code_block(diagnostic_text(first), TEXT_CHARS)


def _concerning(warnings: tuple[Diagnostic, ...]) -> Iterator[str]:
    """Yield the first warnings that concern a failure."""
    for warning in warnings[:WARNINGS]:
        yield "**The compiler warned**:"
        yield code_block(diagnostic_text(warning), TEXT_CHARS)


def _cause(summary: _Summary, one: Explained) -> Iterator[str]:
    checks = (*one.checks, *one.elsewhere)
    title = title_of_cause(summary.report, one.cause)
    label = f"{certainty_label(one.cause.certainty)}{programs_words(title, one.programs)}"
    yield paragraph(
        f"{plain(label)}: {bold(title)}",
        certainty_block(one.cause),
        summary.cost(one),
    )
    yield from line_blocks(summary.report, one.cause)
    yield from _concerning(one.warnings)
    step = next_step(one.cause)
    if step:
        yield f"**Next**: {plain(step, TEXT_CHARS)}"
    yield prose_of(one.cause.page, _WHAT_HAPPENS)
    if checks:
        yield f"Test {summary.numbers[checks[0].id]} shows how to see it."


def _problems(summary: _Summary) -> Iterator[str]:
    """Yield the causes, and the symptoms that no cause explains, in the order of the page: the costliest first."""
    symptoms = observed(summary.report)
    shown: list[Explained | Observed] = [*explained(summary.report), *symptoms[:IN_LINES]]
    for one in sorted(shown, key=lambda problem: -problem.lost_points):
        if isinstance(one, Explained):
            yield from _cause(summary, one)
            continue
        if one.proof:
            label = f"{certainty_label('proven')}: "
            yield paragraph(label + bold(one.symptom.sentence), fix_block(one.proof), summary.cost(one))
            yield code_block(lines_text(one.proven_lines))
        else:
            yield paragraph(
                bold(one.symptom.sentence),
                summary.cost(one),
                _begin_here(one.symptom.lines),
                f"**Next**: {plain(one.advice, TEXT_CHARS)}" if one.advice else "",
            )
        yield from _concerning(one.warnings)
    if len(symptoms) > IN_LINES:
        yield f"And {counted(len(symptoms) - IN_LINES, 'more problem')}: see the tests."


def _begin_here(lines: tuple[RelatedLine, ...]) -> str:
    if not lines:
        return ""
    named = listed(f"{code(f'{line.file}:{line.number}')} ({line.does})" for line in lines)
    return f"**Begin here** (the mistake may be in another line): {named}"


def _skipped(summary: _Summary) -> Iterator[str]:
    checks = [check for check in with_status(summary.report, "skipped") if check.id not in summary.report.not_run]
    for reason, alike in _by_reason(checks):
        cost = f", worth {points_counted(lost_points(alike))}," if lost_points(alike) else ""
        yield f"**{counted(len(alike), 'check')}**{cost} could not be judged: {reason}"


def _not_run(summary: _Summary) -> Iterator[str]:
    checks = [check for check in summary.report.checks if check.id in summary.report.not_run]
    if summary.running:
        yield f"**{counted(len(checks), 'check')}** not run yet." if checks else ""
        return
    keeps = summary.spec.gradescope.not_run == "keeps-points"
    cost = "No points are taken off for it." if keeps else "They earn no points."
    for reason, alike in _by_reason(checks):
        yield f"**{counted(len(alike), 'check')} not run**, because {reason} {cost}"


def _by_reason(checks: list[Check]) -> Iterator[tuple[str, list[Check]]]:
    reasons: dict[str, list[Check]] = {}
    for check in checks:
        reasons.setdefault(check.message, []).append(check)
    for reason, alike in [*reasons.items()][:NOTES]:
        words = plain(reason, LINE_CHARS)
        yield f"{words}{'' if words.endswith('.') else '.'}", alike


def _headlines(summary: _Summary) -> Iterator[str]:
    """Yield figures if nothing went wrong; they come from all checks, so all checks must be visible."""
    report = summary.report
    if not summary.whole or len(with_status(report, "passed")) < len(report.checks):
        return
    copying = [
        f"To copy {counted(group.size_bytes, 'byte')}, {plain(group.ratio)}."
        for group in call_groups(report)[:1]
        if group.ratio
    ]
    yield paragraph(*copying)
