"""What a run costs, and what is made of several rounds of runs: medians, ratios, targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Measure = Literal["cpu", "wall"]
BOTH: tuple[Measure, ...] = ("cpu", "wall")


@dataclass(frozen=True)
class Cost:
    """Seconds of processor time and by the clock; `peak_memory_bytes` only where one process was measured."""

    cpu_s: float
    wall_s: float
    peak_memory_bytes: int | None = None

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.wall_s + other.wall_s)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s - other.cpu_s, self.wall_s - other.wall_s)

    def times(self, factor: float) -> Cost:
        """Return so many times this."""
        return Cost(self.cpu_s * factor, self.wall_s * factor)

    def of(self, measure: Measure) -> float:
        """Return the seconds of one kind."""
        return self.cpu_s if measure == "cpu" else self.wall_s


NOTHING = Cost(0.0, 0.0)
Round = Mapping[str, Cost]
"""What one round measured, by the key of what was run."""


def scaled(empty: Cost, part: Cost, part_bytes: int, size_bytes: int) -> Cost:
    """Return what the whole input would cost, from what no input and a part of it cost: the line through both."""
    return empty + (part - empty).times(size_bytes / part_bytes)


@dataclass(frozen=True)
class Target:
    """At most `factor` times what it is compared with, plus `plus_s` seconds."""

    measure: Measure
    factor: float
    plus_s: float = 0.0


@dataclass(frozen=True)
class Row:
    """A line of the table: what was run, and the key of what it is compared with, in the same round."""

    key: str
    title: str
    base: str | None = None
    targets: tuple[Target, ...] = ()
    measures: tuple[Measure, ...] = BOTH
    """What is worth showing."""

    whole_machine: bool = False
    """Whether the CPU is all that the machine did, and so is worth nothing where others were at work."""


@dataclass(frozen=True)
class Outcome:
    """A target, and the factor that was measured after `plus_s` was taken off: a median over the rounds."""

    target: Target
    factor: float
    is_sure: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None where the figure decides nothing."""
        return self.factor <= self.target.factor if self.is_sure else None


@dataclass(frozen=True)
class Line:
    """A row with its figures: medians of seconds, and medians of the rounds' ratios."""

    row: Row
    cost: Cost
    ratios: Mapping[Measure, float]
    outcomes: tuple[Outcome, ...]


def line(row: Row, rounds: Sequence[Round], *, quiet: bool = True) -> Line:
    """Return a row's figures over at least one round, on a machine that was `quiet` or not."""
    costs = [one[row.key] for one in rounds]
    middle = Cost(median(cost.cpu_s for cost in costs), median(cost.wall_s for cost in costs), _peak(costs))
    if row.base is None:
        return Line(row, middle, {}, ())
    ratios = {measure: _ratio(row.key, row.base, measure, 0.0, rounds) for measure in row.measures}
    outcomes = tuple(
        Outcome(
            one,
            _ratio(row.key, row.base, one.measure, one.plus_s, rounds),
            is_sure=quiet or not row.whole_machine or one.measure == "wall",
        )
        for one in row.targets
    )
    return Line(row, middle, ratios, outcomes)


def _peak(costs: Sequence[Cost]) -> int | None:
    return max((cost.peak_memory_bytes for cost in costs if cost.peak_memory_bytes is not None), default=None)


def _ratio(key: str, base: str, measure: Measure, plus_s: float, rounds: Sequence[Round]) -> float:
    return median((one[key].of(measure) - plus_s) / one[base].of(measure) for one in rounds)
