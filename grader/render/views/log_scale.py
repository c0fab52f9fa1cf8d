"""A logarithmic scale for bars: calls from one to ten million, seconds from hundredths to tens."""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """`decades` whole powers of ten, from `10 ** power` on."""

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
        """Return the position of a value, 0 to 100; zero and values below the scale are at 0."""
        if value <= 0:
            return 0.0
        fraction = (math.log10(value) - self.power) / self.decades
        return round(100 * min(1.0, max(0.0, fraction)), 1)


def scale_for(values: Iterable[float]) -> Scale:
    """Return the shortest scale of whole decades that contains all positive values."""
    powers = [math.log10(value) for value in values if value > 0] or [0.0]
    power = math.floor(min(powers))
    return Scale(power, max(1, math.ceil(max(powers)) - power))


def power_label(power: int) -> str:
    """Return a power of ten, short enough for an axis: `0.01`, `100`, `10k`, `1M`."""
    if power < 0:
        return f"{10.0**power:.{-power}f}"
    thousands, rest = divmod(power, 3)
    units = ("", "k", "M", "G", "T")
    if thousands >= len(units):
        return f"1e{power}"
    # Four digits are still read at a glance.
    return "1,000" if power == len("000") else f"{10**rest}{units[thousands]}"
