"""canvas.csv: the file that Canvas imports under Grades, Import."""

from __future__ import annotations

from collections.abc import Sequence

from grader.course.people import NO_ROSTER, ClassList
from grader.model.gradebook import Entry, Person
from grader.render.exports.csv_cells import csv_table, number_cell, text_cell
from grader.render.text.escape import one_line
from grader.render.views.roster import decided, handed_in, roster

HEADER = ("Student", "ID", "SIS User ID", "SIS Login ID", "Section")
POINTS_POSSIBLE = "Points Possible"
EXCUSED = "EX"
"""What Canvas takes for a score of somebody who is excused (lib/gradebook_importer.rb)."""


def canvas_csv(entries: Sequence[Entry], known: ClassList = NO_ROSTER) -> bytes | None:
    """Return the final scores of the people who handed in through Canvas, one row per person; None if nobody did.

    If the roster is Canvas's gradebook, people who handed in elsewhere are there too. Students who handed in nothing
    follow, if the course excused them or gave them a total.

    Canvas finds a person by the column `ID`, so names are only for people and are escaped as in grades.csv. It finds
    the assignment by its title, here the title of the lab, or asks which one it is. A person without a score has no
    row, because an empty cell would delete an existing grade (lib/gradebook_importer.rb of Canvas,
    no_change_to_value?).
    """
    canvas_entries = handed_in(entries, "canvas", known)
    if not canvas_entries:
        return None
    # A submission that is not graded keeps the version of the lab that it was to be graded with.
    lab = next(
        (entry.report for entry in canvas_entries if entry.report.status == "graded"), canvas_entries[0].report
    )
    points = (f"    {POINTS_POSSIBLE}", "", "", "", "", number_cell(lab.max_score))
    rows = [
        (_name(row.person), row.person.id, "", "", "", EXCUSED if row.excused else number_cell(row.score))
        for row in (*roster(canvas_entries), *decided(canvas_entries, known, "canvas"))
        if row.score is not None or row.excused
    ]
    if not rows and not handed_in(entries, "canvas"):
        # It is a class of another system, and the roster has none of its students.
        return None
    return csv_table([(*HEADER, text_cell(one_line(lab.lab_title))), points, *rows])


def _name(person: Person) -> str:
    # One line, because Canvas reads the first lines one by one to find the separator. Canvas recognizes the row with
    # the points by these words, so a student with that name would set the points for everybody.
    name = one_line(person.name)
    return person.id if POINTS_POSSIBLE in name else text_cell(name)
