"""Cells of a CSV file, for spreadsheets and for course systems that import such a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

from grader.render.text.escape import visible_text

FORMULA_STARTS = ("=", "+", "-", "@", "＝", "＋", "－", "＠")  # noqa: RUF001 - full-width forms, which count too
BEFORE_A_FORMULA = "' "


def csv_table(rows: Iterable[Sequence[str]]) -> bytes:
    """Return rows of cells as RFC 4180 defines it, in UTF-8.

    All cells are in quotes. In many languages spreadsheets split a line at `;`, and the rest of a name would become a
    cell of its own.
    """
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n", quoting=csv.QUOTE_ALL).writerows(rows)
    return buffer.getvalue().encode("utf-8", "backslashreplace")


def text_cell(text: str) -> str:
    r"""Return text that no spreadsheet runs as a formula and no terminal obeys.

    Students choose their names, and spreadsheets run a cell that begins with one of `= + - @` as a formula
    (CWE-1236), some of them after spaces. Such text gets a `'` in front, which tells spreadsheets that it is text. To
    undo this, drop one apostrophe if such a character follows the leading apostrophes and spaces. Characters that are
    not visible become escapes (`\x1b`, `\n`).
    """
    visible = visible_text(text)
    return f"'{visible}" if visible.lstrip(BEFORE_A_FORMULA).startswith(FORMULA_STARTS) else visible


def number_cell(value: float | None) -> str:
    """Return a number with full precision; None is an empty cell."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)
