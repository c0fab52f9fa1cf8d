"""The pages: self-contained HTML that works offline, from the templates in reports/."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.gradebook import Entry
from grader.model.report import Report
from grader.render.html import environment
from grader.render.html.class_page.page import index_values
from grader.render.html.evidence_size import LEVELS
from grader.render.text import gcc_messages
from grader.render.views import failures, syscalls, timings

PAGE_BYTES = 290_000
"""A page is to be opened on a phone, and kept by the hundred."""


def report_html(report: Report) -> bytes:
    """Return the page of one submission, in UTF-8; the student is its reader.

    What programs wrote is cut shorter, level by level, until the page is not larger than PAGE_BYTES.
    """
    values = {
        "report": report,
        "failed": failures.with_status(report, "failed"),
        "skipped": failures.with_status(report, "skipped"),
        "passed": failures.with_status(report, "passed"),
        "explained": failures.explained(report),
        "unbuilt": failures.unbuilt(report),
        "unexplained": failures.unexplained(report),
        "warned": gcc_messages.warned(report.builds),
        "call_groups": syscalls.call_groups(report),
        "time_groups": timings.time_groups(report),
    }
    page = b""
    for level in LEVELS:
        page = environment.filled("report.html.j2", {**values, "detail": level})
        if len(page) <= PAGE_BYTES:
            break
    return page


def index_html(entries: Sequence[Entry], *, files: Sequence[str] = ("grades.csv",)) -> bytes:
    """Return the page of a class, in UTF-8; a teaching assistant is its reader.

    The table has a row an entry, in their order, that links to NAME/report.html beside the page; `files` are the
    names of other files there, grades.csv and its like, that the page is to link to.
    """
    return environment.filled("index.html.j2", index_values(entries, files))


def prepare() -> None:
    """Compile the templates, which takes 0.2 s, while the programs of a submission run and nobody waits for it."""
    environment.prepare()
