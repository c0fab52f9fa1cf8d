"""A student is told how many checks are to come, and a teaching assistant which are not to be handed on."""

from __future__ import annotations

from pathlib import Path
from xml.etree import ElementTree as ET

import pytest

from grader.gradescope.results.visible_checks import WITHHELD
from grader.lab.load import read_spec
from grader.model.report import CasesEvidence, Report
from grader.model.spec.lab import HiddenChecks
from grader.model.spec.rubric import Visibility
from grader.render.exports.junit import junit_xml
from grader.render.exports.report_json import report_json
from grader.render.html.pages import index_html, report_html
from grader.render.terminal.report import summary
from tests.hidden_lab import hidden_spec

from . import factory
from .gradescope import results, spec_of
from .pages import Page
from .test_terminal import shown

TWO = {"tr2b": HiddenChecks(checks=1, points=3), "tr2u": HiddenChecks(checks=1, points=4)}
ONE = {"tr2u": HiddenChecks(checks=1, points=1)}
WORDS = {
    "hidden": "hidden from students",
    "after_due_date": "until the due date",
    "after_published": "until grades are",
}


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
def test_the_terminal_and_the_page_tell_what_is_to_come(hidden: dict[str, HiddenChecks], words: str) -> None:
    report = factory.report(hidden_checks=hidden)
    assert words in shown(summary(report))
    assert words in Page(report_html(report)).words


@pytest.mark.parametrize("width", [40, 80])
def test_it_fits_the_terminal(width: int) -> None:
    for report in (factory.report(hidden_checks=TWO), with_hidden_check("after_published")):
        assert max(map(len, shown(summary(report), width).splitlines())) <= width


def test_where_nothing_is_hidden_nothing_is_told() -> None:
    for report in (factory.report(), factory.report(hidden_checks={}), factory.broken()):
        told = shown(summary(report)) + Page(report_html(report)).words
        assert "more check" not in told
        assert "Not for students" not in told


def test_programs_read_the_same_numbers() -> None:
    report = factory.report(hidden_checks=TWO)
    assert Report.model_validate_json(report_json(report)).hidden_checks == TWO
    (suite,) = ET.fromstring(junit_xml([factory.entry(report)]))  # noqa: S314 - our own bytes
    told = {one.get("name"): one.get("value") for one in suite.findall("properties/property")}
    assert (told["hidden_checks"], told["hidden_points"]) == ("2", "7")
    assert told["score"] == repr(report.score)


@pytest.mark.parametrize("visibility", WORDS)
def test_a_report_that_holds_hidden_checks_says_so_and_which(visibility: Visibility) -> None:
    report = with_hidden_check(visibility)
    terminal, page = shown(summary(report), 200), Page(report_html(report))
    for told in (terminal, page.words):
        assert "Not for students: this report has 2 checks that students do not see." in told
        assert WORDS[visibility] in told
    assert "output to a file, hidden from students" in terminal
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
    assert f"{words} not shown to you now, so no total is either." in output
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
