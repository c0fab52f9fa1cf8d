"""Which known bugs explain how a program deviates.

A bug whose mutant deviates where the program does not is contradicted, and never named; nor is one that the program
resembles in little of what the bug changes, or only in kind: crashing, refusing, writing nothing, not ending. Of the
others the smallest set is taken that leaves the least unexplained. A facet is explained where the program deviates
exactly as one of the set does; where two of the set deviate, as what comes of both is neither's; and where no more is
known of a mutant than that it fails the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.diagnose.traits import kind_of
from grader.model.signature import Traits, check_of, is_unseen

LARGEST_SET = 3
"""Of more bugs in one program each hides the others."""

Facets = frozenset[str]


@dataclass(frozen=True)
class Match:
    """A set of bugs, and the facets that each of them accounts for; `certain` are those that show as themselves."""

    bugs: tuple[str, ...]
    facets: Mapping[str, Facets]
    certain: Facets


def match(seen: Traits, undecided: Collection[str], known: Mapping[str, Traits]) -> Match | None:
    """Find the bugs behind the traits of a program, None where none explains anything.

    `undecided` are checks of which nothing is known here, and which contradict nothing. `known` are the mutants'
    traits by name.
    """
    candidates = {name: traits for name, traits in known.items() if not _contradicted(traits, seen, undecided)}
    sets = [_Set(names, seen, candidates) for names in _possible(seen, candidates)]
    credible = [one for one in sets if one.is_credible]
    return min(credible, key=lambda one: one.rank).match() if credible else None


def _contradicted(traits: Traits, seen: Traits, undecided: Collection[str]) -> bool:
    failed = {check_of(name) for name in seen}
    return any(
        check_of(name) not in failed if is_unseen(name) else name not in seen
        for name in traits
        if check_of(name) not in undecided
    )


def _measured(traits: Traits, seen: Traits) -> Facets:
    return frozenset(name for name in traits if not is_unseen(name) and name in seen)


def _exact(traits: Traits, seen: Traits) -> Facets:
    return frozenset(name for name, trait in traits.items() if seen.get(name) == trait)


def _shows(traits: Traits, seen: Traits) -> bool:
    """Return whether the program is like the mutant in half or more of what the bug changes, and not only in kind."""
    measured, exact = _measured(traits, seen), _exact(traits, seen)
    own = {name for name in exact if kind_of(traits[name]) is None}
    return len(exact) * 2 >= len(measured) and bool(own or (exact and exact == measured))


def _possible(seen: Traits, candidates: Mapping[str, Traits]) -> Iterator[tuple[str, ...]]:
    """Yield sets worth a look: each bug shows as itself, or is just what keeps another from doing so."""
    shown = [name for name, traits in candidates.items() if _shows(traits, seen)]
    for size in range(1, LARGEST_SET + 1):
        yield from combinations(shown, size)
    for name in shown:
        spoilt = _measured(candidates[name], seen) - _exact(candidates[name], seen)
        for other, traits in candidates.items():
            if spoilt and other not in shown and _measured(traits, seen) == spoilt:
                yield name, other


class _Set:
    """A set of bugs, held against what was seen."""

    def __init__(self, names: Sequence[str], seen: Traits, candidates: Mapping[str, Traits]) -> None:
        self._names = tuple(names)
        self._seen = seen
        self._measured = {name: _measured(candidates[name], seen) for name in names}
        self._exact = {name: _exact(candidates[name], seen) for name in names}
        exact: Facets = frozenset().union(*self._exact.values())
        self._facets = {name: self._exact[name] | _shared(name, names, seen, candidates, exact) for name in names}
        self._explained: Facets = frozenset().union(*self._facets.values())
        # Where a bug changes something and yet the program does exactly what another bug alone does.
        overruled = sum(len(self._measured[name] & exact - self._exact[name]) for name in names)
        # Fewest left unexplained, fewest bugs, the least that speaks against one, the most that speaks for it.
        self.rank = (len(seen) - len(self._explained), len(names), overruled, -len(exact), self._names)

    @property
    def is_credible(self) -> bool:
        """Whether what is left unexplained does not point to another reason for what is explained.

        A program that crashes in every case has another reason for it than a mutant that crashes in one; and so has
        one that fails a check in many cases and the mutant in few of them.
        """
        left = [name for name in self._seen if name not in self._explained]
        kinds = {kind_of(self._seen[name]) for name in left} - {None}
        exact = [one for found in self._exact.values() for one in found]
        explained = Counter(check_of(name) for name in self._explained)
        unexplained = Counter(map(check_of, left))
        return not any(kind_of(self._seen[one]) in kinds for one in exact) and all(
            explained[check] >= unexplained[check] for check in {check_of(one) for one in exact}
        )

    def match(self) -> Match:
        certain = frozenset(name for name in self._names if self._measured[name] <= self._exact[name])
        return Match(self._names, self._facets, certain)


def _shared(name: str, names: Sequence[str], seen: Traits, candidates: Mapping[str, Traits], exact: Facets) -> Facets:
    """Return what a bug accounts for though it does not show exactly: with another bug, or unseen."""
    unseen = {check_of(one) for one in candidates[name] if is_unseen(one)}
    others = [other for other in names if other != name]
    return frozenset(
        one
        for one in seen
        if one not in exact
        and (
            check_of(one) in unseen
            or (one in candidates[name] and any(_deviates(candidates[other], one) for other in others))
        )
    )


def _deviates(traits: Traits, name: str) -> bool:
    return name in traits or f"{check_of(name)}/*" in traits
