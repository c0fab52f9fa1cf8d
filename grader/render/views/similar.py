"""Two programs next to each other, with the parts that both have."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass

from grader.similarity.c_tokens import Token
from grader.similarity.matching import Tile
from grader.similarity.submissions import (
    ClassComparison,
    ComparedSubmission,
    SimilarPair,
    SimilarProgram,
    TokenizedProgram,
)

MAX_SOURCE_CHARS = 20_000
"""Characters of a program to show. Those of students have a few thousand."""

PROVES_NOTHING = (
    "A match is not proof that somebody copied. Two people may follow the same lecture, book or advice, or be "
    "allowed to work together, and a small task has few good solutions. Read both programs, and ask the students, "
    "before you decide anything. No match does not prove that a program is its author's own work, either."
)


@dataclass(frozen=True)
class Segment:
    """A part of a source. `number` is that of the part that both programs have, 0 if it is not in both."""

    text: str
    number: int = 0


@dataclass(frozen=True)
class Side:
    """A program of one submission; `cut` if its end is not shown."""

    name: str
    segments: tuple[Segment, ...]
    cut: bool


@dataclass(frozen=True)
class SideBySide:
    """A program of two submissions."""

    program: SimilarProgram
    left: Side
    right: Side


def full_name(submission: ComparedSubmission) -> str:
    """Return the name of a submission, with its folder if it is of another term."""
    return f"{submission.name} ({submission.term})" if submission.term else submission.name


def similarity_words(programs: Iterable[SimilarProgram]) -> str:
    """Say how much of each program is in both: `first 93 %, second identical`."""
    return ", ".join(f"{one.program} {percent(one)}" for one in programs)


def percent(program: SimilarProgram) -> str:
    """Return the similarity for people: only identical programs have 100 %."""
    return "identical" if program.identical else f"{min(99, int(100 * program.match.similarity))} %"


def side_by_side(comparison: ClassComparison, pair: SimilarPair) -> Iterator[SideBySide]:
    """Yield the programs of a pair."""
    left, right = comparison.submissions[pair.left], comparison.submissions[pair.right]
    for one in pair.programs:
        tiles = one.match.tiles
        lefts = {tile.left + step: number for number, tile, step in _steps(tiles)}
        rights = {tile.right + step: number for number, tile, step in _steps(tiles)}
        yield SideBySide(
            one,
            _side(full_name(left), left.programs[one.program], lefts),
            _side(full_name(right), right.programs[one.program], rights),
        )


def _steps(tiles: Sequence[Tile]) -> Iterator[tuple[int, Tile, int]]:
    for number, tile in enumerate(tiles, 1):
        for step in range(tile.length):
            yield number, tile, step


def _side(name: str, program: TokenizedProgram, numbers: dict[int, int]) -> Side:
    marked = [(token, numbers.get(place, 0)) for place, token in enumerate(program.tokens)]
    # Tokens are in the order of work, in which the end of a `for` comes after its body.
    marked.sort(key=lambda one: one[0].start)
    segments: list[Segment] = []
    shown = 0
    for start, end, number in _runs(marked, len(program.source)):
        text = program.source[start:end].decode("utf-8", "replace")
        room = MAX_SOURCE_CHARS - shown
        if len(text) > room:
            return Side(name, (*segments, Segment(text[:room], number)), cut=True)
        shown += len(text)
        segments.append(Segment(text, number))
    return Side(name, tuple(segments), cut=False)


def _runs(marked: Sequence[tuple[Token, int]], size: int) -> Iterator[tuple[int, int, int]]:
    """Yield beginning, end and number of each part of a source, with what is between its tokens."""
    at = 0
    while marked:
        number = marked[0][1]
        length = next((place for place, one in enumerate(marked) if one[1] != number), len(marked))
        if number:
            start, end = marked[0][0].start, marked[length - 1][0].end
            if start > at:
                yield at, start, 0
            yield start, end, number
            at = end
        marked = marked[length:]
    if at < size:
        yield at, size, 0
