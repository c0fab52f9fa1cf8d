"""Which mutants and other examples are tested where testing all of them would take too long.

Every mutant is graded once, in tests/corpus, and traced once, in tests/tally; there, those that are not in the sample
are slow. Elsewhere the sample shows as well as all of them that a sandbox gives the same verdicts.
"""

from __future__ import annotations

from collections.abc import Collection

import pytest

SAMPLE = (
    "char-for-getchar",
    "chained-mapping",
    "message-on-stdout",
    "unbuffered-with-setvbuf",
    "empty-operands-hang",
    "line-buffer-in-tr2u",
)


def marks(mutant: str) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a test that is parametrized with a mutant."""
    return () if mutant in SAMPLE else (pytest.mark.slow,)


def mostly_slow(names: Collection[str], *, quick: Collection[str]) -> list[object]:
    """Return names as parameters of a test: a full grading for each, which is slow for all but a few."""
    assert {*quick} <= {*names}
    return [pytest.param(name, marks=() if name in quick else pytest.mark.slow) for name in names]
