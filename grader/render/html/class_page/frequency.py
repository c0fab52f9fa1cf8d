"""How often in a class each check fails, how common each known bug is, and what no known bug explains."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from grader.model.report import Check, CheckStatus
from grader.render.html.class_page.submission_row import SubmissionRow
from grader.render.text.escape import first_sentences
from grader.render.views import failures
from grader.render.views.rubric_columns import rubric

MAX_ROWS = 8
"""Known bugs, and symptoms, that are shown at once; the rarer ones unfold."""

EXAMPLE_CHARS = 160


@dataclass(frozen=True)
class CheckCount:
    """A check of one program with how many submissions failed it and for how many it was skipped."""

    check: Check
    failed: int
    skipped: int


@dataclass(frozen=True)
class CheckLine:
    """A check by the name that it has in all programs; `counts` is in their order, None for a program without it."""

    name: str
    title: str
    counts: tuple[CheckCount | None, ...]


@dataclass(frozen=True)
class CauseCount:
    """A known bug with the submissions that have it and the points that it costs each of them on average.

    In `likely` of them it may be another bug.
    """

    name: str
    title: str
    rows: tuple[SubmissionRow, ...]
    mean_cost: float
    likely: int


@dataclass(frozen=True)
class SymptomCount:
    """A way to fail that no known bug explains: the submissions that show it, and the sentences about each."""

    title: str
    rows: tuple[tuple[SubmissionRow, str], ...]

    @property
    def example(self) -> str:
        """The beginning of what was seen of the first of them."""
        return first_sentences(self.rows[0][1], EXAMPLE_CHARS)


def programs(rows: Iterable[SubmissionRow]) -> tuple[str, ...]:
    """Return the programs of the rubric, in its order."""
    return tuple(dict.fromkeys(check.program for check in rubric(row.report for row in rows)))


def check_lines(rows: Sequence[SubmissionRow]) -> tuple[CheckLine, ...]:
    """Return one line per check name of the rubric, in its order."""
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
            tuple(_check_count(checks.get(program), counts) for program in programs(rows)),
        )
        for name, checks in lines.items()
    )


def cause_counts(rows: Iterable[SubmissionRow]) -> tuple[CauseCount, ...]:
    """Return the known bugs of the class, the most common first."""
    found: dict[str, list[tuple[SubmissionRow, failures.Explained]]] = {}
    for row in rows:
        for explained in row.explained:
            found.setdefault(explained.cause.name, []).append((row, explained))
    counts = [
        CauseCount(
            name,
            title=pairs[0][1].cause.title,
            rows=tuple(row for row, _ in pairs),
            mean_cost=sum(one.lost_points for _, one in pairs) / len(pairs),
            likely=sum(one.cause.certainty == "likely" for _, one in pairs),
        )
        for name, pairs in found.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-len(count.rows), count.title)))


def symptom_counts(rows: Iterable[SubmissionRow]) -> tuple[SymptomCount, ...]:
    """Return the symptoms that no known bug explains, the most common first."""
    found: dict[str, dict[str, list[str]]] = {}
    by_name: dict[str, SubmissionRow] = {}
    for row in rows:
        by_name[row.name] = row
        for one in row.observed:
            found.setdefault(one.symptom.id, {}).setdefault(row.name, []).append(one.symptom.sentence)
    counts = [
        SymptomCount(
            title=_symptom_title(symptom),
            rows=tuple((by_name[name], " ".join(sentences)) for name, sentences in sentences_of.items()),
        )
        for symptom, sentences_of in found.items()
    ]
    return tuple(sorted(counts, key=lambda count: (-len(count.rows), count.title)))


def _symptom_title(symptom: str) -> str:
    # A symptom of this kind has nothing in common with the others but that no rule recognises it.
    return "Something else" if symptom == "other" else symptom.replace("-", " ").capitalize()


def _check_count(check: Check | None, counts: Counter[tuple[str, CheckStatus]]) -> CheckCount | None:
    return None if check is None else CheckCount(check, counts[check.id, "failed"], counts[check.id, "skipped"])
