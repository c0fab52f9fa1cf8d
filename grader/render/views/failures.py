"""The failed checks and the known bugs that explain them, in the order in which page and terminal show them."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.report import BuildEvidence, Cause, Check, CheckStatus, Report
from grader.render.text.escape import one_line, short
from grader.render.text.gcc_messages import first_of

MAX_REASON_CHARS = 160


@dataclass(frozen=True)
class Explained:
    """A cause with the failed checks that it explains.

    `checks` are shown with it. It explains `elsewhere` too, but they are shown with an earlier cause.
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
        """The points that all its checks cost, including those that it shares with another cause."""
        return lost_points((*self.checks, *self.elsewhere))


def with_status(report: Report, status: CheckStatus) -> tuple[Check, ...]:
    """Return the checks with a status, in the order of the rubric."""
    return tuple(check for check in report.checks if check.status == status)


def explained(report: Report) -> tuple[Explained, ...]:
    """Return the causes in the order of the report, each failed check with the first cause that names it."""
    failed = with_status(report, "failed")
    seen = {check.id for check in unbuilt(report)}
    causes = []
    for cause in report.causes:
        named = [check for check in failed if check.id in cause.checks]
        causes.append(
            Explained(
                cause,
                tuple(check for check in named if check.id not in seen),
                tuple(check for check in named if check.id in seen),
            )
        )
        seen.update(check.id for check in named)
    return tuple(causes)


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
    """Return the checks of each program, all in their order."""
    programs: dict[str, list[Check]] = {}
    for check in checks:
        programs.setdefault(check.program, []).append(check)
    return programs


def lost_points(checks: Iterable[Check]) -> float:
    """Return the points that checks cost."""
    return sum(check.max_points - check.points for check in checks)


def next_step(report: Report) -> str:
    """Say which failed check to begin with, "" if there is no choice.

    A program that does not compile comes first, because nothing else of it is judged; then the first check that costs
    points.
    """
    if not_compiled := unbuilt(report):
        check = not_compiled[0]
        first = first_of(check.evidence.messages) if isinstance(check.evidence, BuildEvidence) else None
        reason = check.message if first is None else f"{first.location}: {first.message}"
        return (
            f"Begin with {one_line(check.id)}: {short(one_line(reason), MAX_REASON_CHARS)}. "
            f"Nothing else of {one_line(check.program)} is judged before."
        )
    failed = with_status(report, "failed")
    if len(failed) <= 1:
        return ""
    check = next((check for check in failed if check.max_points), failed[0])
    name = one_line(check.id)
    cause_title = next((cause.title for cause in report.causes if cause.name == check.cause), "")
    title = short(one_line(cause_title or check.title), MAX_REASON_CHARS)
    reason = f": {title}" if cause_title else f" ({title})"
    return f"Begin with {name}{reason}. With `--only {name}` it is checked alone."
