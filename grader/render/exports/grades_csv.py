"""grades.csv: one row per submission, for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.course.people import NO_ROSTER, ClassList
from grader.course.roster import Student
from grader.course.rules import Override
from grader.model.gradebook import Entry
from grader.model.report import Adjustment, Grade
from grader.render.exports.csv_cells import csv_table, number_cell, text_cell
from grader.render.text.phrases import signed_points
from grader.render.views.lab_versions import version_name
from grader.render.views.rubric_columns import rubric

FIRST = ("name", "status", "score", "max_score")
LAST = ("reason", "student", "email", "student_id", "late", "earlier_score", "causes", "trouble", "lab_version")
_LATE = {None: "", True: "yes", False: "no"}


OF_GRADES = ("final_score", "policy", "override", "excused", "comment", "counts")
"""Columns if the course has rules about scores: `policy` and `override` are the reasons and points of each."""

OF_ROSTER = ("section", "on_roster", "roster_name", "roster_id")
"""Columns if there is a roster, which knows more than the export of a course system: real names and student ids."""

NOT_SUBMITTED = "not_submitted"
_YES_NO = {True: "yes", False: "no"}


def grades_csv(entries: Sequence[Entry], known: ClassList = NO_ROSTER) -> bytes:
    """Return the grades, one row per entry, in their order, then students of the roster who handed in nothing.

    The columns are FIRST, one per check id with its points (empty if not graded), and LAST. Numbers have full
    precision. Several students or causes in one cell are separated by `; `. No cell is a formula (csv_cells.py).
    """
    ids = [check.id for check in rubric(entry.report for entry in entries)]
    of_grades = OF_GRADES if any(entry.report.grade is not None for entry in entries) else ()
    of_roster = OF_ROSTER if known.has_roster else ()
    header = [*FIRST, *map(text_cell, ids), *LAST, *of_grades, *of_roster]
    rows = [
        [
            *_row(entry, ids),
            *(_grade_cells(entry.report.grade) if of_grades else ()),
            *(_roster_cells(entry, known) if of_roster else ()),
        ]
        for entry in entries
    ]
    missing = (_missing_row(student, header, known.absent.get(student.line)) for student in known.missing)
    return csv_table([header, *rows, *missing])


def _grade_cells(grade: Grade | None) -> list[str]:
    if grade is None:
        return [""] * len(OF_GRADES)
    reasons = {
        source: _joined(_reason(one) for one in grade.adjustments if one.source == source)
        for source in ("policy", "override")
    }
    return [
        number_cell(grade.final),
        reasons["policy"],
        reasons["override"],
        _YES_NO[grade.excused],
        text_cell(grade.comment),
        _YES_NO[grade.counts],
    ]


def _reason(adjustment: Adjustment) -> str:
    points = f" ({signed_points(adjustment.points)} points)" if adjustment.points else ""
    check = f"{adjustment.check}: " if adjustment.check else ""
    return f"{check}{adjustment.reason}{points}"


def _roster_cells(entry: Entry, known: ClassList) -> list[str]:
    students = known.students.get(entry.name, ())
    return [
        _joined(known.sections(entry.name)),
        _YES_NO[entry.name not in (*known.unknown, *known.ambiguous)],
        _joined(student.name for student in students),
        _joined(student.institution_id for student in students),
    ]


def _missing_row(student: Student, header: Sequence[str], decided: Override | None) -> list[str]:
    cells = {
        "status": NOT_SUBMITTED,
        "student": text_cell(student.name),
        "email": text_cell(student.email),
        "student_id": text_cell(student.ids[0] if student.ids else ""),
        "section": text_cell(student.section),
        "on_roster": "yes",
        "roster_name": text_cell(student.name),
        "roster_id": text_cell(student.institution_id),
    }
    if decided is not None:
        excused, total = decided.excused, decided.total
        given = "" if total is None or excused else number_cell(float(total.points))
        reasons = (excused, None if total is None else total.reason)
        cells |= {
            "final_score": given,
            "override": _joined(filter(None, reasons)),
            "excused": _YES_NO[excused is not None],
            "comment": text_cell(decided.comment),
        }
    return [cells.get(column, "") for column in header]


def _row(entry: Entry, ids: Iterable[str]) -> list[str]:
    report, people = entry.report, entry.origin.people
    points = {check.id: check.points for check in report.checks}
    return [
        text_cell(report.submission.name),
        report.status,
        number_cell(report.score),
        number_cell(report.max_score),
        *(number_cell(points.get(check_id)) for check_id in ids),
        text_cell(report.reason),
        _joined(person.name for person in people),
        _joined(person.email for person in people),
        _joined(person.id for person in people),
        _LATE[entry.origin.late],
        number_cell(entry.earlier_score),
        _joined(cause.name for cause in report.causes),
        text_cell(entry.last_error),
        version_name(report.lab_version) if report.status == "graded" else "",
    ]


def _joined(texts: Iterable[str]) -> str:
    return text_cell("; ".join(text for text in texts if text))
