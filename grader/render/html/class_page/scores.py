"""How the scores of a class are distributed."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.report import Report

BINS = 20


@dataclass(frozen=True)
class Bin:
    """Scores from `low` to below `high`; the last bin includes `high`."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Scores:
    """The distribution of scores in points: BINS equal bins from 0 to `max_score`, quartiles and extremes.

    `full` is the number of submissions with full marks.
    """

    bins: tuple[Bin, ...]
    max_score: float
    lower_quartile: float
    median: float
    upper_quartile: float
    lowest: float
    highest: float
    full: int
    count: int

    @property
    def tallest(self) -> int:
        """The most scores in one bin."""
        return max(score_bin.count for score_bin in self.bins)


def scores_of(reports: Iterable[Report]) -> Scores | None:
    """Return the distribution, None if nothing has a score or the lab has no points."""
    scored = [(report.score, report.max_score) for report in reports if report.score is not None]
    most = max((max_score for _, max_score in scored), default=0.0)
    if most <= 0:
        return None
    values = [score for score, _ in scored]
    counts = Counter(min(BINS - 1, max(0, int(value * BINS / most))) for value in values)
    # A single value is all of its quartiles.
    lower, median, upper = statistics.quantiles(values if len(values) > 1 else values * 2, n=4, method="inclusive")
    return Scores(
        bins=tuple(Bin(most * index / BINS, most * (index + 1) / BINS, counts[index]) for index in range(BINS)),
        max_score=most,
        lower_quartile=lower,
        median=median,
        upper_quartile=upper,
        lowest=min(values),
        highest=max(values),
        full=sum(score >= max_score for score, max_score in scored),
        count=len(values),
    )
