"""The checks of a rubric, collected from the reports of a class, because no single report is certain to have all."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.report import Check, Report


def rubric(reports: Iterable[Report]) -> tuple[Check, ...]:
    """Return one check for each id, in the order of the rubric.

    A report that is not graded has no checks, and one of an earlier rubric may have others. The longest list gives
    the order, and checks that it lacks come after it.
    """
    longest_first = sorted((report.checks for report in reports), key=len, reverse=True)
    by_id: dict[str, Check] = {}
    for checks in longest_first:
        for check in checks:
            by_id.setdefault(check.id, check)
    return tuple(by_id.values())
