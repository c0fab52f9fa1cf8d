"""All that the class page shows, worked out of the entries of a gradebook."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import Any

from grader.model.gradebook import Entry
from grader.render.html.class_page import figures, frequency, notices
from grader.render.html.class_page.rows import MARKS, Row
from grader.render.html.class_page.scores import scores_of
from grader.render.html.script import class_script

FILES = {
    "grades.csv": "for a spreadsheet",
    "canvas.csv": "to import in Canvas",
    "moodle.csv": "a grading worksheet for Moodle",
    "junit.xml": "test results",
}
"""What files beside the page are for."""


def index_values(entries: Sequence[Entry], files: Sequence[str]) -> dict[str, Any]:
    """Return the values of index.html.j2; rows in the order of the entries."""
    rows = [Row(entry) for entry in entries]
    graded = [row for row in rows if row.graded]
    marks = Counter(mark for row in rows for mark in row.marks)
    return {
        "rows": rows,
        "graded": len(graded),
        "files": [(name, FILES.get(name, "")) for name in files],
        "not_graded": notices.not_graded(rows),
        "troubled": notices.troubled(rows),
        "left_out": notices.left_out(rows, files),
        "scores": scores_of(row.report for row in rows),
        "causes": frequency.cause_counts(graded),
        "programs": frequency.programs(graded),
        "checks": frequency.check_lines(graded),
        "time_strips": figures.time_strips(graded),
        "call_strip": figures.call_strip(graded),
        "marks": [(mark, words, marks[mark]) for mark, words in MARKS.items() if marks[mark]],
        "full_marks": {row.report.max_score for row in rows},
        "script": class_script(),
    }
