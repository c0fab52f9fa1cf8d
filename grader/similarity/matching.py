"""Compare sequences of tokens: shared runs of tokens, without those that are common to a class.

Runs of GRAM tokens are looked up in an index (Schleimer, Wilkerson, Aiken: "Winnowing: Local Algorithms for Document
Fingerprinting", SIGMOD 2003; programs of a lab are so short that every run is kept). The pairs that share most are
then covered with the longest runs that they share (Wise: "String Similarity via Greedy String Tiling", 1993).
"""

from __future__ import annotations

import heapq
from collections import Counter, defaultdict
from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

GRAM = 12
"""Tokens of the shortest run that counts: about two lines of C."""

COMMON_SHARE = 0.1
COMMON_AT_LEAST = 3
"""A run that more than this share of different programs have, and more than this number, is common to the class."""

MAX_TILED = 3000
"""Pairs to compare exactly. Those that share fewer runs are left out."""

MAX_PLACES = 5
"""Places of one run in a program; a generated program may repeat one a thousand times."""

MIN_SHARED_GRAMS = 0.15
"""The share of runs in both programs of a pair that is worth an exact comparison."""

Kinds = tuple[int, ...]
"""Tokens of a program as numbers."""


@dataclass(frozen=True)
class Tile:
    """A run of tokens that two programs share: where it begins in each, and its length."""

    left: int
    right: int
    length: int


@dataclass(frozen=True)
class ProgramPair:
    """Two programs, by their numbers, and what they share.

    `shared` counts tokens in tiles, and `own` those of both programs together, each without what is common.
    """

    left: int
    right: int
    tiles: tuple[Tile, ...]
    shared: int
    own: int

    @property
    def similarity(self) -> float:
        """The share of both programs' own tokens that is in both."""
        return 2 * self.shared / self.own if self.own else 0.0


class ComparablePrograms:
    """All programs of one name in a class and in a corpus, ready to be compared.

    `known` are programs that everybody was given, such as the template. What they have is common.
    """

    def __init__(self, programs: Sequence[Kinds], known: Sequence[Kinds] = ()) -> None:
        self._programs = programs
        self._grams = [_grams(kinds) for kinds in programs]
        # Copies of one program are one program here: otherwise a group that copies would make its code common.
        different = dict(zip(programs, self._grams, strict=True))
        counts = Counter(gram for grams in different.values() for gram in grams)
        limit = max(COMMON_AT_LEAST, COMMON_SHARE * len(different))
        self._common = {gram for gram, count in counts.items() if count > limit}
        self._common.update(gram for kinds in known for gram in _grams(kinds))
        self._own = [self._own_of(kinds, grams) for kinds, grams in zip(programs, self._grams, strict=True)]
        self._own_size = [sum(own) for own in self._own]

    def own(self, number: int) -> int:
        """Return how many tokens of a program are not common."""
        return self._own_size[number]

    def matches(self, first: Collection[int], at_least: float, min_shared: int) -> list[ProgramPair]:
        """Return the pairs with a similarity of `at_least` that share `min_shared` tokens, the most similar first.

        At least one program of a pair is one of `first`.
        """
        candidates = self._candidates(set(first))
        found = [self.match(left, right) for left, right in candidates]
        kept = (match for match in found if match.shared >= min_shared and match.similarity >= at_least)
        return sorted(kept, key=lambda match: (-match.similarity, -match.shared, match.left, match.right))

    def match(self, left: int, right: int) -> ProgramPair:
        """Cover two programs with the longest runs that they share."""
        tiles = _tiles(self._programs[left], self._programs[right], self._grams[left], self._grams[right])
        # A token that is common on one side is common on the other, except at the ends of runs.
        shared = sum(
            self._own[left][tile.left + step] and self._own[right][tile.right + step]
            for tile in tiles
            for step in range(tile.length)
        )
        return ProgramPair(left, right, tuple(tiles), shared, self.own(left) + self.own(right))

    def _candidates(self, first: set[int]) -> list[tuple[int, int]]:
        holders: dict[int, list[int]] = defaultdict(list)
        for number, grams in enumerate(self._grams):
            for gram in grams:
                if gram not in self._common:
                    holders[gram].append(number)
        shared: Counter[tuple[int, int]] = Counter()
        for numbers in holders.values():
            shared.update(pair for pair in combinations(numbers, 2) if not first.isdisjoint(pair))
        sizes = [sum(gram not in self._common for gram in grams) for grams in self._grams]
        shares = {ends: 2 * number / (sizes[ends[0]] + sizes[ends[1]]) for ends, number in shared.items()}
        worth = (ends for ends, share in shares.items() if share >= MIN_SHARED_GRAMS)
        return heapq.nlargest(MAX_TILED, worth, key=lambda ends: (shares[ends], ends))

    def _own_of(self, kinds: Kinds, grams: Mapping[int, Sequence[int]]) -> bytearray:
        own = bytearray(b"\1" * len(kinds))
        for gram, places in grams.items():
            if gram in self._common:
                for place in places:
                    own[place : place + GRAM] = bytes(GRAM)
        return own


def _grams(kinds: Kinds) -> dict[int, list[int]]:
    """Return where each run of GRAM tokens begins, by its hash."""
    found: dict[int, list[int]] = {}
    for place in range(len(kinds) - GRAM + 1):
        found.setdefault(hash(kinds[place : place + GRAM]), []).append(place)
    return found


def _tiles(
    left: Kinds, right: Kinds, left_grams: Mapping[int, Sequence[int]], right_grams: Mapping[int, Sequence[int]]
) -> list[Tile]:
    """Return shared runs, the longest first, so that each token is in one of them at most."""
    starts = [
        (one, other)
        for gram in left_grams.keys() & right_grams.keys()
        for one in left_grams[gram][:MAX_PLACES]
        for other in right_grams[gram][:MAX_PLACES]
    ]
    # Starts next to each other on a diagonal are one run.
    runs: list[Tile] = []
    for one, other in sorted(starts, key=lambda start: (start[1] - start[0], start[0])):
        last = runs[-1] if runs else None
        if last is not None and other - one == last.right - last.left and one <= last.left + last.length:
            runs[-1] = Tile(last.left, last.right, one + GRAM - last.left)
        else:
            runs.append(Tile(one, other, GRAM))
    return _longest_first(runs, len(left), len(right))


def _longest_first(runs: list[Tile], left_size: int, right_size: int) -> list[Tile]:
    taken_left, taken_right = bytearray(left_size), bytearray(right_size)
    heap = [(-run.length, run.left, run.right) for run in runs]
    heapq.heapify(heap)
    tiles = []
    while heap:
        length, one, other = heapq.heappop(heap)
        free = [not (taken_left[one + step] or taken_right[other + step]) for step in range(-length)]
        if all(free):
            taken_left[one : one - length] = taken_right[other : other - length] = b"\1" * -length
            tiles.append(Tile(one, other, -length))
            continue
        # What is left of a run whose other tokens are taken by longer ones.
        for begin, size in _free_parts(free):
            if size >= GRAM:
                heapq.heappush(heap, (-size, one + begin, other + begin))
    return sorted(tiles, key=lambda tile: tile.left)


def _free_parts(free: Sequence[bool]) -> list[tuple[int, int]]:
    parts, begin = [], None
    for place, is_free in enumerate([*free, False]):
        if is_free and begin is None:
            begin = place
        elif not is_free and begin is not None:
            parts.append((begin, place - begin))
            begin = None
    return parts
