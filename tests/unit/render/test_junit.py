from __future__ import annotations

from xml.etree import ElementTree as ET

import pytest

from grader.model.gradebook import Entry
from grader.render.exports.junit import junit_xml
from grader.render.views.lab_versions import version_name

from . import factory
from .pages import HOSTILE


def parsed(*entries: Entry) -> ET.Element:
    return ET.fromstring(junit_xml(entries))  # noqa: S314 - our own bytes


def test_a_suite_a_submission_and_a_case_a_check() -> None:
    root = parsed(factory.entry(factory.report(), "ada"), factory.entry(factory.broken(), "grace"))
    assert [suite.get("name") for suite in root] == ["ada", "grace"]
    for suite, report in zip(root, (factory.report(), factory.broken()), strict=True):
        cases = suite.findall("testcase")
        assert [case.get("name") for case in cases] == [check.id for check in report.checks]
        assert {case.get("classname") for case in cases} == {suite.get("name")}


def test_outcomes_say_why_as_an_attribute_and_as_text() -> None:
    (suite,) = parsed(factory.entry(factory.broken()))
    found = {case.get("name"): [*case] for case in suite.findall("testcase")}
    for check in factory.broken().checks:
        tags = {"passed": [], "failed": ["failure"], "skipped": ["skipped"]}[check.status]
        assert [one.tag for one in found[check.id]] == tags
        assert {one.get("message") for one in found[check.id]} <= {check.message}
        assert {one.text for one in found[check.id]} <= {check.message}


def test_a_known_cause_is_the_type_of_the_failure() -> None:
    (suite,) = parsed(factory.entry(factory.diagnosed()))
    types = {case.get("name"): case[0].get("type") for case in suite.findall("testcase") if len(case)}
    assert types == {
        "tr2b.byte-ff": "char-for-getchar",
        "tr2b.random-5m": "char-for-getchar",
        "tr2u.syscalls": "failed",
    }


def test_not_graded_is_an_error_and_no_failure() -> None:
    (suite,) = parsed(factory.entry(factory.not_graded("no\nengine")))
    assert [suite.get(name) for name in ("tests", "failures", "errors", "skipped")] == ["1", "0", "1", "0"]
    error = suite.find("testcase/error")
    assert error is not None
    assert error.get("message") == error.text == "no\nengine"
    assert suite.find("properties") is None


def test_counts_are_those_of_the_checks() -> None:
    reports = (factory.report(), factory.broken(), factory.not_graded(), factory.diagnosed())
    root = parsed(*(factory.entry(report, str(index)) for index, report in enumerate(reports)))
    checks = [check.status for report in reports for check in report.checks]
    assert root.attrib == {
        "tests": str(len(checks) + 1),
        "failures": str(checks.count("failed")),
        "errors": "1",
        "skipped": str(checks.count("skipped")),
    }
    for name in root.attrib:
        assert sum(int(suite.get(name, "")) for suite in root) == int(root.attrib[name])


def test_points_are_properties_with_the_version_of_the_lab_that_they_belong_to() -> None:
    report = factory.report(score=100 / 3).model_copy(update={"lab_digest": "sha256:0123456789abcdef"})
    (suite,) = parsed(factory.entry(report))
    values = {one.get("name"): one.get("value") for one in suite.iter("property")}
    assert values == {"score": repr(100 / 3), "max_score": "100.0", "lab_version": version_name(report.lab_digest)}


@pytest.mark.parametrize("text", [HOSTILE, "\0\x08\x0b\ufffe\udcff", "]]>", "<!--", "&#0;"], ids=ascii)
def test_hostile_text_stays_text(text: str) -> None:
    report = factory.hostile(factory.broken(), text)
    benign, hostile = parsed(factory.entry(factory.broken())), parsed(factory.entry(report, f"a{text}"))
    assert [one.tag for one in benign.iter()] == [one.tag for one in hostile.iter()]
    shown = {value for one in hostile.iter() for value in one.attrib.values()}
    assert not [char for value in shown for char in value if not char.isprintable()]


def test_nothing_handed_in() -> None:
    assert parsed().attrib == {"tests": "0", "failures": "0", "errors": "0", "skipped": "0"}
