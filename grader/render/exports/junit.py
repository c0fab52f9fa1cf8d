"""junit.xml: a class as test results, for whatever reads those (GitLab, Jenkins, GitHub)."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from xml.etree import ElementTree as ET

from grader.model.gradebook import Entry
from grader.model.report import Check
from grader.render.text.escape import visible_text

NOT_GRADED = "graded"
"""The one test case of a submission that is not graded: it could not be found out."""

_OUTCOMES = {"error": "errors", "failure": "failures", "skipped": "skipped"}


def junit_xml(entries: Sequence[Entry]) -> bytes:
    """Return a `testsuite` for each entry, in their order, and in it a `testcase` for each check, in UTF-8.

    A failed check is a `failure`, a skipped one `skipped`, a submission that is not graded an `error`; each says why,
    as an attribute, which Jenkins shows, and as text, which GitLab does. `classname` is the submission's too: GitLab
    knows a test by it and its name, and passes over the suite's. Points are properties, and so are the visibility of
    a check that students do not see, and how many checks a student's copy of the spec lacks. What XML has no way to
    hold, control characters for instance, is shown as an escape.
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
        _properties(suite, score=repr(entry.report.score), max_score=repr(entry.report.max_score))
    hidden = entry.report.hidden_checks.values()
    if hidden:
        checks, points = sum(one.checks for one in hidden), sum(one.points for one in hidden)
        _properties(suite, hidden_checks=str(checks), hidden_points=str(points))
    for check in entry.report.checks:
        _case(suite, name, check)
    if entry.report.status == "not_graded":
        case = ET.SubElement(suite, "testcase", classname=name, name=NOT_GRADED)
        _outcome(case, "error", entry.report.reason, type="not_graded")
    _count(suite)
    return suite


def _case(suite: ET.Element, classname: str, check: Check) -> None:
    case = ET.SubElement(suite, "testcase", classname=classname, name=visible_text(check.id))
    if check.visibility != "visible":
        _properties(case, visibility=check.visibility)
    if check.status == "failed":
        _outcome(case, "failure", check.message or check.title, type=visible_text(check.cause or "failed"))
    elif check.status == "skipped":
        _outcome(case, "skipped", check.message)


def _outcome(case: ET.Element, tag: str, message: str, **attributes: str) -> None:
    # Newlines survive in an attribute, as references.
    shown = visible_text(message, keep="\n\t")
    ET.SubElement(case, tag, {"message": shown, **attributes}).text = shown


def _properties(element: ET.Element, **values: str) -> None:
    found = element.find("properties")
    properties = ET.SubElement(element, "properties") if found is None else found
    for name, value in values.items():
        ET.SubElement(properties, "property", name=name, value=value)


def _count(element: ET.Element) -> None:
    element.set("tests", str(_number(element.iter("testcase"))))
    for tag, attribute in _OUTCOMES.items():
        element.set(attribute, str(_number(element.iter(tag))))


def _number(elements: Iterable[ET.Element]) -> int:
    return sum(1 for _ in elements)
