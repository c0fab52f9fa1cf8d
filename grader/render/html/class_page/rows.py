"""A submission as the class page shows it: a line of its table, and a link from everywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from grader.model.gradebook import Entry
from grader.model.report import Check, Report
from grader.render.html import links
from grader.render.text.phrases import points_words
from grader.render.views import failures

MINUS = "\N{MINUS SIGN}"


@dataclass(frozen=True)
class Row:
    """An entry with what the page says of it."""

    entry: Entry

    @property
    def report(self) -> Report:
        """The report, without evidence."""
        return self.entry.report

    @property
    def name(self) -> str:
        """The name of the submission."""
        return self.report.submission.name

    @property
    def graded(self) -> bool:
        """Whether there is a score."""
        return self.report.status == "graded"

    @cached_property
    def href(self) -> str:
        """The address of its report."""
        return links.report_href(self.entry.name)

    @property
    def students(self) -> tuple[str, ...]:
        """Who handed it in, as far as it says more than the submission's name."""
        shown = (person.name or person.email for person in self.entry.origin.people)
        return tuple(one for one in shown if one and one != self.name)

    @cached_property
    def failed(self) -> tuple[Check, ...]:
        """The failed checks."""
        return failures.with_status(self.report, "failed")

    @cached_property
    def explained(self) -> tuple[failures.Explained, ...]:
        """The causes, with the checks that each explains."""
        return failures.explained(self.report)

    @cached_property
    def unexplained(self) -> tuple[Check, ...]:
        """The failed checks that no known bug explains."""
        return failures.unexplained(self.report)

    @cached_property
    def unbuilt(self) -> tuple[str, ...]:
        """Why programs could not be compiled, where it is one failed check that kept all others from being judged."""
        programs = failures.by_program(self.report.checks).values()
        found = (checks for checks in programs if {check.status for check in checks} == {"failed", "skipped"})
        failed = ([check for check in checks if check.status == "failed"] for checks in found)
        return tuple(dict.fromkeys(checks[0].message for checks in failed if len(checks) == 1 and checks[0].message))

    @cached_property
    def skipped(self) -> tuple[Check, ...]:
        """The skipped checks."""
        return failures.with_status(self.report, "skipped")

    @property
    def change(self) -> float | None:
        """Points won or lost since the last change, None where there was none."""
        if self.entry.earlier_score is None or self.report.score is None:
            return None
        return self.report.score - self.entry.earlier_score

    @property
    def change_words(self) -> str:
        """The change for people, with its sign."""
        change = self.change or 0.0
        return f"{MINUS if change < 0 else '+'}{points_words(abs(change))}"

    @property
    def marks(self) -> tuple[str, ...]:
        """What the table can be narrowed to; the names are those of MARKS."""
        found = {
            "not-graded": not self.graded,
            "trouble": self.graded and bool(self.entry.trouble),
            "unexplained": bool(self.unexplained),
            "unbuilt": bool(self.unbuilt),
            "skipped": bool(self.skipped),
            "late": self.entry.origin.late is True,
            "changed": self.change is not None,
        }
        return tuple(mark for mark, holds in found.items() if holds)


MARKS = {
    "not-graded": "not graded",
    "trouble": "graded from an earlier hand-in",
    "unexplained": "failed without a known cause",
    "unbuilt": "missing or not compiled",
    "skipped": "with skipped checks",
    "late": "late",
    "changed": "changed in score",
}
"""Marks of rows, and what people call them."""
