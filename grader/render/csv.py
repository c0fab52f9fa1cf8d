"""grades.csv: a row a submission, for a spreadsheet or a learning platform."""

from __future__ import annotations

import csv
import io
from collections.abc import Sequence

from grader.model.report import Report

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def grades_csv(pairs: Sequence[tuple[str, Report]]) -> bytes:
    r"""Return the grades as UTF-8 in the form of RFC 4180, from (folder name, report) pairs, in their order.

    Columns: name, status, score, max_score, a column a check id (its points; empty where not graded), reason.
    Numbers are in full precision. A name is the student's to choose and a spreadsheet runs a cell that begins with
    one of `= + - @`, tab, CR or LF as a formula (CWE-1236), so such text gets a `'` in front, which spreadsheets
    take for "this is text". To undo it: where what follows the leading apostrophes is one of these, drop one
    apostrophe. NUL, which csv readers refuse, is written as `\x00`.
    """
    check_ids = list(dict.fromkeys(check.id for _, report in pairs for check in report.checks))
    buffer = io.StringIO(newline="")
    writer = csv.writer(buffer, lineterminator="\r\n")
    writer.writerow(["name", "status", "score", "max_score", *map(_text, check_ids), "reason"])
    for _, report in pairs:
        writer.writerow(_row(report, check_ids))
    # A name that is no UTF-8 on disk holds lone surrogates, which UTF-8 has no bytes for.
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def _row(report: Report, check_ids: Sequence[str]) -> list[str]:
    points = {check.id: check.points for check in report.checks}
    return [
        _text(report.submission.name),
        report.status,
        _number(report.score),
        _number(report.max_score),
        *(_number(points.get(check_id)) for check_id in check_ids),
        _text(report.reason),
    ]


def _text(text: str) -> str:
    clean = text.replace("\0", r"\x00")
    return f"'{clean}" if clean.lstrip("'").startswith(FORMULA_STARTS) else clean


def _number(value: float | None) -> str:
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)
