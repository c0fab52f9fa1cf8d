from __future__ import annotations

import json
from datetime import timedelta, timezone

import pytest

from grader.gradescope.results.results_json import begun_results, fault_results, limit_results
from grader.gradescope.schema import FAULTS_KEY, REPORT_KEY, ResultsJson
from grader.gradescope.submission_metadata import EarlierSubmission, SubmissionMetadata
from tests.unit.lab import SPEC

from . import factory
from .gradescope import (
    NOON,
    earlier,
    handed_in,
    is_plain,
    remembered,
    results,
    spec_with,
)


def fault_of(metadata: SubmissionMetadata) -> ResultsJson:
    return fault_results("The engine died.\n```\n<script>", metadata, execution_time_s=2.0)


def test_a_fault_is_no_score_of_zero() -> None:
    fault = fault_of(handed_in())
    assert "score" not in json.loads(fault.to_json())
    assert fault.tests == ()
    assert fault.output.startswith("**The autograder failed, not your submission.**")
    assert "**This is not a score of 0.** This submission has no score yet." in fault.output
    assert "Hand in again." in fault.output
    assert "    The engine died.\n    ```\n    <script>" in fault.output
    is_plain(fault.output)
    assert fault.extra_data == {FAULTS_KEY: [NOON.isoformat()]}


def test_a_fault_lets_the_last_score_stand_and_carries_it_on() -> None:
    last = remembered(factory.report(), 93.5)
    metadata = handed_in(last=last, earlier=earlier(30, 3, failed=True))
    fault = fault_of(metadata)
    assert (fault.score, fault.tests) == (93.5, ())
    assert "The score of your last graded submission stands." in fault.output
    assert fault.extra_data[REPORT_KEY] == last.model_dump(mode="json")
    assert len(fault.extra_data[FAULTS_KEY]) == 3


def test_a_fault_does_not_give_away_a_score_that_is_still_hidden() -> None:
    last = remembered(factory.report(), 93.5, "after_published")
    fault = fault_of(handed_in(last=last))
    assert fault.score == 93.5
    assert [(test.visibility, test.score) for test in fault.tests] == [("after_published", None)]
    assert "93" not in fault.output


def test_a_report_that_is_not_graded_is_a_fault() -> None:
    report = factory.not_graded()
    assert results(report, handed_in(), spec=SPEC) == fault_results(report.reason, handed_in(), execution_time_s=1.5)


def test_what_is_written_first_is_no_score() -> None:
    begun = begun_results()
    assert (begun.score, begun.tests) == (None, ())
    assert begun.output.startswith("**Grading has begun.**")
    assert "**This is not a score of 0.**" in begun.output
    is_plain(begun.output)
    assert begun_results(handed_in(last=remembered(factory.report(), 50.0))).score == 50


def limited(limit: int | None, metadata: SubmissionMetadata) -> ResultsJson | None:
    return limit_results(spec_with(runs_per_day=limit), metadata, execution_time_s=0.1)


@pytest.mark.parametrize(
    ("limit", "metadata"),
    [
        (None, handed_in(earlier=earlier(1, 2, 3))),
        (3, handed_in(earlier=earlier(1, 2))),
        (1, handed_in()),
        (1, SubmissionMetadata(earlier=earlier(1, 2))),
        # Noon: what was handed in more than 12 hours ago was on the day before.
        (1, handed_in(earlier=earlier(12.1, 13))),
        (1, handed_in(earlier=earlier(1, 2, failed=True))),
        (1, handed_in(earlier=earlier(-1, -2, 0))),
    ],
    ids=["none", "below", "first", "no-time", "yesterday", "failed", "graded-again"],
)
def test_below_the_limit_nothing_is_said(limit: int | None, metadata: SubmissionMetadata) -> None:
    assert limited(limit, metadata) is None


@pytest.mark.parametrize(
    ("limit", "words"), [(1, "1 submission a day is graded"), (2, "2 submissions a day are graded")]
)
def test_beyond_the_limit_the_last_score_stands(limit: int, words: str) -> None:
    refused = limited(limit, handed_in(earlier=earlier(11.9, 1), last=remembered(factory.report(), 64.0)))
    assert refused is not None
    assert refused.score == 64
    assert f"**This submission was not graded**: {words}" in refused.output
    assert "The score of your last graded submission stands." in refused.output
    assert "from 2026-03-03, 00:00 (UTC-08:00) on" in refused.output
    assert FAULTS_KEY not in refused.extra_data
    assert refused.extra_data[REPORT_KEY]["score"] == 64


def test_the_day_is_that_of_the_hand_in_s_own_zone() -> None:
    morning = NOON - timedelta(hours=11.5)
    utc = (EarlierSubmission(morning.astimezone(timezone.utc), 1.0, failed=False),)
    assert morning.astimezone(timezone.utc).date() == NOON.date()
    late = SubmissionMetadata(created_at=NOON + timedelta(hours=11), earlier=utc)
    assert late.created_at is not None
    assert late.created_at.astimezone(timezone.utc).date() != NOON.date()
    assert limited(1, late) is not None
    refused = limited(1, handed_in(earlier=utc))
    assert refused is not None
    assert refused.score is None
    assert "This submission has no score yet." in refused.output
