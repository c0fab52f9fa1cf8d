"""A submission as the class page shows it: a row of its table, and a link from everywhere else."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from grader.model.gradebook import Entry
from grader.model.report import Check, Grade, Report
from grader.render.text import links
from grader.render.text.phrases import signed_points
from grader.render.views import failures


@dataclass(frozen=True)
class SubmissionRow:
    """An entry of the gradebook with what the page shows about it.

    `version` is the name of the lab's version, if the class has scores of several; `is_counted`: the statistics are
    of this version. `sections` and `on_roster` are those of the students, and their names, if there is a roster.
    """

    entry: Entry
    version: str = ""
    is_counted: bool = True
    sections: tuple[str, ...] = ()
    on_roster: tuple[str, ...] = ()

    @property
    def report(self) -> Report:
        """The report, without evidence."""
        return self.entry.report

    @property
    def name(self) -> str:
        """The name of the submission."""
        return self.report.submission.name

    @property
    def grade(self) -> Grade | None:
        """What the course makes of the score, None if it has no rules."""
        return self.report.grade

    @property
    def counts(self) -> bool:
        """Whether the score counts for its student: another attempt may count instead."""
        return self.grade is None or self.grade.counts

    @property
    def late(self) -> bool:
        """Whether it was handed in after the deadline of the course, or else of the export."""
        if self.grade is not None and self.grade.late_s is not None:
            return self.grade.late_s > 0
        return self.entry.origin.late is True

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
        """The people who handed it in, except one whose name is already the submission's.

        Exports may have names without blanks and capitals; the roster has them as they are.
        """
        people = self.entry.origin.people
        is_known = len(self.on_roster) >= max(1, len(people))
        shown = self.on_roster if is_known else tuple(person.name or person.email for person in people)
        return tuple(student for student in shown if student and student != self.name)

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
        """The failed checks that no known bug explains, except those of programs that cannot be run."""
        return tuple(check for check in failures.unexplained(self.report) if check not in self.unbuilt_checks)

    @cached_property
    def observed(self) -> tuple[failures.Observed, ...]:
        """The symptoms that no known bug explains, except those of programs that cannot be run."""
        shown = {check.id for check in self.unexplained}
        return tuple(one for one in failures.observed(self.report) if shown.intersection(one.symptom.checks))

    @cached_property
    def unbuilt_checks(self) -> tuple[Check, ...]:
        """The failed check of each program that cannot be run: all its other checks are skipped.

        A report without evidence has no builds that would say so.
        """
        found = []
        for checks in failures.by_program(self.report.checks).values():
            failed = [check for check in checks if check.status == "failed"]
            if len(failed) == 1 and {check.status for check in checks} == {"failed", "skipped"}:
                found.append(failed[0])
        return tuple(found)

    @cached_property
    def unbuilt(self) -> tuple[str, ...]:
        """Why programs cannot be run: they are missing, or do not compile."""
        return tuple(dict.fromkeys(check.message for check in self.unbuilt_checks if check.message))

    @cached_property
    def unjudged(self) -> tuple[Check, ...]:
        """The skipped checks that are worth points, except those of programs that cannot be run."""
        unbuilt = {check.program for check in self.unbuilt_checks}
        return tuple(check for check in self.skipped if check.max_points > 0 and check.program not in unbuilt)

    @cached_property
    def skipped(self) -> tuple[Check, ...]:
        """The skipped checks."""
        return failures.with_status(self.report, "skipped")

    @property
    def change(self) -> float | None:
        """Points gained or lost with the last change, None if there was none."""
        if self.entry.earlier_score is None or self.report.score is None:
            return None
        return self.report.score - self.entry.earlier_score

    @property
    def change_text(self) -> str:
        """The change with its sign, for people."""
        return signed_points(self.change or 0.0)

    @property
    def marks(self) -> tuple[str, ...]:
        """The marks of this row, by which the table can be filtered; their names are the keys of MARKS."""
        holds = {
            "not-graded": not self.graded,
            "interrupted": self.report.interrupted,
            "trouble": self.graded and bool(self.entry.last_error),
            "other-version": self.graded and not self.is_counted,
            "unexplained": bool(self.unexplained),
            "doubtful": bool(self.report.doubts),
            "unbuilt": bool(self.unbuilt_checks),
            "unjudged": bool(self.unjudged),
            "late": self.late,
            "adjusted": self.grade is not None and self.grade.changed,
            "changed": self.change is not None,
        }
        return tuple(mark for mark, has_mark in holds.items() if has_mark)


MARKS = {
    "not-graded": "not graded",
    "interrupted": "not graded yet",
    "trouble": "graded before a change",
    "other-version": "of another version of the lab",
    "unjudged": "with checks that were not judged",
    "doubtful": "decided by a name",
    "unbuilt": "missing or not compiled",
    "unexplained": "failed without a known cause",
    "late": "late",
    "adjusted": "with a policy or an override",
    "changed": "changed in score",
}
"""Marks of rows and their labels."""
