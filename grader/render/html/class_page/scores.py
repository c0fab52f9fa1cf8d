"""How the scores of a class are distributed."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.render.html.class_page.spread import middle_half

BINS = 20


@dataclass(frozen=True)
class Bin:
    """Scores from `low` to below `high`; the last bin includes `high`."""

    low: float
    high: float
    count: int


@dataclass(frozen=True)
class Scores:
    """The distribution of scores in points: BINS equal bins from 0 to `max_score`, median, spread and extremes.

    `middle` has the scores between which the middle half lies, None for a few. `deviation` is the standard deviation
    of these scores, taken as all there are. `full` is the number of submissions
    with full marks.
    """

    bins: tuple[Bin, ...]
    max_score: float
    median: float
    mean: float
    deviation: float
    middle: tuple[float, float] | None
    lowest: float
    highest: float
    full: int
    count: int

    @property
    def tallest(self) -> int:
        """The most scores in one bin."""
        return max(score_bin.count for score_bin in self.bins)


def scores_of(results: Iterable[tuple[float | None, float]]) -> Scores | None:
    """Return the distribution of scores, each with the maximum; None if there is none or the lab has no points."""
    scored = [(score, max_score) for score, max_score in results if score is not None]
    most = max((max_score for _, max_score in scored), default=0.0)
    if most <= 0:
        return None
    values = [score for score, _ in scored]
    counts = Counter(min(BINS - 1, max(0, int(value * BINS / most))) for value in values)
    return Scores(
        bins=tuple(Bin(most * index / BINS, most * (index + 1) / BINS, counts[index]) for index in range(BINS)),
        max_score=most,
        median=statistics.median(values),
        mean=statistics.fmean(values),
        deviation=statistics.pstdev(values),
        middle=middle_half(sorted(values)),
        lowest=min(values),
        highest=max(values),
        full=sum(score >= max_score for score, max_score in scored),
        count=len(values),
    )
