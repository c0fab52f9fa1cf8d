"""A student sees how many checks are still to come, and a teaching assistant which ones must stay secret."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.lab.load import read_spec
from grader.model.report import CasesEvidence, Report
from grader.model.spec.lab import HiddenChecks
from grader.model.spec.rubric import Visibility
from grader.render.exports.junit import junit_xml
from grader.render.exports.report_json import report_json
from grader.render.html.pages import index_html, report_html
from grader.render.terminal.report import in_full
from grader.render.terminal.summary import summary
from grader.render.text.visibility import held_back_words, to_come_words, visibility_words
from grader.render.views.visible_checks import WITHHELD
from tests.hidden_lab import hidden_spec

from . import factory
from .gradescope import results, spec_of
from .pages import Page
from .test_terminal import shown

TWO = {"tr2b": HiddenChecks(checks=1, points=3), "tr2u": HiddenChecks(checks=1, points=4)}
ONE = {"tr2u": HiddenChecks(checks=1, points=1)}
HIDDEN: tuple[Visibility, ...] = ("hidden", "after_due_date", "after_published")


def with_hidden_check(visibility: Visibility) -> Report:
    """A report for the teaching assistant, with a check out of sight that failed and one that passed."""
    evidence = CasesEvidence(cases=(factory.failed_case("secret", hidden=True),))
    passed = CasesEvidence(cases=(factory.case("secret", hidden=True),))
    return factory.report(
        checks=(
            factory.check("tr2b.text"),
            factory.check("tr2b.secret", "failed", evidence=evidence, visibility=visibility),
            factory.check("tr2u.secret", evidence=passed, visibility=visibility),
        )
    )


@pytest.mark.parametrize(
    ("hidden", "words"),
    [
        (TWO, "2 more checks, worth 7 points, are run after you hand in."),
        (ONE, "1 more check, worth 1 point, is run after you hand in."),
    ],
)
def test_the_terminal_and_the_page_say_what_is_to_come(hidden: dict[str, HiddenChecks], words: str) -> None:
    report = factory.report(hidden_checks=hidden)
    assert to_come_words(report) == words
    assert words in shown(summary(report))
    assert [remark.words for remark in Page(report_html(report)).root.all("p", "remark")] == [words]


@pytest.mark.parametrize("width", [40, 80])
def test_it_fits_the_terminal(width: int) -> None:
    for report in (factory.report(hidden_checks=TWO), with_hidden_check("after_published")):
        assert max(map(len, shown(summary(report), width).splitlines())) <= width


def test_a_report_without_hidden_checks_has_no_remark_about_them() -> None:
    for report in (factory.report(), factory.report(hidden_checks={}), factory.broken()):
        assert to_come_words(report) == held_back_words(report) == ""
        assert not Page(report_html(report)).root.all("p", "remark")
        text = shown(summary(report)) + Page(report_html(report)).words
        assert "more check" not in text
        assert "Not for students" not in text


def test_programs_read_the_same_numbers() -> None:
    report = factory.report(hidden_checks=TWO)
    assert Report.model_validate_json(report_json(report)).hidden_checks == TWO
    (suite,) = ET.fromstring(junit_xml([factory.entry(report)]))  # noqa: S314 - our own bytes
    properties = {one.get("name"): one.get("value") for one in suite.findall("properties/property")}
    assert (properties["hidden_checks"], properties["hidden_points"]) == ("2", "7")
    assert properties["score"] == repr(report.score)


@pytest.mark.parametrize("visibility", HIDDEN)
def test_a_report_that_holds_hidden_checks_says_so_and_which(visibility: Visibility) -> None:
    report = with_hidden_check(visibility)
    terminal, page = shown(summary(report), 200), Page(report_html(report))
    assert "2 checks" in held_back_words(report)
    assert [remark.words for remark in page.root.all("p", "remark")] == [held_back_words(report)]
    assert held_back_words(report) in terminal
    marks = [mark.words for mark in page.root.all("small", "visibility")]
    assert marks == [f"({visibility_words(visibility)})"] * len(marks)
    assert len(marks) == 3, "the failed check is shown twice"
    assert visibility_words(visibility) in terminal
    assert "output to a file, hidden from students" in shown(in_full(report), 200)
    assert "secret hidden from students" in page.words, "the case that passed"
    assert "secret (hidden from students)" in page.words, "the case that failed"
    suite, *_ = ET.fromstring(junit_xml([factory.entry(report)]))  # noqa: S314 - our own bytes
    marked = {
        case.get("name"): [one.get("value") for one in case.findall("properties/property")]
        for case in suite.findall("testcase")
    }
    assert marked == {"tr2b.text": [], "tr2b.secret": [visibility], "tr2u.secret": [visibility]}


def test_the_class_page_marks_the_check() -> None:
    page = Page(index_html([factory.entry(with_hidden_check("hidden"), "ada")]))
    assert page.words.count("(hidden from students)") == 1


@pytest.mark.parametrize(
    ("checks", "words"), [(1, "1 more check, worth 8 points, is"), (2, "2 more checks, worth 16 points, are")]
)
def test_students_on_a_course_system_are_told_how_many_they_do_not_see(checks: int, words: str) -> None:
    report = with_hidden_check("hidden")
    report = report.model_copy(update={"checks": report.checks[: 1 + checks]})
    output = results(report, spec=spec_of(report, {"secret": "hidden"})).output
    assert f"{words} not shown to you now, so the total is not shown either." in output
    assert "secret" not in output


@pytest.mark.parametrize(
    ("reason", "told"),
    [
        ("the reference's tr2b fails the case secret-operands of the spec", False),
        ("the input secret-noise cannot be written", False),
        ("the case secret-helper, which only hidden checks use", False),
        ("the reference's tr2b fails the case swap of the spec", True),
        ("the disk is full", True),
    ],
)
def test_a_fault_of_ours_names_nothing_hidden(tmp_path: Path, reason: str, *, told: bool) -> None:
    spec = read_spec(hidden_spec(tmp_path))
    output = results(factory.not_graded(reason), spec=spec).output
    assert (reason in output) == told
    assert (WITHHELD in output) != told
