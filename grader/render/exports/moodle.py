"""moodle.csv: what Moodle takes in as an offline grading worksheet of an assignment."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.gradebook import Entry
from grader.render.exports.csv_cells import csv_table, number_cell, text_cell
from grader.render.exports.roster import handed_in, roster
from grader.render.text.escape import one_line

HEADER = ("Identifier", "Full name", "Email address", "Grade", "Maximum Grade", "Last modified (grade)")
NEVER = "-"
"""What Moodle's own worksheet says of a grade that nobody has changed."""


def moodle_csv(entries: Sequence[Entry]) -> bytes | None:
    """Return the scores of those who handed in through Moodle, a row a person; None where nobody did.

    Moodle finds a person by `Identifier` (`Participant 123`), passes over an empty `Grade`, and takes the file only
    if `Last modified (grade)` is there too (mod/assign/feedback/offline/importgradeslib.php). As no time stands
    there, a grade that is in Moodle already stays, unless the upload form is told to update it. Column names are
    Moodle's English ones. A column for comments would replace those that are there, so there is none.
    """
    ours = handed_in(entries, "moodle")
    if not ours:
        return None
    rows = [
        (
            f"Participant {one.person.id}",
            text_cell(one_line(one.person.name)),
            text_cell(one_line(one.person.email)),
            number_cell(one.score),
            number_cell(one.max_score),
            NEVER,
        )
        for one in roster(ours)
    ]
    return csv_table([HEADER, *rows])
