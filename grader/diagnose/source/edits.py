"""Changes of a source as data: which bytes become what, and which operator offers it. words.yaml has the words."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

_TYPE_WORD = "(?:const|volatile|signed|unsigned|short|long|char|int)"
_NAME = "[A-Za-z_][A-Za-z0-9_]{0,40}"
_INDEX = rf"(?:{_NAME}|[0-9]{{1,5}})(?:\+\+|--| ?[+-] ?(?:{_NAME}|[0-9]{{1,5}}))?"
_OPERAND = rf"\*{{0,2}}{_NAME}(?:\[{_INDEX}\]|->{_NAME}|\.{_NAME}){{0,3}}(?:\+\+|--)?|\*\({_NAME} ?\+ ?{_INDEX}\)"

QUOTED = rf"(?:{_OPERAND}|{_TYPE_WORD}(?: {_TYPE_WORD}){{1,3}}|[<>]=?|[!=]=)"
"""What the words of a known bug may quote of a source: a short operand such as `*p`, a type, or a comparison."""

CHANGE_VARIABLE = "IOLAB_CHANGE"
"""The environment variable with the numbers of the small changes to make, one or two (schemata.py)."""

LIKELIEST, LOGICAL, TEXT, COMPARISON, ARGUMENT, NUMBER, TYPE, JUMP, REMOVAL, IDLE, LOSS = range(11)
"""The ranks of small changes: the smaller, the more likely is the change what a teacher would name.

`LIKELIEST` is for what is a mistake in itself. `TEXT` changes what is written to standard output. `IDLE` leaves an
`if` without effect. `LOSS` removes what may be a check that is needed.
"""

INCLUDE = "#include "
"""The beginning of an edit that includes a header, which changes no line of the student."""

Span = tuple[int, int]
"""Where a part of a source begins and ends, in bytes."""


_TYPE = re.compile(rf"{_TYPE_WORD}(?: {_TYPE_WORD})*[ *]*")


class Edit(NamedTuple):
    """Replace the bytes of a source from `start` to `end`."""

    start: int
    end: int
    text: str


def without(source: bytes, start: int, end: int) -> list[Edit]:
    """Return the edits that remove what is between two places and keep all lines: each is shown as it is then."""
    newlines = [at for at in range(start, end) if source[at] == ord("\n")]
    starts = [start, *(at + 1 for at in newlines)]
    ends = [*(at - (source[at - 1] == ord("\r")) for at in newlines), end]
    return [Edit(begin, stop, "") for begin, stop in zip(starts, ends, strict=True) if begin < stop]


class Change(NamedTuple):
    """A change of a source, the operator that offers it, and how likely it is among several that work.

    `number` chooses it in the copy with all changes; None if it needs a copy of its own. `names` are what the words
    about it mention besides its edits.
    """

    op: str
    edits: tuple[Edit, ...]
    rank: int
    number: int | None
    names: tuple[Span, ...] = ()


def fixed(source: bytes, edits: Iterable[Edit]) -> bytes | None:
    """Return a source with edits, None if two of them overlap."""
    parts, end = [], 0
    for edit in sorted(set(edits)):
        if edit.start < end:
            return None
        parts += [source[end : edit.start], edit.text.encode("utf-8", "surrogateescape")]
        end = edit.end
    return b"".join([*parts, source[end:]])


def is_type(text: str) -> bool:
    """Return whether a new text is a type."""
    return bool(_TYPE.fullmatch(text.strip()))
