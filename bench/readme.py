"""Puts the table into the README, between two comments."""

from __future__ import annotations

import textwrap

from grader.errors import UsageError

BEGIN, END = "<!-- bench: begin, written by make bench ARGS=--readme -->", "<!-- bench: end -->"
WIDTH = 120


def with_table(readme: str, table: str, notes: str) -> str:
    """Return the README with another table.

    Raises:
        UsageError: the comments are not there, once and in order.
    """
    before, begin, rest = readme.partition(BEGIN)
    _, end, after = rest.partition(END)
    if not (begin and end) or BEGIN in after or END in before + after:
        raise UsageError(f"README.md has to hold {BEGIN} and {END}, once each and in this order")
    return f"{before}{BEGIN}\n{table}\n\n{textwrap.fill(notes, WIDTH)}\n{END}{after}"
