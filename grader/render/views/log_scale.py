"""A logarithmic scale for bars: calls from one to ten million, seconds from hundredths to tens."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """Whole powers of ten from `10 ** power` on, `decades` of them side by side."""

    power: int
    decades: int

    @property
    def low(self) -> float:
        """The value at the left end."""
        return float(10**self.power)

    @property
    def high(self) -> float:
        """The value at the right end."""
        return float(10 ** (self.power + self.decades))

    def percent(self, value: float) -> float:
        """Return how far a value reaches, 0 to 100; nothing, and what is below the scale, is at 0."""
        if value <= 0:
            return 0.0
        reach = (math.log10(value) - self.power) / self.decades
        return round(100 * min(1.0, max(0.0, reach)), 1)


def scale_for(values: Iterable[float]) -> Scale:
    """Return the shortest scale of whole decades that holds all positive values."""
    powers = [math.log10(value) for value in values if value > 0] or [0.0]
    power = math.floor(min(powers))
    return Scale(power, max(1, math.ceil(max(powers)) - power))
