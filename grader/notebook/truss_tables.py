"""Read the lines of tables of other systems: `truss -c` of FreeBSD and Solaris, `dtruss -c` of macOS."""

from __future__ import annotations

import re
from typing import Literal

from grader.model.notebook import TableRow

TOTAL = "total"

Kind = Literal["truss", "dtruss"]
Part = Literal["row", "total", "below"]
"""A row, the total, or a line below it that belongs to the table: Solaris prints times there."""

_MARGIN = r"[\s>|#*/;`]*"
_HEADINGS: dict[Kind, re.Pattern[str]] = {
    "truss": re.compile(_MARGIN + r"syscall\s+seconds\s+calls\s+errors\s*$"),
    "dtruss": re.compile(_MARGIN + r"CALL\s+COUNT\s*$"),
}
_NAME = r"(?P<name>[A-Za-z_][A-Za-z0-9_:.]*)"
_NUMBERS = r"(?P<seconds>[0-9]*[.,][0-9]{2,9})\s+(?P<calls>[0-9]+)(?:\s+(?P<errors>[0-9]+))?\s*$"
_ROWS: dict[Kind, re.Pattern[str]] = {
    "truss": re.compile(rf"{_MARGIN}{_NAME}\s+{_NUMBERS}"),
    "dtruss": re.compile(rf"{_MARGIN}{_NAME}\s+(?P<calls>[0-9]+)\s*$"),
}
_TOTAL_LINE = re.compile(rf"{_MARGIN}(?:(?:sys totals:|{TOTAL})\s+)?{_NUMBERS}")
_BELOW = re.compile(_MARGIN + r"(?:usr time|elapsed):\s+[0-9]*[.,][0-9]+\s*$")


def kind_of(heading: str) -> Kind | None:
    """Return whose table a line is the heading of, None if it is none."""
    return next((kind for kind, pattern in _HEADINGS.items() if pattern.match(heading)), None)


def part_of(kind: Kind, text: str, line: int) -> tuple[Part, TableRow | None] | None:
    """Return what a line is in such a table, with its numbers, and None if it does not belong to it."""
    if kind == "truss" and (found := _TOTAL_LINE.match(text)):
        return "total", _row(line, TOTAL, found)
    if found := _ROWS[kind].match(text):
        return "row", _row(line, found["name"], found)
    return ("below", None) if kind == "truss" and _BELOW.match(text) else None


def _row(line: int, name: str, found: re.Match[str]) -> TableRow:
    numbers = found.groupdict()
    seconds = numbers.get("seconds")
    return TableRow(
        line=line,
        syscall=name,
        percent=None,
        seconds=None if seconds is None else float(seconds.replace(",", ".")),
        usecs_per_call=None,
        calls=int(found["calls"]),
        errors=int(numbers.get("errors") or 0),
    )
