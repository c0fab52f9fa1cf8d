"""Bytes and numbers in sentences for students."""

from __future__ import annotations

import re
from collections.abc import Iterable

from grader.model.counted import listed

QUOTED_BYTES = 100
LISTED_BYTES = 6

_VISIBLE = range(0x21, 0x7F)
_NAMES = {0x00: "NUL (0x00)", 0x09: "tab", 0x0A: "newline", 0x0D: "carriage return", 0x20: "space"}


def quoted(data: bytes, most_bytes: int = QUOTED_BYTES) -> str:
    r"""Return bytes in quotation marks on one line, with escapes (`\n`, `\xff`), cut if there are many."""
    shown = data[:most_bytes].decode("latin-1").encode("unicode_escape").decode("ascii").replace("\\\\", "\\")
    return f"“{shown}…”" if len(data) > most_bytes else f"“{shown}”"


def as_typed(written: bytes, program: str) -> bytes:
    """Return what a program wrote with its name as students type it, `./copy`: the sandbox has another path."""
    name = re.escape(program.encode())
    # Tried only where a word begins: from every byte of a long word, it would take quadratic time.
    return re.sub(rb"(?<![^\s'\"(=:])[^\s'\"(=:]*/bin/(?=" + name + rb"\b)", b"./", written)


def byte_words(byte: int) -> str:
    """Name one byte: 'a', newline, 0xFF."""
    return _NAMES.get(byte) or (f"'{chr(byte)}'" if byte in _VISIBLE else f"0x{byte:02X}")


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
