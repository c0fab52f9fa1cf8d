"""A final score is shown for what it is: computed, policy, override and final."""

from __future__ import annotations

import csv
import io

from grader.model.report import Adjustment, Grade
from grader.render.exports.grades_csv import grades_csv
from grader.render.html.pages import index_html, report_html
from grader.render.terminal.report import line
from grader.render.terminal.summary import summary

from . import factory
from .pages import HOSTILE
from .test_terminal import shown

GRADE = Grade(
    computed=80,
    adjustments=(
        Adjustment(kind="check", points=3, reason=HOSTILE, check="tr2b.text"),
        Adjustment(kind="late", points=-8.3, reason="handed in 1 day late"),
    ),
    final=74.7,
    comment=HOSTILE,
)
REPORT = factory.report(score=80.0, grade=GRADE)


def test_pages_show_every_step_and_nothing_in_a_reason_is_markup() -> None:
    for page in (report_html(REPORT), index_html([factory.entry(REPORT)])):
        text = page.decode("utf-8")
        for words in ("74.7", "+3", "−8.3", "handed in 1 day late", "tr2b.text"):  # noqa: RUF001 - a minus sign
            assert words in text
        assert "<script>alert" not in text
    assert "Final score" in report_html(REPORT).decode("utf-8")


def test_without_anything_to_say_a_report_has_no_table() -> None:
    plain = factory.report(score=80.0, grade=Grade(computed=80, final=80))
    assert "Final score" not in report_html(plain).decode("utf-8")
    assert "→" not in line(plain).plain


def test_the_terminal_has_the_final_score() -> None:
    assert "80/100 → 74.7" in line(REPORT).plain
    text = shown(summary(REPORT))
    assert "Final score: 74.7" in text
    assert "handed in 1 day late" in text
    assert "\x1b]" not in text


def test_cells_have_reasons_and_points_and_no_formula() -> None:
    (row,) = csv.DictReader(io.StringIO(grades_csv([factory.entry(REPORT)]).decode("utf-8"), newline=""))
    assert (row["score"], row["final_score"], row["counts"]) == ("80", "74.7", "yes")
    assert row["policy"] == "handed in 1 day late (−8.3 points)"  # noqa: RUF001 - a minus sign
    assert row["override"].startswith("tr2b.text: ")
    formula = Grade(computed=1, final=1, comment="=cmd()")
    (row,) = csv.DictReader(
        io.StringIO(grades_csv([factory.entry(factory.report(grade=formula))]).decode("utf-8"), newline="")
    )
    assert row["comment"] == "'=cmd()"
