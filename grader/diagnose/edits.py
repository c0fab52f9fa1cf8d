"""Edits that fix a bug in a source."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple


class Edit(NamedTuple):
    """Replace the bytes of a source from `start` to `end`."""

    start: int
    end: int
    text: str


def fixed(source: bytes, edits: Iterable[Edit]) -> bytes | None:
    """Return a source with edits, None if two of them overlap."""
    parts, end = [], 0
    for edit in sorted(set(edits)):
        if edit.start < end:
            return None
        parts += [source[end : edit.start], edit.text.encode("utf-8", "surrogateescape")]
        end = edit.end
    return b"".join([*parts, source[end:]])
