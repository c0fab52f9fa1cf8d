from __future__ import annotations

import csv
import io

import pytest

from grader.model.gradebook import Origin, Person
from grader.model.report import Report, SubmissionId
from grader.render.exports.csv_cells import FORMULA_STARTS
from grader.render.exports.grades_csv import FIRST, LAST, grades_csv

from . import factory


def rows(*reports: Report) -> list[list[str]]:
    text = grades_csv([factory.entry(report) for report in reports]).decode("utf-8")
    return list(csv.reader(io.StringIO(text, newline="")))


def named(name: str) -> Report:
    return factory.report(submission=SubmissionId(name=name, digest="sha256:0"))


def undone(cell: str) -> str:
    """What grades_csv's docstring says to do."""
    return cell[1:] if cell.startswith("'") and cell.lstrip("' ").startswith(FORMULA_STARTS) else cell


def test_a_row_a_submission_and_a_column_a_check() -> None:
    header, ada, alan = rows(factory.report(), factory.not_graded())
    assert header == [*FIRST, "tr2b.text", "tr2u.text", *LAST]
    assert header[:7] == ["name", "status", "score", "max_score", "tr2b.text", "tr2u.text", "reason"]
    assert ada[:7] == ["ada", "graded", "100", "100", "8", "8", ""]
    assert alan[:7] == ["alan", "not_graded", "", "100", "", "", "The Docker engine went away in the middle."]


def test_checks_of_all_submissions_have_columns() -> None:
    header, *rest = rows(
        factory.report(checks=(factory.check("tr2b.a"),)), factory.report(checks=(factory.check("b.b"),))
    )
    assert header[4:6] == ["tr2b.a", "b.b"]
    assert [row[4:6] for row in rest] == [["8", ""], ["", "8"]]


def test_checks_are_in_the_rubrics_order_whoever_comes_first() -> None:
    last = factory.report(checks=(factory.check("tr2u.z"), factory.check("tr2b.b")))
    whole = factory.report(checks=tuple(factory.check(name) for name in ("tr2b.a", "tr2b.b", "tr2u.a", "tr2u.z")))
    header = rows(factory.not_graded(), last, whole)[0]
    assert header[4:8] == ["tr2b.a", "tr2b.b", "tr2u.a", "tr2u.z"]


def test_who_it_was_and_what_is_known_of_the_hand_in() -> None:
    people = (Person(name="Ada L.", email="ada@lab", id="7"), Person(name="=1+1", id="8"))
    entry = factory.entry(
        factory.diagnosed(),
        origin=Origin(path="", people=people, late=True),
        earlier_score=33.25,
        last_error="the disk was full",
    )
    row = dict(zip(*csv.reader(io.StringIO(grades_csv([entry]).decode(), newline="")), strict=True))
    assert [row[name] for name in LAST] == [
        "",
        "Ada L.; =1+1",
        "ada@lab",
        "7; 8",
        "yes",
        "33.25",
        "char-for-getchar",
        "the disk was full",
        "5555555",
    ]


@pytest.mark.parametrize(("late", "cell"), [(None, ""), (False, "no"), (True, "yes")])
def test_late_is_said_only_where_the_export_says_it(late: bool | None, cell: str) -> None:  # noqa: FBT001 - a value
    entry = factory.entry(factory.report(), origin=Origin(path="", late=late))
    assert f',"{cell}","","' in grades_csv([entry]).decode().splitlines()[1]


@pytest.mark.parametrize(
    "name",
    [
        "plain",
        'a,"b";c',
        "t'Hooft",
        "'t Hooft",
        "Łovelace",
        "",
        *(f"{start}1+1" for start in FORMULA_STARTS),
    ],
)
def test_names_survive_the_round_trip(name: str) -> None:
    assert undone(rows(named(name))[1][0]) == name


@pytest.mark.parametrize("start", FORMULA_STARTS)
@pytest.mark.parametrize("quotes", ["", "'", "''", " ", " ' "])
def test_no_cell_is_a_formula(start: str, quotes: str) -> None:
    name = f"{quotes}{start}HYPERLINK(0)"
    cell = rows(named(name))[1][0]
    assert cell == f"'{name}"
    assert undone(cell) == name


def test_a_reason_is_no_formula_either() -> None:
    assert rows(factory.not_graded("=1+1"))[1][-len(LAST)] == "'=1+1"


def test_numbers_are_in_full_precision() -> None:
    assert float(rows(factory.report(score=100 / 3))[1][2]) == 100 / 3


@pytest.mark.parametrize(
    ("name", "cell"),
    [
        ("\x1b[2J\x1b]0;own\x07", r"\x1b[2J\x1b]0;own\a"),
        ("\t=1+1", r"\t=1+1"),
        ("a\r\nb,c", r"a\r\nb,c"),
        ("\u202egnp.exe\u200b", r"\u202egnp.exe\u200b"),
        ("\x9b31m\xa0=1", r"\x9b31m\xa0=1"),
    ],
)
def test_control_characters_are_visible(name: str, cell: str) -> None:
    data = grades_csv([factory.entry(named(name))])
    assert rows(named(name))[1][0] == cell
    assert all(char.isprintable() for line in data.decode().split("\r\n") for char in line)


def test_every_cell_is_in_quotes() -> None:
    r"""A spreadsheet that splits at `;` must not find a formula behind one."""
    _, line, _ = grades_csv([factory.entry(named("x;=1+1"))]).decode().split("\r\n")
    assert line.startswith('"x;=1+1","graded","100"')
    assert not [cell for cell in next(csv.reader([line], delimiter=";")) if cell.startswith(FORMULA_STARTS)]


def test_nul_and_names_that_are_no_utf8_can_be_read() -> None:
    report = factory.report()
    name = report.submission.model_copy(update={"name": "a\0b\udcff"})
    assert rows(report.model_copy(update={"submission": name}))[1][0] == r"a\x00b\udcff"


def test_lines_end_as_the_rfc_says() -> None:
    data = grades_csv([factory.entry(factory.report())])
    assert data.count(b"\r\n") == data.count(b"\n") == 2


def test_no_submissions() -> None:
    assert rows() == [[*FIRST, *LAST]]
