"""The rubric as the reports of a class show it: it is in no one of them for certain."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.report import Check, Report


def rubric(reports: Iterable[Report]) -> tuple[Check, ...]:
    """Return one check for each id, in the rubric's order.

    A report that is not graded has no checks, and one of an earlier rubric may have others: the longest list gives
    the order, and what it does not have comes after.
    """
    lists = sorted((report.checks for report in reports), key=len, reverse=True)
    found: dict[str, Check] = {}
    for checks in lists:
        for check in checks:
            found.setdefault(check.id, check)
    return tuple(found.values())


def check_ids(reports: Iterable[Report]) -> tuple[str, ...]:
    """Return the ids of `rubric`."""
    return tuple(check.id for check in rubric(reports))
