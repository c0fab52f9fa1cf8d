from __future__ import annotations

import csv
import io

import pytest

from grader.model.report import Report, SubmissionId
from grader.render.csv import FORMULA_STARTS, grades_csv

from . import factory


def rows(*reports: Report) -> list[list[str]]:
    text = grades_csv([(report.submission.name, report) for report in reports]).decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline="")))


def named(name: str) -> Report:
    return factory.report(submission=SubmissionId(name=name, digest="sha256:0"))


def undone(cell: str) -> str:
    """What grades_csv's docstring says to do."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("'").startswith(FORMULA_STARTS) else cell


def test_a_row_a_submission_and_a_column_a_check() -> None:
    header, ada, alan = rows(factory.report(), factory.not_graded())
    assert header == ["name", "status", "score", "max_score", "tr2b.text", "tr2u.text", "reason"]
    assert ada == ["ada", "graded", "100", "100", "8", "8", ""]
    assert alan == ["alan", "not_graded", "", "100", "", "", "The Docker engine went away in the middle."]


def test_checks_of_all_submissions_have_columns() -> None:
    header, *rest = rows(
        factory.report(checks=(factory.check("tr2b.a"),)), factory.report(checks=(factory.check("b.b"),))
    )
    assert header[4:-1] == ["tr2b.a", "b.b"]
    assert [row[4:-1] for row in rest] == [["8", ""], ["", "8"]]


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        'a,"b"\r\nc',
        "t'Hooft",
        "'t Hooft",
        "Łovelace",
        "x\ny",
        "",
        *(f"{start}1+1" for start in FORMULA_STARTS),
    ],
)
def test_names_survive_the_round_trip(name: str) -> None:
    assert undone(rows(named(name))[1][0]) == name


@pytest.mark.parametrize("start", FORMULA_STARTS)
@pytest.mark.parametrize("quotes", ["", "'", "''"])
def test_no_cell_is_a_formula(start: str, quotes: str) -> None:
    name = f"{quotes}{start}HYPERLINK(0)"
    cell = rows(named(name))[1][0]
    assert cell == f"'{name}"
    assert undone(cell) == name


def test_a_reason_is_no_formula_either() -> None:
    assert rows(factory.not_graded("=1+1"))[1][-1] == "'=1+1"


def test_numbers_are_in_full_precision() -> None:
    assert float(rows(factory.report(score=100 / 3))[1][2]) == 100 / 3


def test_nul_and_names_that_are_no_utf8_can_be_read() -> None:
    report = factory.report()
    name = report.submission.model_copy(update={"name": "a\0b\udcff"})
    assert rows(report.model_copy(update={"submission": name}))[1][0] == r"a\x00b\udcff"


def test_lines_end_as_the_rfc_says() -> None:
    data = grades_csv([("ada", factory.report())])
    assert data.count(b"\r\n") == data.count(b"\n") == 2


def test_no_submissions() -> None:
    assert rows() == [["name", "status", "score", "max_score", "reason"]]
