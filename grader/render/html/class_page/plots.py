"""Figures of a class as strips of dots, a dot a submission, on a logarithmic scale; drawn as SVG paths."""

from __future__ import annotations

import statistics
from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass

from grader.render.html.class_page.rows import Row
from grader.render.views.log_scale import Scale, scale_for

COLUMNS = 120
"""Dots stand in so many columns, on one another where there are several."""

ROOM = 8
"""So many dots find room on one another; more stand closer, so that the highest pile reaches the top."""


@dataclass(frozen=True)
class Figure:
    """One number of one submission."""

    value: float
    row: Row


@dataclass(frozen=True)
class Lane:
    """The figures of a program, in ascending order; `label` says of what."""

    label: str
    figures: tuple[Figure, ...]

    @property
    def lowest(self) -> Figure:
        """The smallest figure."""
        return self.figures[0]

    @property
    def highest(self) -> Figure:
        """The largest figure."""
        return self.figures[-1]

    @property
    def median(self) -> float:
        """Half of the figures are not larger than this."""
        return statistics.median_low(figure.value for figure in self.figures)

    def dots(self, scale: Scale) -> str:
        """Return the dots as an SVG path in a field of 100 by 100, each a line without length: round caps show it."""
        columns = Counter(round(scale.percent(figure.value) / 100 * (COLUMNS - 1)) for figure in self.figures)
        step = 100 / max(ROOM, *columns.values())
        return "".join(
            f"M{_short((column + 0.5) * 100 / COLUMNS)} {_short(100 - (index + 0.5) * step)}h0"
            for column, count in sorted(columns.items())
            for index in range(count)
        )


@dataclass(frozen=True)
class Strip:
    """Lanes above one scale: `input` is what the programs read, `words` writes a value for people."""

    input: str
    lanes: tuple[Lane, ...]
    scale: Scale
    words: Callable[[float], str]

    @property
    def grid(self) -> str:
        """Return the lines at the powers of ten as an SVG path in a field of 100 by 100."""
        return "".join(f"M{_short(percent)} 0V100" for percent, _ in self.ticks)

    @property
    def ticks(self) -> tuple[tuple[float, str], ...]:
        """The powers of ten as (percent, words) pairs."""
        powers = range(self.scale.power, self.scale.power + self.scale.decades + 1)
        return tuple((self.scale.percent(10.0**power), power_words(power)) for power in powers)


def strip(input_name: str, found: Iterable[tuple[str, Figure]], words: Callable[[float], str]) -> Strip | None:
    """Return the figures, given with the labels of their lanes, as a strip; None where there are none.

    Nothing at all has no place on a logarithmic scale; it stands at the lower end.
    """
    lanes: dict[str, list[Figure]] = {}
    for label, figure in found:
        lanes.setdefault(label, []).append(figure)
    if not lanes:
        return None
    values = [figure.value for figures in lanes.values() for figure in figures]
    return Strip(input_name, tuple(_lane(*lane) for lane in sorted(lanes.items())), scale_for(values), words)


def power_words(power: int) -> str:
    """Return a power of ten, short enough for an axis: `0.01`, `100`, `10k`, `1M`."""
    if power < 0:
        return f"{10.0**power:.{-power}f}"
    thousands, rest = divmod(power, 3)
    units = ("", "k", "M", "G", "T")
    if thousands >= len(units):
        return f"1e{power}"
    # Four digits are still read at a glance.
    return "1,000" if power == len("000") else f"{10**rest}{units[thousands]}"


def _lane(label: str, figures: Sequence[Figure]) -> Lane:
    return Lane(label, tuple(sorted(figures, key=lambda figure: figure.value)))


def _short(number: float) -> str:
    return f"{number:.2f}".rstrip("0").rstrip(".")
