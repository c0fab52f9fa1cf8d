"""The files that Canvas and Moodle take in, read the way that their importers do.

Canvas: lib/gradebook_importer.rb of canvas-lms, which takes `EX` for excused. Moodle:
mod/assign/feedback/offline/importgradeslib.php.
"""

from __future__ import annotations

import csv
import io
from collections.abc import Callable

import pytest

from grader.course.grades import final_grades
from grader.course.people import ClassList
from grader.course.roster import Student, read_roster
from grader.course.rules import Override, Rules
from grader.model.gradebook import CourseSystem, Entry, Origin, Person
from grader.model.report import Grade, Report
from grader.render.exports.canvas import canvas_csv
from grader.render.exports.csv_cells import FORMULA_STARTS
from grader.render.exports.grades_csv import grades_csv
from grader.render.exports.moodle import moodle_csv
from grader.render.views.roster import handed_in, undecided_attempts, without_number

from . import factory
from .pages import HOSTILE

MAKERS: dict[CourseSystem, Callable[..., bytes | None]] = {"canvas": canvas_csv, "moodle": moodle_csv}
both = pytest.mark.parametrize("system", MAKERS)


def entry(system: CourseSystem | None, *people: Person, report: Report | None = None) -> Entry:
    origin = Origin(path="", system=system, people=people)
    return factory.entry(report or factory.report(score=87.5), origin=origin)


def person(number: str = "12", name: str = "Ada Lovelace") -> Person:
    return Person(id=number, name=name)


def table(system: CourseSystem, *entries: Entry, known: ClassList | None = None) -> list[list[str]]:
    data = MAKERS[system](entries, known or ClassList())
    assert data is not None
    return list(csv.reader(io.StringIO(data.decode("utf-8"), newline=""), strict=True))


def students(system: CourseSystem, *entries: Entry, known: ClassList | None = None) -> dict[str, str]:
    """Grades by the number that the course system looks for."""
    header, *rows = table(system, *entries, known=known)
    assert all(len(row) == len(header) for row in rows)
    if system == "moodle":
        grade = header.index("Grade")
        return {row[0].removeprefix("Participant "): row[grade] for row in rows}
    return {row[1]: row[-1] for row in rows if "Points Possible" not in row[0]}


@both
def test_there_is_no_file_where_nobody_handed_in_there(system: CourseSystem) -> None:
    other: CourseSystem = "moodle" if system == "canvas" else "canvas"
    assert MAKERS[system]([]) is None
    assert MAKERS[system]([entry(None, person()), entry(other, person())]) is None


@both
def test_only_those_who_handed_in_there_are_in_it(system: CourseSystem) -> None:
    assert students(system, entry(system, person("1")), entry("gradescope", person("2")), entry(None)) == {
        "1": "87.5"
    }


@both
def test_each_of_a_group_gets_the_score(system: CourseSystem) -> None:
    group = entry(system, person("3"), person("1", "Grace Hopper"))
    assert students(system, group, entry(system, person("2"))) == {"3": "87.5", "1": "87.5", "2": "87.5"}


@both
def test_not_graded_is_no_grade(system: CourseSystem) -> None:
    grades = students(system, entry(system, person("1"), report=factory.not_graded()), entry(system, person("2")))
    assert grades.get("1", "") == ""
    assert grades["2"] == "87.5"


def test_canvas_would_take_an_empty_cell_for_no_grade_so_there_is_no_row() -> None:
    assert "1" not in students("canvas", entry("canvas", person("1"), report=factory.not_graded()))


@both
def test_zero_is_a_grade(system: CourseSystem) -> None:
    assert students(system, entry(system, person(), report=factory.report(score=0.0))) == {"12": "0"}


@both
def test_grades_are_in_full_precision(system: CourseSystem) -> None:
    grades = students(system, entry(system, person(), report=factory.report(score=100 / 3)))
    assert float(grades["12"]) == 100 / 3


@both
@pytest.mark.parametrize("number", ["", "12x", "x", "-12", "1 2", "١٢", "=12"])
def test_who_has_no_number_is_left_out(system: CourseSystem, number: str) -> None:
    assert students(system, entry(system, person(number)), entry(system, person("5"))) == {"5": "87.5"}


@both
@pytest.mark.parametrize("name", [HOSTILE, "=1+1", "@x", 'O\'Hara, "Bo"; x', "a\nb\r\nc", "\t=1", "Łø 李", "\0"])
def test_a_hostile_name_changes_no_other_cell(system: CourseSystem, name: str) -> None:
    plain, hostile = (
        table(system, entry(system, person(name=text)), entry(system, person("5"))) for text in ("x", name)
    )
    assert len(plain) == len(hostile)
    changed = [(row, column) for row, cells in enumerate(plain) for column in range(len(cells))]
    differ = {(row, column) for row, column in changed if plain[row][column] != hostile[row][column]}
    assert len(differ) == 1
    (row, column) = differ.pop()
    assert not hostile[row][column].startswith(FORMULA_STARTS)
    assert "\n" not in hostile[row][column]


def test_a_name_that_is_no_formula_is_as_it_was() -> None:
    assert table("canvas", entry("canvas", person(name="Núñez, María-José")))[2][0] == "Núñez, María-José"


def test_canvas_reads_the_header_and_the_points() -> None:
    header, points, row = table("canvas", entry("canvas", person()))
    assert header == [
        "Student",
        "ID",
        "SIS User ID",
        "SIS Login ID",
        "Section",
        "Buffered versus unbuffered I/O",
    ]
    assert points == ["    Points Possible", "", "", "", "", "100"]
    assert row == ["Ada Lovelace", "12", "", "", "", "87.5"]


def test_nobody_is_taken_for_the_row_with_the_points() -> None:
    rows = table("canvas", entry("canvas", person(name="My Points Possible")))
    assert [row[0] for row in rows if "Points Possible" in row[0]] == ["    Points Possible"]
    assert rows[2][1] == "12"


def test_moodle_finds_the_columns_that_it_needs() -> None:
    header, row = table("moodle", entry("moodle", person()))
    cells = dict(zip(header, row, strict=True))
    assert cells == {
        "Identifier": "Participant 12",
        "Full name": "Ada Lovelace",
        "Email address": "",
        "Grade": "87.5",
        "Maximum Grade": "100",
        "Last modified (grade)": "-",
    }


def test_moodle_gets_no_column_that_replaces_comments() -> None:
    assert not [name for name in table("moodle", entry("moodle", person()))[0] if "eedback" in name]


def graded(**grade: object) -> Report:
    values: dict[str, object] = {"computed": 87.5, "final": 70.25, **grade}
    return factory.report(score=87.5, grade=Grade.model_validate(values))


@both
def test_final_scores_are_exported_and_attempts_that_do_not_count_are_not(system: CourseSystem) -> None:
    entries = [
        entry(system, person("1"), report=graded()),
        entry(system, person("2"), report=graded(final=None, excused=True)),
        entry(system, person("3"), report=graded(counts=False)),
        entry(system, person("4"), report=factory.not_graded().model_copy(update={"grade": graded().grade})),
    ]
    excused = "EX" if system == "canvas" else ""
    assert students(system, *entries) == {"1": "70.25", "2": excused, "4": "70.25"}


def roster(system: CourseSystem, *, number: str = "1") -> ClassList:
    """A roster with one student who handed in, and others who did not and are excused, given a total, or neither."""
    missing = tuple(
        Student(name=f"Missing {line}", ids=(f"{line}",), system=system, number=f"{line}", line=line)
        for line in (11, 12, 13)
    )
    decided = {
        11: Override.model_validate({"student": "11", "excused": "ill"}),
        12: Override.model_validate({"student": "12", "total": {"points": 60.5, "reason": "oral exam"}}),
    }
    present = Student(name="Ada Lovelace", ids=(number,), system=system, number=number, line=2)
    name = factory.report().submission.name
    return ClassList(has_roster=True, students={name: (present,)}, missing=missing, absent=decided)


@both
def test_who_handed_in_nothing_has_a_row_if_something_was_decided(system: CourseSystem) -> None:
    excused = "EX" if system == "canvas" else ""
    known = roster(system)
    assert students(system, entry(system, person("1")), known=known) == {"1": "87.5", "11": excused, "12": "60.5"}
    rows = table(system, entry(system, person("1")), known=known)
    assert "Missing 12" in rows[-1]


@both
def test_numbers_of_another_table_are_nobody_s(system: CourseSystem) -> None:
    other: CourseSystem = "moodle" if system == "canvas" else "canvas"
    one = entry(system, person("1"))
    assert students(system, one, known=roster(other)) == {"1": "87.5"}
    # The student who handed in has another number there, so the others have too.
    assert students(system, one, known=roster(system, number="7")) == {"1": "87.5"}


@both
def test_a_number_that_somebody_has_is_not_used_twice(system: CourseSystem) -> None:
    entries = [entry(system, person("1")), entry(system, person("12"))]
    known = roster(system)
    known = ClassList(known.has_roster, known.absent, {}, known.missing)
    assert students(system, *entries, known=known) == {"1": "87.5", "12": "87.5"}


def on_canvas(number: str, name: str = "", line: int = 2) -> Student:
    return Student(name=name or f"Student {number}", ids=(number,), line=line, system="canvas", number=number)


def elsewhere(name: str, *people: Person, system: CourseSystem | None = "gradescope") -> Entry:
    return entry(system, *people).model_copy(update={"name": name})


def test_with_canvass_roster_those_who_handed_in_elsewhere_are_in_canvas() -> None:
    ada, group = elsewhere("ada", person("0123")), elsewhere("group", person("1"), person("2"))
    folder, stranger = elsewhere("folder", system=None), elsewhere("stranger", person("9"))
    known = ClassList(
        has_roster=True,
        students={
            "ada": (on_canvas("501", "Lovelace, Ada"),),
            "group": (on_canvas("502", line=3),),
            "folder": (on_canvas("503", line=4),),
        },
        missing=(on_canvas("504", line=5), on_canvas("505", line=6)),
        absent={5: Override.model_validate({"student": "504", "excused": "ill"})},
        unknown=("stranger", "group"),
    )
    entries = (ada, group, folder, stranger)
    assert students("canvas", *entries, known=known) == {"501": "87.5", "502": "87.5", "503": "87.5", "504": "EX"}
    assert ["Lovelace, Ada", "501"] in [row[:2] for row in table("canvas", *entries, known=known)]
    assert canvas_csv(entries) is None
    nobody = ClassList(has_roster=True, missing=(on_canvas("501"),), unknown=("stranger",))
    assert canvas_csv([stranger], nobody) is None
    lacking = without_number(handed_in(entries, "canvas", known))
    assert [one.name for one in lacking] == ["group", "stranger"]


def test_moodles_numbers_of_a_roster_may_be_those_of_another_assignment() -> None:
    student = Student(name="Ada", ids=("501",), line=2, system="moodle", number="501")
    known = ClassList(has_roster=True, students={"ada": (student,)})
    assert moodle_csv([elsewhere("ada", person("0123"))], known) is None


@both
def test_a_student_with_several_submissions_that_count_is_left_out_and_named(system: CourseSystem) -> None:
    first, second, other = (elsewhere(name, system=system) for name in ("a", "b", "c"))
    twice = [one.model_copy(update={"origin": entry(system, person("1")).origin}) for one in (first, second)]
    entries = [*twice, other.model_copy(update={"origin": entry(system, person("2")).origin})]
    assert students(system, *entries) == {"2": "87.5"}
    assert [one.name for one in undecided_attempts(entries)] == ["a", "b"]
    skipped = twice[1].report.model_copy(update={"grade": Grade(computed=87.5, final=87.5, counts=False)})
    entries[1] = twice[1].model_copy(update={"report": skipped})
    assert students(system, *entries) == {"1": "87.5", "2": "87.5"}
    assert undecided_attempts(entries) == []


def test_members_of_groups_have_the_score_and_numbers_of_groups_are_not_written() -> None:
    worksheet = (
        "Identifier,Full name,Group,Last modified (grade)\n"
        "Participant 17,Zed,Team B,-\nParticipant 501,Ann,Team A,-\nParticipant 502,Bob,Team A,-\n"
    )
    entries = [
        entry("moodle", person("17", "Team A")).model_copy(update={"name": "a"}),
        entry("moodle", person("501", "Team C")).model_copy(update={"name": "c"}),
    ]
    final = final_grades(entries, Rules(roster=read_roster(worksheet.encode())))
    shown = [final.entry(one) for one in entries]
    assert students("moodle", *shown, known=final.known) == {"501": "87.5", "502": "87.5"}
    assert [one.name for one in without_number(shown)] == ["c"]
    header, *rows = csv.reader(io.StringIO(grades_csv(shown, final.known).decode(), newline=""))
    cells = [dict(zip(header, row, strict=True)) for row in rows]
    assert [(row["student"], row["student_id"]) for row in cells] == [
        ("Ann; Bob", "501; 502"),
        ("Team C", ""),
        ("Zed", "17"),
    ]
