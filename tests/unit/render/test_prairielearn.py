"""The adapter of docs/other-systems.md turns every kind of report into results that PrairieLearn accepts."""

from __future__ import annotations

import json

import pytest
from pydantic import ValidationError

from grader.model.report import Report
from grader.render.exports.report_json import report_json
from tests.prairielearn import Results, accepted, adapter

from . import factory

ADAPTER = adapter()
ISOLATED = {"isolation": "uid"}
ALL = [
    factory.report(**ISOLATED),
    factory.broken(**ISOLATED),
    factory.diagnosed(**ISOLATED),
    factory.unbuilt().model_copy(update=ISOLATED),
    factory.worst("x" * 10_000).model_copy(update=ISOLATED),
    factory.hostile(factory.broken(**ISOLATED), "<b>\x00\x1b[31m\u202e\U0001f600"),
]


def results(report: Report, status: int = 1) -> Results:
    return accepted(json.dumps(ADAPTER.results_of(status, report_json(report).decode("utf-8"), "")))


@pytest.mark.parametrize("report", ALL, ids=range(len(ALL)))
def test_a_report_becomes_results_with_its_score_and_a_test_per_check(report: Report) -> None:
    found = results(report)
    assert report.score is not None
    assert found.score == report.score / report.max_score
    assert [(one.name, one.points, one.max_points) for one in found.tests] == [
        (check.id, check.points, check.max_points) for check in report.checks
    ]


def test_text_is_cut_and_cannot_control_a_terminal() -> None:
    texts = [text for report in ALL for one in results(report).tests for text in (one.message, one.output)]
    assert max(map(len, texts)) <= ADAPTER.MAX_CHARS + 2
    assert all(char.isprintable() or char == "\n" for text in texts for char in text)
    assert ADAPTER.shown("\x1b[1m") == "\\x1b[1m"


def test_a_known_bug_is_named() -> None:
    report = factory.diagnosed(**ISOLATED)
    assert report.causes[0].title in results(report).message


def test_checks_that_students_do_not_see_count_and_are_not_shown() -> None:
    report = factory.diagnosed(**ISOLATED)
    checks = tuple(check.model_copy(update={"visibility": "hidden"}) for check in report.checks)
    found = results(report.model_copy(update={"checks": checks}))
    assert report.score is not None
    assert (found.score, found.tests) == (report.score / report.max_score, [])
    assert report.causes[0].title not in found.message


@pytest.mark.parametrize(
    ("status", "report", "says"),
    [
        (2, "", "nothing to check in /grade/student"),
        (3, report_json(factory.not_graded()).decode("utf-8"), ADAPTER.FAULT),
        (3, report_json(factory.report()).decode("utf-8"), ADAPTER.FAULT),
        (1, report_json(factory.report(isolation="none")).decode("utf-8"), ADAPTER.FAULT),
        (-9, "", ADAPTER.FAULT),
    ],
)
def test_what_cannot_be_judged_costs_neither_points_nor_an_attempt(status: int, report: str, says: str) -> None:
    found = accepted(
        json.dumps(ADAPTER.results_of(status, report, "checking\ngrader: nothing to check in /grade/student\n"))
    )
    assert (found.gradable, found.score, found.format_errors) == (False, None, [says])


@pytest.mark.parametrize(
    "wrong",
    [
        {},
        {"score": 1.5},
        {"score": "1"},
        {"score": 0.5, "tests": [{"name": "a", "points": 1}]},
        {"score": 0.5, "mesage": ""},
        {"gradable": False, "format_errors": 1},
    ],
)
def test_the_schema_refuses(wrong: dict[str, object]) -> None:
    with pytest.raises(ValidationError):
        accepted(json.dumps(wrong))
