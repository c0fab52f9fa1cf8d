"""Cells of a CSV file: for people with a spreadsheet, and for the course systems that take such a file in."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Sequence

FORMULA_STARTS = ("=", "+", "-", "@", "\t", "\r", "\n")


def csv_table(rows: Iterable[Sequence[str]]) -> bytes:
    """Return rows of cells as UTF-8 in the form of RFC 4180."""
    buffer = io.StringIO(newline="")
    csv.writer(buffer, lineterminator="\r\n").writerows(rows)
    # A name that is no UTF-8 on disk holds lone surrogates, which UTF-8 has no bytes for.
    return buffer.getvalue().encode("utf-8", errors="backslashreplace")


def text_cell(text: str) -> str:
    r"""Return text that no spreadsheet runs.

    A name is the student's to choose, and a cell that begins with one of `= + - @`, tab, CR or LF is run as a formula
    (CWE-1236); such text gets a `'` in front, which spreadsheets take for "this is text". To undo it: where what
    follows the leading apostrophes is one of these, drop one apostrophe. NUL, which csv readers refuse, is written as
    `\x00`.
    """
    clean = text.replace("\0", r"\x00")
    return f"'{clean}" if clean.lstrip("'").startswith(FORMULA_STARTS) else clean


def number_cell(value: float | None) -> str:
    """Return a number in full precision; None is an empty cell."""
    if value is None:
        return ""
    return str(int(value)) if value == int(value) else repr(value)
