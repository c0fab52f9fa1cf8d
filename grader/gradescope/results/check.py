"""One check as one test of results.json."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal

from grader.gradescope.results.cause_page import page_blocks
from grader.gradescope.results.evidence import (
    certainty_block,
    compiler_blocks,
    evidence_blocks,
    finding_blocks,
    line_blocks,
)
from grader.gradescope.results.markdown import bold, document, line_of, paragraph, plain
from grader.gradescope.results.tables import table_blocks
from grader.gradescope.schema import TestResult
from grader.model.counted import counted
from grader.model.report import BuildEvidence, CallsEvidence, CasesEvidence, Cause, Check, Report
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import TimingItem
from grader.render.text.gcc_messages import first_of
from grader.render.views.failures import title_of_cause
from grader.render.views.visible_checks import RubricLine, rubric_lines

MESSAGE_CHARS = 1000
NAME_CHARS = 150
_ALL_RIGHT = {1: "The case is right.", 2: "Both cases are right."}


def test_result(line: RubricLine, report: Report, spec: Spec, *, running: bool) -> TestResult:
    """Return a check as a test of results.json; `report` is the part of the report that its reader may know.

    A check that was not run, or could not be judged, has no status, because it is neither right nor wrong.
    """
    check, left_out = line.check, line.check.id in report.not_run
    judged: Literal["passed", "failed"] | None = None if check.status == "skipped" else check.status
    points: float | None = check.points
    if left_out:
        kept = check.max_points if spec.gradescope.not_run == "keeps-points" else check.points
        points = None if running else kept
    return TestResult(
        name=line_of(f"{check.program}: {check.title}", NAME_CHARS),
        number=line.number,
        score=points,
        max_score=None if points is None else check.max_points,
        status=judged,
        output=document(_blocks(line, report, spec, running=running)),
        tags=tuple(filter(None, (check.program, check.name, check.cause or ""))),
        visibility=line.item.visibility,
    )


def _blocks(line: RubricLine, report: Report, spec: Spec, *, running: bool) -> Iterator[str]:
    check = line.check
    if check.id in report.not_run:
        yield from _not_run(check, spec, running=running)
    elif check.status == "skipped":
        yield f"**Could not be judged**: {plain(check.message, MESSAGE_CHARS)}"
    elif check.status == "failed":
        yield from _failed(line, report, spec)
        yield from table_blocks(line, report)
    else:
        tables = [*table_blocks(line, report)]
        yield from _passed(check, is_timed=isinstance(line.item, TimingItem) and bool(tables))
        yield from tables


def _not_run(check: Check, spec: Spec, *, running: bool) -> Iterator[str]:
    if running:
        yield "Not run yet."
        return
    yield f"**Not run**, because {plain(check.message, MESSAGE_CHARS)}."
    if check.max_points:
        keeps_points = spec.gradescope.not_run == "keeps-points"
        yield "No points are taken off for it." if keeps_points else "So it earns no points."


def _passed(check: Check, *, is_timed: bool) -> Iterator[str]:
    if isinstance(check.evidence, BuildEvidence) and first_of(check.evidence.messages) is not None:
        yield from compiler_blocks(check.evidence.messages)
    elif isinstance(check.evidence, CasesEvidence) and not check.message:
        number = len(check.evidence.cases)
        yield _ALL_RIGHT.get(number, f"All {counted(number, 'case')} are right.")
    elif not is_timed:
        yield plain(check.message, MESSAGE_CHARS)


def _failed(line: RubricLine, report: Report, spec: Spec) -> Iterator[str]:
    check = line.check
    if not _evidence_says_message(check):
        yield plain(check.message, MESSAGE_CHARS)
    for finding in report.findings:
        if check.id in finding.checks:
            yield from finding_blocks(finding)
    cause = next((one for one in report.causes if check.id in one.checks), None)
    if cause is not None:
        yield from _cause(cause, line, report, spec)
    if check.evidence is not None:
        if cause is not None:
            yield "**What was seen**"
        yield from evidence_blocks(check.program, check.evidence)
    if check.hint and cause is None:
        yield f"**Hint**: {plain(check.hint, MESSAGE_CHARS)}"


def _evidence_says_message(check: Check) -> bool:
    """Return whether the evidence repeats the message, which is then left out."""
    match check.evidence:
        case BuildEvidence(quotes_error=quotes_error):
            return quotes_error
        case CasesEvidence(cases=cases):
            return check.message in {case.problem for case in cases if not case.passed}
        case CallsEvidence(streams=streams):
            return not all(stream.passed for stream in streams)
        case _:
            return False


def _cause(cause: Cause, line: RubricLine, report: Report, spec: Spec) -> Iterator[str]:
    """Yield the page of the cause with the first check that its readers see, and a reference with the others."""
    lines = [one for one in rubric_lines(report, spec) if one.check.id in cause.checks]
    lines.sort(key=lambda one: one.item.visibility != "visible")
    certainty, title = certainty_block(cause), title_of_cause(report, cause)
    if lines[0].check.id == line.check.id:
        yield paragraph(f"**Why**: {bold(title)}.", certainty)
        yield from line_blocks(report, cause)
        yield from page_blocks(cause.page)
    else:
        yield paragraph(f"**Why**: {plain(title)}.", certainty, f"Test {lines[0].number} says more about it.")
