"""canvas.csv: what Canvas takes in under Grades, Import."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.gradebook import Entry, Person
from grader.render.exports.csv_cells import csv_table, number_cell, text_cell
from grader.render.exports.roster import handed_in, roster
from grader.render.text.escape import one_line

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "Points Possible"


def canvas_csv(entries: Sequence[Entry]) -> bytes | None:
    """Return the scores of those who handed in through Canvas, a row a person; None where nobody did.

    Canvas finds a person by the column `ID`, so the name is for people only and may be guarded as in grades.csv; the
    assignment by its title, for which the lab's stands, or asks which one it is. Who was not graded has no row: an
    empty cell would take away a grade that is there (lib/gradebook_importer.rb of Canvas, no_change_to_value?).
    """
    ours = handed_in(entries, "canvas")
    if not ours:
        return None
    lab = ours[0].report
    points = (f"    {POINTS_POSSIBLE}", "", "", "", "", number_cell(lab.max_score))
    rows = [
        (_name(one.person), one.person.id, "", "", "", number_cell(one.score))
        for one in roster(ours)
        if one.score is not None
    ]
    return csv_table([(*HEADER, text_cell(one_line(lab.lab_title))), points, *rows])


def _name(person: Person) -> str:
    # One line: Canvas reads the first lines one by one to find the separator. And the row with the points is known by
    # its words: a student of that name would set them for everybody.
    name = one_line(person.name)
    return person.id if POINTS_POSSIBLE in name else text_cell(name)
