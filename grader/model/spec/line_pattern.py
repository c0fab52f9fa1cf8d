"""The regular expressions that a line of an output may have to match: their parts, and which are refused."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from typing import Literal

DIFFERENT_CHARACTERS = 80
"""Most different characters and classes in a pattern: looking for each takes a part of a millisecond."""

_TOKEN = re.compile(
    r"""
    (?P<open>\((?:\?:)?)
    | (?P<close>\))
    | (?P<bar>\|)
    | (?P<repeat>(?:[*+?]|\{(?!\})[0-9]*(?:,[0-9]*)?\})\??)
    | (?P<place>[\^$]|\\[AZzbB])
    | (?P<character>
        \[\^?\]?(?:\\.|[^\]\\])*\]
        | \\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|N\{[^}]*\}|0[0-7]{0,2}|.)
        | .
    )
    """,
    re.VERBOSE | re.DOTALL,
)

TokenKind = Literal["open", "close", "bar", "repeat", "place", "character"]


@dataclass(frozen=True)
class Token:
    """A part of a pattern. A `character` is a regular expression for one character, a `place` is one for none."""

    kind: TokenKind
    text: str

    @property
    def bounds(self) -> tuple[int, int | None]:
        """How often a `repeat` allows what is before it, at least and at most."""
        text = self.text if len(self.text) == 1 else self.text.removesuffix("?")
        if not text.startswith("{"):
            return {"*": (0, None), "+": (1, None), "?": (0, 1)}[text]
        least, comma, most = text[1:-1].partition(",")
        if not comma:
            return int(least), int(least)
        return int(least or 0), int(most) if most else None


def tokens(pattern: str) -> list[Token]:
    """Return the parts of a regular expression in their order."""
    return [*_tokens(pattern)]


def _tokens(pattern: str) -> Iterator[Token]:
    kinds: tuple[TokenKind, ...] = ("open", "close", "bar", "repeat", "place", "character")
    for found in _TOKEN.finditer(pattern):
        yield next(Token(kind, found[0]) for kind in kinds if found[kind] is not None)


def characters(parts: list[Token]) -> set[str]:
    """Return the different characters and classes of a pattern."""
    return {part.text for part in parts if part.kind == "character"}


def pattern_mistake(pattern: str) -> str | None:
    """Say why lines cannot be searched for this pattern; None if they can."""
    try:
        re.compile(pattern)
    except (re.error, OverflowError) as error:
        return f"is not a regular expression: {error}"
    parts = tokens(pattern)
    if any(re.fullmatch(r"\\[1-9]", part.text) for part in parts):
        return "has references to groups, which are not allowed"
    if mistake := _mistake_of_repeat(parts):
        return mistake
    if len(characters(parts)) > DIFFERENT_CHARACTERS:
        return f"may take too long: it has more than {DIFFERENT_CHARACTERS} different characters and classes"
    return None


def _mistake_of_repeat(parts: list[Token]) -> str | None:
    for before, part in pairwise(parts):
        if part.kind != "repeat":
            continue
        if before.kind == "open":
            return "has groups that begin with (?, which are not allowed, except (?:"
        if before.kind == "close" and part.text.removesuffix("?") not in {"", "?"}:
            return "may take too long: a group must not be repeated, but may be optional"
        if before.kind == "repeat":
            return "has a repeat that is followed by +, which is not allowed"
    return None
