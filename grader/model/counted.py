"""Numbers with their nouns, and lists of names, in every message that has some."""

from __future__ import annotations

from collections.abc import Iterable


def counted(number: int, noun: str) -> str:
    """Return `1 byte`, `5,000,000 bytes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Iterable[str], conjunction: str = "and") -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *first, last = [*names] or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last
