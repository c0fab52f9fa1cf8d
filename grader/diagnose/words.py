"""Bytes and numbers in sentences for students."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.counted import listed
from grader.model.spelled_bytes import byte_words, escaped_bytes

QUOTED_BYTES = 100
LISTED_BYTES = 6


def quoted(data: bytes, most_bytes: int = QUOTED_BYTES) -> str:
    r"""Return bytes in quotation marks on one line, with escapes (`\n`, `\377`), cut if there are many."""
    shown = escaped_bytes(data[:most_bytes])
    return f"“{shown}…”" if len(data) > most_bytes else f"“{shown}”"


def byte_list(values: Iterable[int]) -> str:
    """Name several bytes: 'a', 'b' and 0xFF; of many, the first ones and how many there are."""
    ordered = sorted(values)
    names = [byte_words(byte) for byte in ordered[:LISTED_BYTES]]
    if len(ordered) > LISTED_BYTES:
        return f"{', '.join(names)}, … ({len(ordered)} different ones)"
    return listed(names)


def shown_path(path: str) -> str:
    """Quote the path of a file, which strace has escaped, without all but printable ASCII."""
    shown = "".join(char for char in path if char.isascii() and char.isprintable())
    return f"“{shown[:QUOTED_BYTES]}…”" if len(shown) > QUOTED_BYTES else f"“{shown}”"


def ordinal(number: int) -> str:
    """Return an ordinal number: second, third, 100th."""
    words = {2: "second", 3: "third", 4: "fourth", 8: "eighth"}
    return words.get(number, f"{number:,}th")
