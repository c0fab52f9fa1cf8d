"""Put tables into the README, each between two comments."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass

from grader.errors import UsageError

WIDTH = 120


@dataclass(frozen=True)
class Section:
    """A part of the README between two comments."""

    begin: str
    end: str

    def with_table(self, readme: str, table: str, notes: str) -> str:
        """Return the README with a new table in this part.

        Raises:
            UsageError: the comments are not in it once each, in this order.
        """
        before, _, rest = readme.partition(self.begin)
        _, _, after = rest.partition(self.end)
        if (readme.count(self.begin), rest.count(self.end), before.count(self.end)) != (1, 1, 0):
            raise UsageError(f"README.md must contain {self.begin} and {self.end}, once each and in this order")
        return f"{before}{self.begin}\n{table}\n\n{textwrap.fill(notes, WIDTH)}\n{self.end}{after}"


SUBMISSION = Section("<!-- bench: begin, written by make bench ARGS=--readme -->", "<!-- bench: end -->")
CLASS = Section(
    "<!-- bench of a class: begin, written by make bench-class ARGS=--readme -->", "<!-- bench of a class: end -->"
)
