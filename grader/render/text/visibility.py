"""Phrases about hidden checks: for students, and for teaching assistants whose report contains some."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.counted import counted
from grader.model.report import Check, Report
from grader.model.spec.lab import HiddenChecks
from grader.model.spec.rubric import Visibility
from grader.render.text.phrases import points_counted

_VISIBILITY: dict[Visibility, str] = {
    "visible": "",
    "hidden": "hidden from students",
    "after_due_date": "hidden from students until the due date",
    "after_published": "hidden from students until grades are published",
}


def hidden_worth(hidden: Iterable[HiddenChecks]) -> str:
    """Say how many checks are hidden and their points, `2 checks worth 7 points`; "" if there are none."""
    groups = [*hidden]
    checks = sum(group.checks for group in groups)
    points = points_counted(sum(group.points for group in groups))
    return f"{counted(checks, 'check')} worth {points}" if checks else ""


def to_come_words(report: Report) -> str:
    """Tell a student about the checks that this report does not contain; "" if it contains all."""
    checks = sum(group.checks for group in report.hidden_checks.values())
    points = points_counted(sum(group.points for group in report.hidden_checks.values()))
    is_are = "is" if checks == 1 else "are"
    return f"{counted(checks, 'more check')}, worth {points}, {is_are} run after you hand in." if checks else ""


def held_back(report: Report) -> tuple[Check, ...]:
    """Return the checks that students must not see, or not yet."""
    return tuple(check for check in report.checks if check.visibility != "visible")


def held_back_words(report: Report) -> str:
    """Warn a teaching assistant not to pass on a report that contains hidden checks; "" if it has none."""
    checks = held_back(report)
    if not checks:
        return ""
    them = "check that students do not see" if len(checks) == 1 else "checks that students do not see"
    return f"Not for students: this report has {len(checks):,} {them}."


def visibility_words(visibility: Visibility) -> str:
    """Say that a check is hidden, and until when; "" for a visible check."""
    return _VISIBILITY[visibility]
