"""moodle.csv: the file that Moodle imports as the offline grading worksheet of an assignment."""

from __future__ import annotations

from collections.abc import Sequence

from grader.course.people import NO_ROSTER, ClassList
from grader.model.gradebook import Entry
from grader.render.exports.csv_cells import csv_table, number_cell, text_cell
from grader.render.text.escape import one_line
from grader.render.views.roster import decided, handed_in, roster

HEADER = ("Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)")
NEVER = "-"
"""The time in Moodle's own worksheet for a grade that nobody has changed."""


def moodle_csv(entries: Sequence[Entry], known: ClassList = NO_ROSTER) -> bytes | None:
    """Return the final scores of the people who handed in through Moodle, one row per person; None if nobody did.

    Students who handed in nothing follow, if the course excused them or gave them a total. Moodle has no grade for
    those who are excused, so theirs is empty.

    Moodle finds a person by `Identifier` (`Participant 123`), ignores an empty `Grade`, and accepts the file only if
    it has the column `Last modified (grade)` (mod/assign/feedback/offline/importgradeslib.php). Because that column
    contains no time, Moodle keeps an existing grade unless the upload form asks to update it. Column names are
    Moodle's English ones. There is no column for comments because it would replace existing comments.
    """
    moodle_entries = handed_in(entries, "moodle")
    if not moodle_entries:
        return None
    rows = [
        (
            f"Participant {row.person.id}",
            text_cell(one_line(row.person.name)),
            text_cell(one_line(row.person.email)),
            number_cell(row.score),
            number_cell(row.max_score),
            NEVER,
        )
        for row in (*roster(moodle_entries), *decided(moodle_entries, known, "moodle"))
    ]
    return csv_table([HEADER, *rows])
