"""Numbers with their nouns, in every message that counts something."""

from __future__ import annotations


def counted(number: int, noun: str) -> str:
    """Return `1 byte`, `5,000,000 bytes`."""
    return f"{number:,} {noun}" if number == 1 else f"{number:,} {noun}s"
