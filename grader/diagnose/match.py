"""Which known bugs explain how a program deviates.

A bug whose mutant deviates where the program does not is contradicted, and never named. Of the others the smallest
set is taken that leaves the least unexplained. A facet is explained where the program deviates exactly as one of the
set does; where two of the set deviate, as what comes of both is neither's; and where no more is known of a mutant
than that it fails the check.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.model.signature import Traits, check_of, is_unseen

LARGEST_SET = 3
"""Of more bugs in one program each hides the others."""


@dataclass(frozen=True)
class Match:
    """A set of bugs, and the facets that each of them accounts for; `certain` are those that show exactly."""

    bugs: tuple[str, ...]
    facets: Mapping[str, frozenset[str]]
    certain: frozenset[str]


def match(seen: Traits, undecided: Collection[str], known: Mapping[str, Traits]) -> Match | None:
    """Find the bugs behind the traits of a program, None where none explains anything.

    `undecided` are checks of which nothing is known here, and which contradict nothing. `known` are the mutants'
    traits by name.
    """
    candidates = {name: traits for name, traits in known.items() if not _contradicted(traits, seen, undecided)}
    sets = [_Set(names, seen, candidates) for names in _possible(seen, candidates)]
    if sets:
        return min(sets, key=lambda one: one.rank).match()
    return _likely(seen, candidates)


def _contradicted(traits: Traits, seen: Traits, undecided: Collection[str]) -> bool:
    failed = {check_of(name) for name in seen}
    return any(
        check_of(name) not in failed if is_unseen(name) else name not in seen
        for name in traits
        if check_of(name) not in undecided
    )


def _exact(traits: Traits, seen: Traits) -> frozenset[str]:
    return frozenset(name for name, trait in traits.items() if seen.get(name) == trait)


def _possible(seen: Traits, candidates: Mapping[str, Traits]) -> Iterator[tuple[str, ...]]:
    """Yield sets worth a look: each bug shows somewhere as itself, or is what spoils another's traits."""
    shown = [name for name, traits in candidates.items() if _exact(traits, seen)]
    for size in range(1, LARGEST_SET + 1):
        yield from combinations(shown, size)
    for name in shown:
        spoilt = frozenset(one for one in candidates[name] if one in seen) - _exact(candidates[name], seen)
        for other, traits in candidates.items():
            if spoilt and other not in shown and frozenset(one for one in traits if not is_unseen(one)) == spoilt:
                yield name, other


class _Set:
    """A set of bugs, held against what was seen."""

    def __init__(self, names: Sequence[str], seen: Traits, candidates: Mapping[str, Traits]) -> None:
        self._names = tuple(names)
        self._exact = {name: _exact(candidates[name], seen) for name in names}
        exact = frozenset().union(*self._exact.values())
        self._facets = {name: self._exact[name] | _shared(name, names, seen, candidates, exact) for name in names}
        self._own = {name: frozenset(one for one in candidates[name] if one in seen) for name in names}
        explained = frozenset().union(*self._facets.values())
        # Where a bug changes something and yet the program does exactly what another bug alone does.
        overruled = sum(len(self._own[name] & exact - self._exact[name]) for name in names)
        # Fewest left unexplained, fewest bugs, the least that speaks against one, the most that speaks for it.
        self.rank = (len(seen) - len(explained), len(names), overruled, -len(exact), self._names)

    def match(self) -> Match:
        certain = {name for name in self._names if self._exact[name] and self._own[name] <= self._facets[name]}
        return Match(self._names, self._facets, frozenset(certain))


def _shared(
    name: str, names: Sequence[str], seen: Traits, candidates: Mapping[str, Traits], exact: frozenset[str]
) -> frozenset[str]:
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


def _likely(seen: Traits, candidates: Mapping[str, Traits]) -> Match | None:
    """Fall back on the one bug that changes just these facets, though in another way."""
    same = [
        name
        for name, traits in candidates.items()
        if {check_of(one) for one in traits} == {check_of(one) for one in seen}
        and {one for one in traits if not is_unseen(one)} == {one for one in seen if not _only_unseen(one, traits)}
    ]
    if len(same) != 1:
        return None
    return Match((same[0],), {same[0]: frozenset(seen)}, frozenset())


def _only_unseen(name: str, traits: Traits) -> bool:
    return name not in traits and f"{check_of(name)}/*" in traits
