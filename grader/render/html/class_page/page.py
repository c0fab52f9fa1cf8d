"""The values that the class page shows, computed from the entries of a gradebook, and its script."""

from __future__ import annotations

import base64
import hashlib
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache
from typing import Any

from markupsafe import Markup

from grader.model.gradebook import Entry
from grader.render.html.class_page import frequency, notices, plots
from grader.render.html.class_page.scores import scores_of
from grader.render.html.class_page.submission_row import MARKS, SubmissionRow
from grader.resources import resource

FILES = {
    "grades.csv": "for a spreadsheet",
    "canvas.csv": "to import in Canvas",
    "moodle.csv": "a grading worksheet for Moodle",
    "junit.xml": "test results",
}
"""What the files next to the page are for."""

SCRIPTS = (("vendor", "sortable", "sortable.js"), ("index.js",))
"""A library that sorts the table, and a few lines of ours that filter it."""


@dataclass(frozen=True)
class Script:
    """The text between the script tags, and the source expression of a CSP that allows only this text."""

    text: Markup
    allowed: str


def index_values(entries: Sequence[Entry], files: Sequence[str]) -> dict[str, Any]:
    """Return the values of index.html.j2; rows are in the order of the entries."""
    rows = [SubmissionRow(entry) for entry in entries]
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
        "time_plots": plots.time_plots(graded),
        "call_plot": plots.call_plot(graded),
        "marks": [(mark, label, marks[mark]) for mark, label in MARKS.items() if marks[mark]],
        "full_marks": {row.report.max_score for row in rows},
        "script": class_script(),
    }


@cache
def class_script() -> Script:
    """Return the script, which contains nothing from students or reports.

    The hash is of the text as the browser finds it in the page: CSP Level 3, "hash-source".
    """
    text = "\n" + "\n".join(resource("reports", *parts).read_text("utf-8") for parts in SCRIPTS)
    digest = hashlib.sha256(text.encode("utf-8")).digest()
    return Script(Markup(text), f"'sha256-{base64.b64encode(digest).decode('ascii')}'")  # noqa: S704 - our own file
