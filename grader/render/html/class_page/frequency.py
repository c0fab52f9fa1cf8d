"""How often in a class each check fails, and how common each known bug is."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.model.report import Check, CheckStatus
from grader.render.html.class_page.rows import Row
from grader.render.views.rubric_columns import rubric


@dataclass(frozen=True)
class CheckCount:
    """A check of one program, and how many submissions failed it or could not be judged by it."""

    check: Check
    failed: int
    skipped: int


@dataclass(frozen=True)
class CheckLine:
    """A check by the name that it has for all programs; `counts` is in their order, None for one without it."""

    name: str
    title: str
    counts: tuple[CheckCount | None, ...]


@dataclass(frozen=True)
class CauseCount:
    """A known bug, the submissions that have it, and what it costs each, in points, on average."""

    name: str
    title: str
    rows: tuple[Row, ...]
    mean_cost: float


def programs(rows: Iterable[Row]) -> tuple[str, ...]:
    """Return the programs of the rubric, in its order."""
    return tuple(dict.fromkeys(check.program for check in rubric(row.report for row in rows)))


def check_lines(rows: Sequence[Row]) -> tuple[CheckLine, ...]:
    """Return every check of the rubric, in its order, those of all programs with one name as one line."""
    counts: Counter[tuple[str, CheckStatus]] = Counter(
        (check.id, check.status) for row in rows for check in row.report.checks
    )
    lines: dict[str, dict[str, Check]] = {}
    for check in rubric(row.report for row in rows):
        lines.setdefault(check.name, {})[check.program] = check
    return tuple(
        CheckLine(
            name,
            next(iter(checks.values())).title,
            tuple(_counted(checks.get(program), counts) for program in programs(rows)),
        )
        for name, checks in lines.items()
    )


def cause_counts(rows: Iterable[Row]) -> tuple[CauseCount, ...]:
    """Return the known bugs of the class, the most common first."""
    titles: dict[str, str] = {}
    found: dict[str, list[tuple[Row, float]]] = {}
    for row in rows:
        for one in row.explained:
            titles.setdefault(one.cause.name, one.cause.title)
            found.setdefault(one.cause.name, []).append((row, one.lost_points))
    counts = [
        CauseCount(name, titles[name], tuple(row for row, _ in have), sum(cost for _, cost in have) / len(have))
        for name, have in found.items()
    ]
    return tuple(sorted(counts, key=lambda one: (-len(one.rows), one.title)))


def _counted(check: Check | None, counts: Counter[tuple[str, CheckStatus]]) -> CheckCount | None:
    return None if check is None else CheckCount(check, counts[check.id, "failed"], counts[check.id, "skipped"])
