"""The pairs and groups of submissions whose programs are alike."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from grader.similarity.c_tokens import Token
from grader.similarity.matching import ComparablePrograms, Kinds, ProgramPair

AT_LEAST = 0.8
"""Similarity of a pair that is reported; independent programs rarely have that much (decision 0075)."""

MIN_SHARED = 30
"""Tokens of their own that the programs of a pair must share: about five lines of C."""

MAX_PAIRS = 200
"""Pairs to report. A copy that everybody has gives far more."""


@dataclass(frozen=True)
class TokenizedProgram:
    """A program of a submission: its source, with the bytes of each token."""

    source: bytes
    tokens: tuple[Token, ...]


@dataclass(frozen=True)
class ComparedSubmission:
    """A submission and those of its programs that can be compared. `term` is empty for one of the class itself."""

    name: str
    programs: Mapping[str, TokenizedProgram]
    term: str = ""


@dataclass(frozen=True)
class SimilarProgram:
    """A program of two submissions that is alike; `identical` if all its tokens are the same."""

    program: str
    match: ProgramPair
    identical: bool


@dataclass(frozen=True)
class SimilarPair:
    """Two submissions, by their numbers, and their programs that are alike, the most similar first."""

    left: int
    right: int
    programs: tuple[SimilarProgram, ...]

    @property
    def similarity(self) -> float:
        """That of the most similar program."""
        return self.programs[0].match.similarity

    @property
    def shared(self) -> int:
        """Tokens that all programs share."""
        return sum(one.match.shared for one in self.programs)


@dataclass(frozen=True)
class Similarities:
    """What a comparison found.

    `pairs` are at most MAX_PAIRS of `found`, the most similar first. `groups` are the submissions that pairs connect,
    the largest first, if they have more than two. `too_little` are submissions of the class of which no program has
    enough code of its own to be compared.
    """

    pairs: tuple[SimilarPair, ...]
    found: int
    groups: tuple[tuple[int, ...], ...]
    too_little: tuple[int, ...]


@dataclass(frozen=True)
class ClassComparison:
    """The submissions of a class and of other terms, and what is alike.

    `gone` and `changed` are the submissions whose sources were not found, or not as they were graded. `unusable` are
    programs that cannot be compared, each after its submission.
    """

    lab_title: str
    submissions: tuple[ComparedSubmission, ...]
    similarities: Similarities
    gone: tuple[str, ...] = ()
    changed: tuple[str, ...] = ()
    unusable: tuple[str, ...] = ()

    @property
    def of_class(self) -> int:
        """The number of submissions of the class itself."""
        return sum(not one.term for one in self.submissions)


@dataclass
class _Pairs:
    by_ends: dict[tuple[int, int], list[SimilarProgram]] = field(default_factory=dict)
    comparable: set[int] = field(default_factory=set)


def similarities(
    submissions: Sequence[ComparedSubmission], known: Mapping[str, Sequence[TokenizedProgram]]
) -> Similarities:
    """Compare all submissions of a class with each other, and with those of other terms.

    `known` has, by program, what everybody was given.
    """
    found = _Pairs()
    names = dict.fromkeys(program for submission in submissions for program in submission.programs)
    for program in names:
        _compare(program, submissions, known.get(program, ()), found)
    pairs = [
        SimilarPair(*ends, tuple(sorted(alike, key=lambda one: -one.match.similarity)))
        for ends, alike in found.by_ends.items()
    ]
    pairs.sort(key=lambda pair: (-pair.similarity, -pair.shared, pair.left, pair.right))
    too_little = (
        number
        for number, submission in enumerate(submissions)
        if not submission.term and number not in found.comparable
    )
    return Similarities(tuple(pairs[:MAX_PAIRS]), len(pairs), _groups(pairs), tuple(too_little))


def _compare(
    program: str, submissions: Sequence[ComparedSubmission], known: Sequence[TokenizedProgram], found: _Pairs
) -> None:
    numbers: dict[str, int] = {}
    # Copies of one program are compared once: a class may consist of them.
    copies: dict[Kinds, list[int]] = {}
    for number, submission in enumerate(submissions):
        if program in submission.programs:
            copies.setdefault(_kinds(submission.programs[program], numbers), []).append(number)
    different = [*copies]
    programs = ComparablePrograms(different, [_kinds(one, numbers) for one in known])
    of_class = [at for at, kinds in enumerate(different) if not submissions[copies[kinds][0]].term]
    for at in of_class:
        first, *others = copies[different[at]]
        if programs.own(at) >= MIN_SHARED:
            found.comparable.update(copies[different[at]])
            alike = SimilarProgram(program, programs.match(at, at), identical=True)
            for other in others:
                found.by_ends.setdefault((first, other), []).append(alike)
    for match in programs.matches(of_class, AT_LEAST, MIN_SHARED):
        ends = copies[different[match.left]][0], copies[different[match.right]][0]
        found.by_ends.setdefault(ends, []).append(SimilarProgram(program, match, identical=False))


def _kinds(program: TokenizedProgram, numbers: dict[str, int]) -> Kinds:
    return tuple(numbers.setdefault(token.kind, len(numbers)) for token in program.tokens)


def _groups(pairs: Sequence[SimilarPair]) -> tuple[tuple[int, ...], ...]:
    """Return the submissions that pairs connect, if there are more than two."""
    group_of: dict[int, set[int]] = {}
    for pair in pairs:
        joined = group_of.get(pair.left, {pair.left}) | group_of.get(pair.right, {pair.right})
        for number in joined:
            group_of[number] = joined
    groups = {min(group): tuple(sorted(group)) for group in group_of.values()}
    large = (group for group in groups.values() if len(group) > 2)  # noqa: PLR2004 - two are a pair
    return tuple(sorted(large, key=lambda group: (-len(group), group)))
