"""The leaderboard: figures of programs that do everything right."""

from __future__ import annotations

from collections.abc import Iterator

from typing_extensions import assert_never

from grader.gradescope.schema import LeaderboardRow
from grader.model.report import Report
from grader.model.spec.lab import CallsSavedFigure, CpuTimeFigure, Figure, Spec
from grader.render.views.visible_checks import part

SECONDS_PLACES = 3


def leaderboard(report: Report, spec: Spec) -> tuple[LeaderboardRow, ...]:
    """Return the known figures of the spec, but none of a program with a check that did not pass.

    Students see whether they are listed, so checks that they do not see must not decide it.
    """
    seen = part(report, spec, {"visible"})
    return tuple(row for figure in spec.gradescope.leaderboard for row in _rows(figure, seen))


def _rows(figure: Figure, report: Report) -> Iterator[LeaderboardRow]:
    match figure:
        case CpuTimeFigure():
            seconds = _cpu_s(report, figure.program, figure.case)
            if seconds is not None and _all_passed(report, figure.program):
                yield LeaderboardRow(name=figure.name, value=round(seconds, SECONDS_PLACES), order="asc")
        case CallsSavedFigure():
            many, few = _calls(report, figure.without, figure.case), _calls(report, figure.program, figure.case)
            if many is not None and few is not None and _all_passed(report, figure.program, figure.without):
                yield LeaderboardRow(name=figure.name, value=many - few, order="desc")
        case _:
            assert_never(figure)


def _all_passed(report: Report, *programs: str) -> bool:
    return {check.status for check in report.checks if check.program in programs} == {"passed"}


def _cpu_s(report: Report, program: str, case: str) -> float | None:
    found = (one for one in report.timing if (one.program, one.case) == (program, case))
    return next((one.user_s + one.sys_s for one in found), None)


def _calls(report: Report, program: str, case: str) -> int | None:
    """Return the reads of standard input and the writes to standard output; None if not all were counted."""
    for one in report.syscalls:
        is_case = (one.program, one.case) == (program, case) and one.complete
        if is_case and one.stdin is not None and one.stdout is not None:
            return one.stdin.calls + one.stdout.calls
    return None
