"""Bytes and numbers in sentences for students."""

from __future__ import annotations

import string
from collections.abc import Iterable
from collections.abc import Set as AbstractSet

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


LEAST_OF_CLASS = 3

_ASCII = [chr(byte) for byte in range(128)]

CLASSES = {
    "letters": frozenset(map(ord, filter(str.isalpha, _ASCII))),
    "letters or digits": frozenset(map(ord, filter(str.isalnum, _ASCII))),
    "digits": frozenset(map(ord, filter(str.isdigit, _ASCII))),
    "small letters": frozenset(map(ord, filter(str.islower, _ASCII))),
    "capital letters": frozenset(map(ord, filter(str.isupper, _ASCII))),
    "letters or white space": frozenset(ord(char) for char in _ASCII if char.isalpha() or char in string.whitespace),
    "printable ASCII": frozenset(map(ord, filter(str.isprintable, _ASCII))),
    "printable ASCII or newline": frozenset(ord(char) for char in _ASCII if char.isprintable() or char == "\n"),
    "printable ASCII or white space": frozenset(map(ord, string.printable)),
    "ASCII": frozenset(range(128)),
}


def class_of(these: AbstractSet[int], others: AbstractSet[int]) -> str:
    """Say which characters these bytes are or are not, unlike the others: `not letters`; "" if no class fits.

    A few bytes may belong to a class by chance.
    """
    if len(these) < LEAST_OF_CLASS or len(others) < LEAST_OF_CLASS:
        return ""
    for name, members in CLASSES.items():
        if these <= members and members.isdisjoint(others):
            return name
        if others <= members and members.isdisjoint(these):
            return f"not {name}"
    return ""
