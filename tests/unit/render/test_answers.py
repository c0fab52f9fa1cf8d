"""The sentences below the plots of a class are true of one submission, of two and of many."""

from __future__ import annotations

import pytest

from grader.model.report import Report, SubmissionId
from grader.render.html.class_page import answers
from grader.render.html.class_page.frequency import cause_counts, check_lines, symptom_counts
from grader.render.html.class_page.plots import DotPlot, Point, dot_plot
from grader.render.html.class_page.scores import scores_of
from grader.render.html.class_page.spread import middle_half
from grader.render.html.class_page.submission_row import SubmissionRow

from . import factory


def with_scores(*scores: float) -> str:
    found = scores_of((score, 100.0) for score in scores)
    assert found is not None
    return answers.of_scores(found)


def row(name: str, **changes: object) -> SubmissionRow:
    report = factory.report(submission=SubmissionId(name=name, digest=""), **changes)
    return SubmissionRow(factory.entry(report, name))


def with_causes(name: str, *titles: str) -> SubmissionRow:
    checks = tuple(factory.check(f"tr2b.{title}", "failed") for title in titles)
    causes = tuple(factory.cause(title, f"tr2b.{title}", title=title) for title in titles)
    return row(name, checks=checks, causes=causes)


def plot(*values: float) -> DotPlot:
    points = [("tr2b", Point(value, row("ada"))) for value in values]
    return dot_plot("pattern-5m", points, lambda value: f"{value:g} s")


@pytest.mark.parametrize(
    ("scores", "says"),
    [
        ([93.0], "The only score is 93 of 100 points."),
        ([80.0, 100.0], "The scores go from 80 to 100 of 100 points; 1 of 2 submissions has all of them."),
        ([90.0, 90.0], "Both scores are 90 of 100 points."),
        ([100.0] * 300, "All 300 scores are 100 of 100 points."),
        (
            [1.0, 8.0, 8.0, 9.5],
            "The middle half of the scores is 8 of 100 points; none of 4 submissions has all of them.",
        ),
        (
            [0.0, 90.0, 90.0, 90.0, 90.0, 100.0],
            "The middle half of the scores is 90 of 100 points; 1 of 6 submissions has all of them.",
        ),
    ],
)
def test_scores(scores: list[float], says: str) -> None:
    assert with_scores(*scores) == says


def test_the_middle_half_of_scores_has_two_ends() -> None:
    assert "lies between 8 and 9 of 100 points;" in with_scores(1.0, 8.0, 9.0, 9.5)


@pytest.mark.parametrize("number", range(4, 40))
def test_at_least_half_of_all_lie_in_the_middle_half(number: int) -> None:
    ordered = [float(index) for index in range(number)]
    found = middle_half(ordered)
    assert found is not None
    low, high = found
    within = [value for value in ordered if low <= value <= high]
    assert number / 2 <= len(within) <= number / 2 + 2
    assert min(ordered) < low <= high < max(ordered)


def test_a_few_numbers_have_no_middle_half() -> None:
    assert middle_half([1.0, 2.0, 3.0]) is None


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([with_causes("a", "x")], "The only graded submission shows a known bug: “x”."),
        ([with_causes("a", "x"), row("b")], "1 of 2 graded submissions shows a known bug: “x”."),
        (
            [with_causes("a", "x", "y"), with_causes("b", "x")],
            "Both graded submissions show a known bug, most often “x” (2).",
        ),
        (
            [with_causes("a", "x"), with_causes("b", "y"), row("c")],
            "2 of 3 graded submissions show a known bug, most often “x” and “y” (1 each).",
        ),
        ([with_causes("a", *"vwxyz"), row("b")], "1 of 2 graded submissions shows a known bug."),
    ],
)
def test_known_bugs(rows: list[SubmissionRow], says: str) -> None:
    assert answers.of_causes(cause_counts(rows), len(rows)) == says


def test_what_no_known_bug_explains() -> None:
    failing = row("a", checks=(factory.check("tr2b.text", "failed"),))
    says = "1 of 2 graded submissions fails in a way that no known bug explains: “Something else”."
    assert answers.of_symptoms(symptom_counts([failing, row("b")]), 2) == says


def failing(name: str, *checks: str) -> SubmissionRow:
    every = ("text", "binary", "terminal", "calls")
    return row(name, checks=tuple(factory.check(f"tr2b.{c}", "failed" if c in checks else "passed") for c in every))


@pytest.mark.parametrize(
    ("rows", "says"),
    [
        ([failing("a")], "No check failed."),
        ([failing("a", "text")], "The only graded submission fails 1 check."),
        ([failing("a", "text"), failing("b", "text", "calls")], "tr2b.text fails most often: in 2 of 2"),
        ([failing("a", "text"), failing("b", "calls")], "tr2b.text and tr2b.calls fail most often: each in 1 of 2"),
        (
            [failing("a", "text", "binary", "terminal", "calls"), failing("b")],
            "4 checks fail most often: each in 1 of 2",
        ),
    ],
)
def test_checks(rows: list[SubmissionRow], says: str) -> None:
    assert answers.of_checks(check_lines(rows), len(rows)).startswith(says)


@pytest.mark.parametrize(
    ("values", "says"),
    [
        ([0.5], "tr2b: 0.5 s in 1 run."),
        ([0.5, 0.5], "tr2b: 0.5 s in each of 2 runs."),
        ([0.5, 0.7], "tr2b: 0.5 s to 0.7 s in 2 runs."),
        ([0.5, 0.6, 0.7, 9.0], "tr2b: 0.6 s is the median of 4 runs, the middle half between 0.6 s and 0.7 s."),
        ([0.1, 0.5, 0.5, 0.5, 9.0], "tr2b: 0.5 s in at least half of 5 runs."),
    ],
)
def test_a_duration_has_the_number_of_runs_and_their_spread(values: list[float], says: str) -> None:
    assert answers.of_plot(plot(*values)) == says


def test_likely_causes_are_counted_as_such() -> None:
    likely = factory.diagnosed(causes=(factory.cause("x", "tr2b.byte-ff", certainty="likely"),))
    sure = factory.diagnosed(causes=(factory.cause("x", "tr2b.byte-ff"),))
    (count,) = cause_counts([_row(likely), _row(sure)])
    assert (len(count.rows), count.likely) == (2, 1)


def _row(report: Report) -> SubmissionRow:
    return SubmissionRow(factory.entry(report))
