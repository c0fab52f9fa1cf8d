from __future__ import annotations

import pytest

from grader.model.gradebook import Entry, Origin
from grader.model.report import GraderFault
from grader.render.html.pages import index_html
from grader.render.views.faults import fault_notes

from . import factory
from .pages import Page

FAULT = GraderFault(step="symptoms", error="KeyError: 97", traceback="Traceback")


def entry(name: str, *faults: GraderFault) -> Entry:
    report = factory.report().model_copy(update={"grader_faults": faults})
    return Entry(name=name, origin=Origin(path=name, system="canvas"), report=report)


@pytest.mark.parametrize(
    ("names", "named"),
    [(("ada",), "of ada are"), (("ada", "bob"), "of ada, bob are"), ([*"abcdefg"], "of a, b, c and 4 more are")],
)
def test_the_assistant_reads_once_whose_explanations_are_incomplete(names: tuple[str, ...], named: str) -> None:
    (note,) = fault_notes([entry("honest"), *(entry(name, FAULT, FAULT) for name in names)])
    assert named in note
    assert "scores are not affected" in note
    # The message of an exception may contain bytes of a hidden input.
    assert "97" not in note


def test_without_a_fault_nothing_is_said() -> None:
    assert not [*fault_notes([entry("honest")])]


def test_the_page_of_the_class_says_so_above_everything_else() -> None:
    page = Page(index_html([entry("honest"), entry("ada", FAULT)], files=("grades.csv",)))
    assert "the explanations of ada are incomplete" in page.section("attention").words
    assert "incomplete" not in Page(index_html([entry("honest")], files=("grades.csv",))).text
