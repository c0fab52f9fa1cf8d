"""Cells of a CSV file, for spreadsheets and for course systems that import such a file."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_table(rows: Iterable[Sequence[str]]) -> bytes:
    """Return rows of cells as RFC 4180 defines it, in UTF-8."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    # A name that is not UTF-8 on disk contains lone surrogates, for which UTF-8 has no bytes.
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def text_cell(text: str) -> str:
    r"""Return text that no spreadsheet runs as a formula.

    Students choose their names, and spreadsheets run a cell that begins with one of `= + - @`, tab, CR or LF as a
    formula (CWE-1236). Such text gets a `'` in front, which tells spreadsheets that it is text. To undo this, drop
    one apostrophe if such a character follows the leading apostrophes. NUL, which csv readers refuse, becomes `\x00`.
    """
    clean = text.replace("\0", r"\x00")
    return f"'{clean}" if clean.lstrip("'").startswith(FORMULA_STARTS) else clean


def number_cell(value: float | None) -> str:
    """Return a number with full precision; None is an empty cell."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)
