"""Look for a line that matches a regular expression, in a time that does not depend on what the lines are.

Students write the text. Python's `re` tries one way to match after the other, of which a text may have millions, and
no other thread runs meanwhile. Here, all places of the text are one number: bit i is set if the part of the pattern
that was read so far may end before character i of its line. Each part of a pattern takes a few operations on it.
"""

from __future__ import annotations

import re
from collections import defaultdict

from grader.model.spec.line_pattern import Token, characters, tokens

ALPHABET = 4096
"""Most different characters of a text that is searched."""

_NEWLINE = r"\n"
_WORD = r"\w"
_KINDS = 256


class TooManyCharactersError(ValueError):
    """A text has more different characters than can be told apart in a short time."""


def has_line(pattern: str, text: str) -> bool:
    """Return whether a line of a text matches a pattern without mistakes, from its beginning to its end.

    Raises:
        TooManyCharactersError: the text has too many different characters to be searched.
    """
    parts = tokens(pattern)
    # Only newlines end lines: splitlines would also split at form feeds and other characters.
    places = _Places(text.removesuffix("\n") + "\n", characters(parts))
    return bool(_Reader(parts, places).alternatives(places.starts) & places.ends)


class _Places:
    """Where each character or class of a pattern appears in a text, as bits."""

    def __init__(self, text: str, wanted: set[str]) -> None:
        self._wanted = sorted(wanted | {_NEWLINE, _WORD})
        self._runs: dict[str, list[int]] = {}
        self._kinds = self._kinds_of(text)
        ids = {kind: number for number, kind in enumerate({*self._kinds.values()})}
        if len(ids) > _KINDS:
            raise TooManyCharactersError
        self._ids = [*ids]
        table = {ord(character): chr(ids[kind]) for character, kind in self._kinds.items()}
        # int() takes the highest bit first, which is the last character.
        self._text = text.translate(table).encode("latin-1")[::-1]
        self.size = len(text)
        self.ends = self._at(_NEWLINE)
        self.starts = self.ends << 1 | 1

    def _kinds_of(self, text: str) -> dict[str, int]:
        """Map each character to what it is: bit i is set if it matches the wanted i."""
        alphabet = "".join({*text})
        if len(alphabet) > ALPHABET:
            raise TooManyCharactersError
        kinds: defaultdict[str, int] = defaultdict(int, dict.fromkeys(alphabet, 0))
        for number, wanted in enumerate(self._wanted):
            for character in re.findall(wanted, alphabet):
                kinds[character] |= 1 << number
        return kinds

    def _at(self, character: str) -> int:
        bit = 1 << self._wanted.index(character)
        table = bytes(ord("1" if kind & bit else "0") for kind in self._ids).ljust(_KINDS, b"0")
        return int(self._text.translate(table), 2)

    def at(self, character: str) -> int:
        """Return where a character or class of the pattern is within a line."""
        return self.runs(character, 1)

    def runs(self, character: str, length: int) -> int:
        """Return where so many of a character or class begin, at least one."""
        doubled = self._runs.get(character)
        if doubled is None:
            doubled = self._runs[character] = [self._at(character) & ~self.ends]
        exponent = length.bit_length() - 1
        while len(doubled) <= exponent:
            doubled.append(doubled[-1] & doubled[-1] >> (1 << len(doubled) - 1))
        return doubled[exponent] & doubled[exponent] >> (length - (1 << exponent))

    def of(self, place: str) -> int:
        """Return all places that are like `^` or another part of a pattern that takes no character."""
        if place in {"^", r"\A"}:
            return self.starts
        if place in {"$", r"\Z", r"\z"}:
            return self.ends
        words = self.at(_WORD)
        edges = words ^ words << 1
        return edges if place == r"\b" else ~edges


class _Reader:
    """Reads a pattern once, from its beginning to its end, with the places that each part of it leads to."""

    def __init__(self, parts: list[Token], places: _Places) -> None:
        self._parts = parts
        self._next = 0
        self._places = places

    def alternatives(self, starts: int) -> int:
        """Return where what is next may end, up to the end of the group, if it begins at one of `starts`."""
        ends = self._sequence(starts)
        while self._take("bar"):
            ends |= self._sequence(starts)
        return ends

    def _sequence(self, starts: int) -> int:
        ends = starts
        while self._next < len(self._parts) and self._parts[self._next].kind not in {"bar", "close"}:
            part = self._parts[self._next]
            self._next += 1
            if part.kind == "open":
                ends = self._group(ends)
            elif part.kind == "place":
                ends &= self._places.of(part.text)
            else:
                repeat = self._take("repeat")
                ends = self._characters(ends, part.text, *(repeat.bounds if repeat else (1, 1)))
        return ends

    def _group(self, starts: int) -> int:
        ends = self.alternatives(starts)
        self._take("close")
        # No other repeat of a group is allowed.
        return ends | starts if self._take("repeat") else ends

    def _take(self, kind: str) -> Token | None:
        if self._next == len(self._parts) or self._parts[self._next].kind != kind:
            return None
        self._next += 1
        return self._parts[self._next - 1]

    def _characters(self, starts: int, character: str, least: int, most: int | None) -> int:
        ends = starts
        if least > self._places.size:
            return 0
        if ends and least:
            ends = (ends & self._places.runs(character, least)) << least
        if not ends:
            return 0
        if most is None or most - least >= self._places.size:
            # A carry of the sum goes through each run of these characters that begins at a place, and behind it.
            run = self._places.at(character)
            return (((ends & run) + run) ^ run) | ends
        done = 0
        while done < most - least:
            more = min(done + 1, most - least - done)
            ends |= (ends & self._places.runs(character, more)) << more
            done += more
        return ends
