"""Numbers with their nouns, lists of names, and capital letters, in every message that has some."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence


def counted(number: int, noun: str) -> str:
    """Return `1 byte`, `5,000,000 bytes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"


def listed(names: Iterable[str], conjunction: str = "and") -> str:
    """Return `a`, `a and b`, `a, b and c`."""
    *first, last = [*names] or [""]
    return f"{', '.join(first)} {conjunction} {last}" if first else last


def listed_up_to(most: int, names: Sequence[str], noun: str = "") -> str:
    """Return `a, b, c`; of more than `most` names, `a, b and 5 more`, or with a noun `a, b and 5 more checks`."""
    left = len(names) - most
    words = counted(left, f"more {noun}") if noun else f"{left:,} more"
    return ", ".join(names[:most]) + (f" and {words}" if left > 0 else "")


def in_cases(most: int, names: Collection[str]) -> str:
    """Return `in the case a`, `in 2 cases (a, b)`; of more than `most` cases, `in 3 cases (a, b and 1 more)`."""
    shown = listed_up_to(most, [*names])
    return f"in the case {shown}" if len(names) == 1 else f"in {counted(len(names), 'case')} ({shown})"


def capital(text: str) -> str:
    """Return a text with a capital letter at its beginning."""
    return text[:1].upper() + text[1:]
