"""What a student is told of checks that are hidden, and a teaching assistant of a report that has some."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.report import Check, Report
from grader.model.spec.lab import HiddenChecks
from grader.model.spec.rubric import Visibility
from grader.render.text.phrases import counted, points_counted

_VISIBILITY: dict[Visibility, str] = {
    "visible": "",
    "hidden": "hidden from students",
    "after_due_date": "hidden from students until the due date",
    "after_published": "hidden from students until grades are published",
}


def hidden_worth(hidden: Iterable[HiddenChecks]) -> str:
    """Say how many checks are hidden and their points: `2 checks worth 7 points`; nothing where there are none."""
    every = [*hidden]
    checks = sum(one.checks for one in every)
    return f"{counted(checks, 'check')} worth {points_counted(sum(one.points for one in every))}" if checks else ""


def to_come_words(report: Report) -> str:
    """Tell a student of the checks that this report does not have; nothing where it has all."""
    checks = sum(one.checks for one in report.hidden_checks.values())
    points = points_counted(sum(one.points for one in report.hidden_checks.values()))
    is_are = "is" if checks == 1 else "are"
    return f"{counted(checks, 'more check')}, worth {points}, {is_are} run after you hand in." if checks else ""


def held_back(report: Report) -> tuple[Check, ...]:
    """Return the checks that students are not to see, or not yet."""
    return tuple(check for check in report.checks if check.visibility != "visible")


def held_back_words(report: Report) -> str:
    """Tell a teaching assistant that a report is not to be handed on as it is; nothing where it may be."""
    checks = held_back(report)
    if not checks:
        return ""
    them = "check that students do not see" if len(checks) == 1 else "checks that students do not see"
    return f"Not for students: this report has {len(checks):,} {them}."


def visibility_words(visibility: Visibility) -> str:
    """Say that a check is hidden, or until when; nothing of one that is visible."""
    return _VISIBILITY[visibility]
