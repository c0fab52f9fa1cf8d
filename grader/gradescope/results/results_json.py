"""A report as Gradescope's results.json, and the results if there is no report (decision 0023)."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from datetime import datetime, timedelta
from typing import Any

from grader.gradescope.results.check import test_result
from grader.gradescope.results.leaderboard import leaderboard
from grader.gradescope.results.markdown import code_block, document
from grader.gradescope.results.summary import summary_output
from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY, ResultsJson, TestResult
from grader.gradescope.submission_metadata import LastResult, SubmissionMetadata
from grader.model.counted import counted
from grader.model.report import Report, without_evidence
from grader.model.spec.lab import Spec
from grader.render.text.escape import short, visible_text
from grader.render.views.visible_checks import part, reason_for_students, rubric_lines, strictest

NOTHING_KNOWN = SubmissionMetadata()
KEPT_CHARS = 200
"""The length of each message that is kept for the next run."""

KEPT_FAULTS = 50
REASON_CHARS = 4000

NOT_ZERO = "**This is not a score of 0.**"
SCORE_STANDS = "The score of your last graded submission stands."
NO_SCORE = "This submission has no score yet."
BEGUN = "**Grading has begun.** If this text does not change, the run ended before it could report a result."
AGAIN = "Hand in again. If you see this again, tell your instructor."


def results_of(
    report: Report, spec: Spec, metadata: SubmissionMetadata, *, execution_time_s: float, running: bool = False
) -> ResultsJson:
    """Return a report as the platform reads it, or a fault if the submission was not graded.

    `spec` is the report's. `running`: the report has what was judged so far, and `not_run` names the other checks.

    Raises:
        KeyError: the report has a check that is not in the spec.
    """
    if report.status == "not_graded":
        reason = reason_for_students(report.reason, spec)
        return fault_results(reason, metadata, execution_time_s=execution_time_s)
    lines = rubric_lines(report, spec)
    parts = {seen: part(report, spec, {"visible", seen}) for seen in {line.item.visibility for line in lines}}
    tests = tuple(test_result(line, parts[line.item.visibility], spec, running=running) for line in lines)
    score = math.fsum(test.score for test in tests if test.score is not None)
    last = metadata.last
    if not running:
        last = LastResult(score=score, report=_kept(report), visibility=strictest(spec))
    # A run that is cut short is not the student's fault: it neither replaces a better score nor counts.
    earlier_score = metadata.last.score if running and metadata.last is not None else score
    return ResultsJson(
        score=max(score, earlier_score),
        execution_time=execution_time_s,
        output=summary_output(report, spec, metadata, score=score, running=running),
        tests=tests,
        leaderboard=() if running else leaderboard(report, spec),
        extra_data=_extra(metadata, last, failed=running),
    )


def fault_results(reason: str, metadata: SubmissionMetadata, *, execution_time_s: float) -> ResultsJson:
    """Return the results if the autograder failed: the last score if there is one, and never a score of 0."""
    return _without_grade(
        metadata,
        (
            "**The autograder failed, not your submission.**",
            _score_words(metadata),
            AGAIN,
            "What the autograder says:" if reason.strip() else "",
            code_block(reason, REASON_CHARS),
        ),
        execution_time_s=execution_time_s,
        failed=True,
    )


def begun_results(metadata: SubmissionMetadata = NOTHING_KNOWN) -> ResultsJson:
    """Return the results that are written first, in case the run ends before it can write others."""
    return _without_grade(
        metadata,
        (BEGUN, _score_words(metadata), AGAIN),
        execution_time_s=None,
        failed=True,
    )


def limit_results(spec: Spec, metadata: SubmissionMetadata, *, execution_time_s: float) -> ResultsJson | None:
    """Return the results of a submission beyond the limit of the spec for one day, None if it is to be graded.

    The day is that of `created_at`, in its own zone. Runs that failed because of us do not count.
    """
    limit, now = spec.gradescope.runs_per_day, metadata.created_at
    if limit is None or now is None or len(_same_day(metadata, now)) < limit:
        return None
    refused = (
        f"**This submission was not graded**: {counted(limit, 'submission')} a day "
        f"{'is' if limit == 1 else 'are'} graded, and today you have had {'it' if limit == 1 else 'them'}."
    )
    stands = SCORE_STANDS if metadata.last is not None else NO_SCORE
    tomorrow = now.date() + timedelta(days=1)
    return _without_grade(
        metadata,
        (
            refused,
            stands,
            f"The next one is graded from {tomorrow}, 00:00 ({now:%Z}) on.",
        ),
        execution_time_s=execution_time_s,
        failed=False,
    )


def _same_day(metadata: SubmissionMetadata, now: datetime) -> list[datetime]:
    times = [one.submitted_at for one in metadata.earlier if one.submitted_at is not None and not one.failed]
    # If an old submission is graded again, later ones do not count.
    return [time for time in times if time < now and time.astimezone(now.tzinfo).date() == now.date()]


def _score_words(metadata: SubmissionMetadata) -> str:
    return f"{NOT_ZERO} {SCORE_STANDS}" if metadata.last is not None else f"{NOT_ZERO} {NO_SCORE}"


def _without_grade(
    metadata: SubmissionMetadata, blocks: Iterable[str], *, execution_time_s: float | None, failed: bool
) -> ResultsJson:
    last = metadata.last
    return ResultsJson(
        score=None if last is None else last.score,
        execution_time=execution_time_s,
        output=document(blocks),
        tests=() if last is None else _guard(last),
        extra_data=_extra(metadata, last, failed=failed),
    )


def _guard(last: LastResult) -> tuple[TestResult, ...]:
    """Return a test that makes the platform hide the score from a student who may not see it yet."""
    if last.visibility == "visible":
        return ()
    words = "The score includes checks that students cannot see now, so this test hides it from them."
    return (
        TestResult(name="Score of the last graded submission", number="1", output=words, visibility=last.visibility),
    )


def _kept(report: Report) -> Report:
    """Return a report as the next run needs it, in which each text is short and can be written."""
    slim = without_evidence(report)
    return slim.model_copy(
        update={
            "submission": slim.submission.model_copy(update={"name": _kept_text(slim.submission.name)}),
            "checks": tuple(check.model_copy(update={"message": _kept_text(check.message)}) for check in slim.checks),
            "remarks": (),
            "notes": (),
        }
    )


def _kept_text(text: str) -> str:
    return short(visible_text(text[:KEPT_CHARS]), KEPT_CHARS)


def _extra(metadata: SubmissionMetadata, last: LastResult | None, *, failed: bool) -> Mapping[str, Any]:
    """Return what the next run needs: the last result, and which runs failed because of us."""
    times = [one.submitted_at for one in metadata.earlier if one.failed] + ([metadata.created_at] if failed else [])
    faults = [time.isoformat() for time in times if time is not None][-KEPT_FAULTS:]
    return {
        **({} if last is None else {REPORT_KEY: last.model_dump(mode="json")}),
        **({FAULTS_KEY: faults} if faults else {}),
    }
