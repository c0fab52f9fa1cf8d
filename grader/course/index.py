"""Keys of people by the words for them: numbers, addresses and names, as exports and folders write them."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable
from difflib import get_close_matches

from grader.model.letters import letters, normalized

MAX_DIGITS = 100
"""Digits of a number that may have lost zeros at its beginning."""


def names_of(name: str) -> set[str]:
    """Return the ways in which exports write a name: `Doe, Jane` and `Jane Doe` are the same."""
    last, comma, first = name.partition(",")
    return {letters(name), letters(f"{first} {last}")} - {""} if comma else {letters(name)} - {""}


class Index:
    """Keys by the words for them: numbers and addresses first, then names."""

    def __init__(self) -> None:
        self._exact: dict[str, set[str]] = defaultdict(set)
        self._numbers: dict[int, set[str]] = defaultdict(set)
        self._names: dict[str, set[str]] = defaultdict(set)

    def add(self, key: str, exact: Iterable[str], names: Iterable[str]) -> None:
        """Add the words for a key."""
        for word in filter(None, exact):
            self._exact[normalized(word)].add(key)
            if word.isascii() and word.isdigit() and len(word) <= MAX_DIGITS:
                self._numbers[int(word)].add(key)
        for name in names:
            for written in names_of(name):
                self._names[written].add(key)

    def exact(self, word: str) -> set[str]:
        """Return the keys with this number or address."""
        return set(self._exact.get(normalized(word), ()))

    def named(self, name: str) -> set[str]:
        """Return the keys with this name."""
        return {key for written in names_of(name) for key in self._names.get(written, ())}

    def find(self, word: str | int) -> set[str]:
        """Return the keys that a word may mean; a number may lack the zeros at its beginning."""
        if isinstance(word, int):
            return self.exact(str(word)) or set(self._numbers.get(word, ()))
        return self.exact(word) or self.named(word)

    def close(self, word: str | int) -> str:
        """Return the word that was probably meant, empty if none is near."""
        return next(iter(get_close_matches(normalized(str(word)), sorted({*self._exact, *self._names}), n=1)), "")
