"""Put tables into docs/benchmarks.md, each between two comments."""

from __future__ import annotations

import textwrap
from collections.abc import Sequence
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
        before, _, after = self._parts(page)
        return f"{before}{self.begin}\n{table}\n\n{textwrap.fill(notes, WIDTH)}\n{self.end}{after}"

    def with_rows(self, page: str, rows: Sequence[str]) -> str:
        """Return the page with these rows in the table of this part, instead of those with the same first cell.

        New ones come last; all other rows and the notes stay as they are.

        Raises:
            UsageError: the comments are not in it once each, in this order, or there is no table between them.
        """
        before, own, after = self._parts(page)
        table, blank, notes = own.strip("\n").partition("\n\n")
        if not table.startswith("|"):
            raise UsageError(f"{PAGE.name} must contain a table after {self.begin}")
        by_title = {_title(line): line for line in (*table.split("\n"), *rows)}
        merged = "\n".join(by_title.values())
        return f"{before}{self.begin}\n{merged}{blank}{notes}\n{self.end}{after}"

    def _parts(self, page: str) -> tuple[str, str, str]:
        """Return what is before, in and after this part."""
        before, _, rest = page.partition(self.begin)
        own, _, after = rest.partition(self.end)
        if (page.count(self.begin), rest.count(self.end), before.count(self.end)) != (1, 1, 0):
            raise UsageError(f"{PAGE.name} must contain {self.begin} and {self.end}, once each and in this order")
        return before, own, after

    def write_rows(self, rows: Sequence[str]) -> None:
        """Put rows into the table of this part of the page."""
        PAGE.write_text(self.with_rows(PAGE.read_text(encoding="utf-8"), rows), encoding="utf-8")

    def write(self, table: str, notes: str) -> None:
        """Put a table into this part of the page."""
        PAGE.write_text(self.with_table(PAGE.read_text(encoding="utf-8"), table, notes), encoding="utf-8")


def _title(row: str) -> str:
    return row.split("|")[1].strip()


SUBMISSION = Section("<!-- bench: begin, written by make bench ARGS=--write -->", "<!-- bench: end -->")
CLASS = Section(
    "<!-- bench of a class: begin, written by make bench-class ARGS=--write -->", "<!-- bench of a class: end -->"
)
