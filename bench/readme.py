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
    before, _, rest = readme.partition(BEGIN)
    _, _, after = rest.partition(END)
    if (readme.count(BEGIN), rest.count(END), before.count(END)) != (1, 1, 0):
        raise UsageError(f"README.md has to hold {BEGIN} and {END}, once each and in this order")
    return f"{before}{BEGIN}\n{table}\n\n{textwrap.fill(notes, WIDTH)}\n{END}{after}"
