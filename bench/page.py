"""Put tables into docs/benchmarks.md, each between two comments."""

from __future__ import annotations

import textwrap
from dataclasses import dataclass
from pathlib import Path

from grader.errors import UsageError

WIDTH = 120
PAGE = Path(__file__).parents[1] / "docs" / "benchmarks.md"


@dataclass(frozen=True)
class Section:
    """A part of the page between two comments."""

    begin: str
    end: str

    def with_table(self, page: str, table: str, notes: str) -> str:
        """Return the page with a new table in this part.

        Raises:
            UsageError: the comments are not in it once each, in this order.
        """
        before, _, rest = page.partition(self.begin)
        _, _, after = rest.partition(self.end)
        if (page.count(self.begin), rest.count(self.end), before.count(self.end)) != (1, 1, 0):
            raise UsageError(f"{PAGE.name} must contain {self.begin} and {self.end}, once each and in this order")
        return f"{before}{self.begin}\n{table}\n\n{textwrap.fill(notes, WIDTH)}\n{self.end}{after}"

    def write(self, table: str, notes: str) -> None:
        """Put a table into this part of the page."""
        PAGE.write_text(self.with_table(PAGE.read_text(encoding="utf-8"), table, notes), encoding="utf-8")


SUBMISSION = Section("<!-- bench: begin, written by make bench ARGS=--write -->", "<!-- bench: end -->")
CLASS = Section(
    "<!-- bench of a class: begin, written by make bench-class ARGS=--write -->", "<!-- bench of a class: end -->"
)
