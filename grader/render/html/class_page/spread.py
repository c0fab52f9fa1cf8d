"""The spread of numbers in a class: the values between which the middle half of them lies."""

from __future__ import annotations

from collections.abc import Sequence

MIN_NUMBERS = 4
"""Of fewer numbers, there is no middle half worth the name."""


def middle_half(ordered: Sequence[float]) -> tuple[float, float] | None:
    """Return two of the numbers; at least half of all lie between them or equal them.

    The numbers are in ascending order. None for fewer than MIN_NUMBERS.
    """
    if len(ordered) < MIN_NUMBERS:
        return None
    cut = len(ordered) // 4
    return ordered[cut], ordered[-1 - cut]
