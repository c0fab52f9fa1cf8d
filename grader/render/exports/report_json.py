"""report.json."""

from __future__ import annotations

from grader.model.report import Report
from grader.render.text.escape import visible_json


def report_json(report: Report) -> bytes:
    """Return report.json in UTF-8, with every number in full precision; `Report.model_validate_json` reads it."""
    return visible_json(report.model_dump_json(indent=2)) + b"\n"
