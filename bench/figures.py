"""The cost of a run, and what follows from several rounds: medians, ratios, targets."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Literal

Measure = Literal["cpu", "wall"]
BOTH: tuple[Measure, ...] = ("cpu", "wall")


@dataclass(frozen=True)
class Cost:
    """CPU and wall-clock seconds of a run; `peak_memory_bytes` only if it was one process."""

    cpu_s: float
    wall_s: float
    peak_memory_bytes: int | None = None

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s + other.cpu_s, self.wall_s + other.wall_s)

    def __sub__(self, other: Cost) -> Cost:
        return Cost(self.cpu_s - other.cpu_s, self.wall_s - other.wall_s)

    def times(self, factor: float) -> Cost:
        """Return this cost multiplied by a factor."""
        return Cost(self.cpu_s * factor, self.wall_s * factor)

    def of(self, measure: Measure) -> float:
        """Return CPU or wall-clock seconds."""
        return self.cpu_s if measure == "cpu" else self.wall_s


NO_COST = Cost(0.0, 0.0)
Round = Mapping[str, Cost]
"""Costs that one round measured, by the key of what was run."""


def scaled(empty: Cost, part: Cost, part_bytes: int, size_bytes: int) -> Cost:
    """Return what the whole input would cost: the line through the costs of an empty input and of a part."""
    return empty + (part - empty).times(size_bytes / part_bytes)


@dataclass(frozen=True)
class Target:
    """At most `factor` times the cost of the base, plus `plus_s` seconds."""

    measure: Measure
    factor: float
    plus_s: float = 0.0


@dataclass(frozen=True)
class Row:
    """A row of the table: what was run, and the key of the base in the same round."""

    key: str
    title: str
    base: str | None = None
    targets: tuple[Target, ...] = ()
    measures: tuple[Measure, ...] = BOTH
    """Measures to show."""

    whole_machine: bool = False
    """Whether the CPU time is that of the whole machine, and so useless if the machine did anything else."""


@dataclass(frozen=True)
class Outcome:
    """A target, and the factor that was measured without `plus_s`: a median over the rounds."""

    target: Target
    factor: float
    is_reliable: bool = True

    @property
    def met(self) -> bool | None:
        """Whether the target is met; None if the measurement is unreliable."""
        return self.factor <= self.target.factor if self.is_reliable else None


@dataclass(frozen=True)
class Line:
    """A row with its figures: medians of seconds, and medians of the rounds' ratios."""

    row: Row
    cost: Cost
    ratios: Mapping[Measure, float]
    outcomes: tuple[Outcome, ...]


def line(row: Row, rounds: Sequence[Round], *, quiet: bool = True) -> Line:
    """Compute a row's figures over at least one round; `quiet`: the machine did nothing else."""
    costs = [costs_by_key[row.key] for costs_by_key in rounds]
    peak = max((cost.peak_memory_bytes for cost in costs if cost.peak_memory_bytes is not None), default=None)
    middle = Cost(median(cost.cpu_s for cost in costs), median(cost.wall_s for cost in costs), peak)
    if row.base is None:
        return Line(row, middle, {}, ())
    ratios = {measure: _ratio(row.key, row.base, measure, 0.0, rounds) for measure in row.measures}
    outcomes = tuple(
        Outcome(
            target,
            _ratio(row.key, row.base, target.measure, target.plus_s, rounds),
            is_reliable=quiet or not row.whole_machine or target.measure == "wall",
        )
        for target in row.targets
    )
    return Line(row, middle, ratios, outcomes)


def _ratio(key: str, base: str, measure: Measure, plus_s: float, rounds: Sequence[Round]) -> float:
    return median((costs[key].of(measure) - plus_s) / costs[base].of(measure) for costs in rounds)
