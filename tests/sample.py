"""Which mutants and other examples are tested where testing all of them would take too long.

Every mutant is graded once, in tests/corpus, and traced once, in tests/tally; there, those that are not in the sample
are slow, and in tests/corpus most are rare. Elsewhere the sample shows as well as all of them that a sandbox gives
the same verdicts.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable

import pytest

SAMPLE = (
    "char-for-getchar",
    "chained-mapping",
    "message-on-stdout",
    "unbuffered-with-setvbuf",
    "empty-operands-hang",
    "line-buffer-in-tr2u",
)


def marks(mutant: str, *, is_rare: bool = False) -> tuple[pytest.MarkDecorator, ...]:
    """Return the marks of a test that is parametrized with a mutant."""
    if mutant in SAMPLE:
        return ()
    return (pytest.mark.slow, pytest.mark.rare) if is_rare else (pytest.mark.slow,)


def partly_rare(names: Iterable[str]) -> list[object]:
    """Return names as parameters of a slow test; all but every fourth are rare."""
    both = (pytest.mark.slow, pytest.mark.rare)
    return [pytest.param(name, marks=both if place % 4 else both[:1]) for place, name in enumerate(names)]


def mostly_slow(names: Collection[str], *, quick: Collection[str]) -> list[object]:
    """Return names as parameters of a test that grades a submission: slow for all but a few, and partly rare."""
    assert {*quick} <= {*names}
    fast = [name for name in names if name in quick]
    return [*fast, *partly_rare(name for name in names if name not in quick)]
