"""Which checks went wrong, and which known bugs explain them; the page and the terminal tell it in this order."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.report import Cause, Check, CheckStatus, Report


@dataclass(frozen=True)
class Explained:
    """A cause with the failed checks that it explains.

    `checks` are shown with it; `elsewhere` are explained by it too, but shown with a cause before it.
    """

    cause: Cause
    checks: tuple[Check, ...]
    elsewhere: tuple[Check, ...]

    @property
    def programs(self) -> tuple[str, ...]:
        """The programs that have the bug."""
        return tuple(dict.fromkeys(check.program for check in (*self.checks, *self.elsewhere)))

    @property
    def lost_points(self) -> float:
        """What all its checks cost, those that it shares with another cause among them."""
        return lost_points((*self.checks, *self.elsewhere))


def with_status(report: Report, status: CheckStatus) -> tuple[Check, ...]:
    """Return the checks that ended so, in the rubric's order."""
    return tuple(check for check in report.checks if check.status == status)


def explained(report: Report) -> tuple[Explained, ...]:
    """Return the causes in the report's order, each failed check with the first cause that names it."""
    failed = with_status(report, "failed")
    seen = {check.id for check in unbuilt(report)}
    found = []
    for cause in report.causes:
        named = [check for check in failed if check.id in cause.checks]
        found.append(
            Explained(
                cause,
                tuple(check for check in named if check.id not in seen),
                tuple(check for check in named if check.id in seen),
            )
        )
        seen.update(check.id for check in named)
    return tuple(found)


def unbuilt(report: Report) -> tuple[Check, ...]:
    """Return the failed checks of programs that could not be compiled: nothing else of such a program is judged."""
    programs = {build.program for build in report.builds if not build.ok}
    return tuple(check for check in with_status(report, "failed") if check.program in programs)


def unexplained(report: Report) -> tuple[Check, ...]:
    """Return the other failed checks that no cause names."""
    named = {check_id for cause in report.causes for check_id in cause.checks}
    named.update(check.id for check in unbuilt(report))
    return tuple(check for check in with_status(report, "failed") if check.id not in named)


def by_program(checks: Iterable[Check]) -> dict[str, list[Check]]:
    """Return checks by program, both in their order."""
    programs: dict[str, list[Check]] = {}
    for check in checks:
        programs.setdefault(check.program, []).append(check)
    return programs


def lost_points(checks: Iterable[Check]) -> float:
    """Return how many points checks cost."""
    return sum(check.max_points - check.points for check in checks)
