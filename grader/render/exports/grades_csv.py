"""grades.csv: one row per submission, for a spreadsheet."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from grader.model.gradebook import Entry
from grader.render.exports.csv_cells import csv_table, number_cell, text_cell
from grader.render.views.lab_versions import version_name
from grader.render.views.rubric_columns import rubric

FIRST = ("name", "status", "score", "max_score")
LAST = ("reason", "student", "email", "student_id", "late", "earlier_score", "causes", "trouble", "lab_version")
_LATE = {None: "", True: "yes", False: "no"}


def grades_csv(entries: Sequence[Entry]) -> bytes:
    """Return the grades, one row per entry, in their order.

    The columns are FIRST, one per check id with its points (empty if not graded), and LAST. Numbers have full
    precision. Several students or causes in one cell are separated by `; `. No cell is a formula (csv_cells.py).
    """
    ids = [check.id for check in rubric(entry.report for entry in entries)]
    header = [*FIRST, *map(text_cell, ids), *LAST]
    return csv_table([header, *(_row(entry, ids) for entry in entries)])


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
