"""junit.xml: a class as test results, for tools that read those (GitLab, Jenkins, GitHub)."""

from __future__ import annotations

from collections.abc import Sequence
from xml.etree import ElementTree as ET

from grader.model.gradebook import Entry
from grader.model.report import Check
from grader.render.text.escape import visible_text
from grader.render.views.lab_versions import version_name

NOT_GRADED = "graded"
"""The only test case of a submission that is not graded."""

_COUNTERS = {"error": "errors", "failure": "failures", "skipped": "skipped"}
"""Attributes that count elements with these tags."""


def junit_xml(entries: Sequence[Entry]) -> bytes:
    """Return a `testsuite` for each entry, in their order, with a `testcase` for each check, in UTF-8.

    A failed check is a `failure`, a skipped one `skipped`, a submission that is not graded an `error`. The reason is
    an attribute, which Jenkins shows, and also text, which GitLab shows. `classname` is the name of the submission
    too, because GitLab identifies a test by `classname` and `name` and ignores the suite. Properties hold points and
    the version of the lab that they belong to, the visibility of a hidden check, and the number of checks that a
    student's copy of the spec lacks. Characters that XML cannot contain, such as control characters, are shown as
    escapes.
    """
    root = ET.Element("testsuites")
    for entry in entries:
        root.append(_suite(entry))
    _count(root)
    ET.indent(root)
    data: bytes = ET.tostring(root, encoding="utf-8", xml_declaration=True)
    return data + b"\n"


def _suite(entry: Entry) -> ET.Element:
    name = visible_text(entry.name)
    suite = ET.Element("testsuite", name=name)
    if entry.report.score is not None:
        version = visible_text(version_name(entry.report.lab_version))
        score, most = repr(entry.report.score), repr(entry.report.max_score)
        _properties(suite, score=score, max_score=most, lab_version=version)
    hidden = entry.report.hidden_checks.values()
    if hidden:
        checks, points = sum(group.checks for group in hidden), sum(group.points for group in hidden)
        _properties(suite, hidden_checks=str(checks), hidden_points=str(points))
    for check in entry.report.checks:
        _case(suite, name, check)
    if entry.report.status == "not_graded":
        case = ET.SubElement(suite, "testcase", classname=name, name=NOT_GRADED)
        _result(case, "error", entry.report.reason, type="not_graded")
    _count(suite)
    return suite


def _case(suite: ET.Element, classname: str, check: Check) -> None:
    case = ET.SubElement(suite, "testcase", classname=classname, name=visible_text(check.id))
    if check.visibility != "visible":
        _properties(case, visibility=check.visibility)
    if check.status == "failed":
        _result(case, "failure", check.message or check.title, type=visible_text(check.cause or "failed"))
    elif check.status == "skipped":
        _result(case, "skipped", check.message)


def _result(case: ET.Element, tag: str, message: str, **attributes: str) -> None:
    # An attribute keeps newlines, as character references.
    shown = visible_text(message, keep="\n\t")
    ET.SubElement(case, tag, {"message": shown, **attributes}).text = shown


def _properties(element: ET.Element, **values: str) -> None:
    properties = element.find("properties")
    if properties is None:
        properties = ET.SubElement(element, "properties")
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=value)


def _count(element: ET.Element) -> None:
    for tag, attribute in {"testcase": "tests", **_COUNTERS}.items():
        element.set(attribute, str(sum(1 for _ in element.iter(tag))))
