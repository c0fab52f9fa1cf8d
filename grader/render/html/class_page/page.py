"""The values that the class page shows, computed from the entries of a gradebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from grader.model.gradebook import Entry
from grader.render.html.class_page import answers, frequency, notices, plots
from grader.render.html.class_page.scores import scores_of
from grader.render.html.class_page.submission_row import MARKS, SubmissionRow

FILES = {
    "grades.csv": "for a spreadsheet",
    "canvas.csv": "to import in Canvas",
    "moodle.csv": "a grading worksheet for Moodle",
    "junit.xml": "test results",
}
"""What the files next to the page are for."""


def index_values(entries: Sequence[Entry], files: Sequence[str], command: str) -> dict[str, Any]:
    """Return the values of index.html.j2 except its script; rows are in the order of the entries.

    `command` is the one that grades the class; "" if it is not known.
    """
    rows = [SubmissionRow(entry) for entry in entries]
    graded = [row for row in rows if row.graded]
    marks = Counter(mark for row in rows for mark in row.marks)
    return {
        "command": command,
        "rows": rows,
        "graded": len(graded),
        "files": [(name, FILES.get(name, "")) for name in files],
        "unfinished": notices.unfinished(rows),
        "not_graded": notices.not_graded(rows),
        "troubled": notices.troubled(rows),
        "unjudged": notices.unjudged(graded),
        "left_out": notices.left_out(rows, files),
        "unbuilt": notices.unbuilt(graded),
        "unexplained": notices.unexplained(graded),
        "scores": scores_of(row.report for row in rows),
        "causes": frequency.cause_counts(graded),
        "symptoms": frequency.symptom_counts(graded),
        "programs": frequency.programs(graded),
        "checks": frequency.check_lines(graded),
        "time_plots": plots.time_plots(graded),
        "call_plot": plots.call_plot(graded),
        "answers": answers,
        "max_rows": frequency.MAX_ROWS,
        "marks": [(mark, label, marks[mark]) for mark, label in MARKS.items() if marks[mark]],
        "full_marks": {row.report.max_score for row in rows},
    }
