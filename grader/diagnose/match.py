"""Find the known bugs that explain how a program deviates.

A bug is contradicted, and never named, if its mutant deviates in a facet in which the program does not. A bug is not
named either if the program resembles its mutant in less than half of what the bug changes, or only in kind: crashing,
refusing, writing nothing, not ending. Of the sets of the remaining bugs, the smallest of those that leave the fewest
facets unexplained is chosen. A set explains a facet in three cases:

- the program deviates exactly as one mutant of the set does;
- two mutants of the set deviate in it, because the effect of both bugs together differs from that of each;
- one mutant of the set is only known to fail the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from grader.diagnose.traits import kind_of
from grader.model.signature import Traits, check_of, is_unseen

LARGEST_SET = 3
"""Most bugs to look for in one program: if there are more, each hides the others."""

Facets = frozenset[str]


@dataclass(frozen=True)
class Match:
    """A set of bugs, and the facets that each explains. `certain`: the program shows everything that these change."""

    bugs: tuple[str, ...]
    facets: Mapping[str, Facets]
    certain: Facets


def match(seen: Traits, undecided: Collection[str], known: Mapping[str, Traits]) -> Match | None:
    """Find the bugs that cause the traits of a program; None if no known bug explains any.

    `undecided` are the checks without a verdict, which contradict no bug. `known` has the traits of each mutant by
    its name.
    """
    candidates = {name: traits for name, traits in known.items() if not _contradicted(traits, seen, undecided)}
    sets = [_BugSet(names, seen, candidates) for names in _candidate_sets(seen, candidates)]
    credible = [candidate for candidate in sets if candidate.is_credible]
    return min(credible, key=lambda candidate: candidate.rank).match() if credible else None


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


def _resembles(traits: Traits, seen: Traits) -> bool:
    """Return whether the program equals the mutant in at least half of what the bug changes, and not only in kind."""
    measured, exact = _measured(traits, seen), _exact(traits, seen)
    specific = {name for name in exact if kind_of(traits[name]) is None}
    return len(exact) * 2 >= len(measured) and bool(specific or (exact and exact == measured))


def _candidate_sets(seen: Traits, candidates: Mapping[str, Traits]) -> Iterator[tuple[str, ...]]:
    """Yield sets in which each bug shows, or deviates in exactly the facets that keep another bug from matching."""
    shown = [name for name, traits in candidates.items() if _resembles(traits, seen)]
    for size in range(1, LARGEST_SET + 1):
        yield from combinations(shown, size)
    for name in shown:
        mismatched = _measured(candidates[name], seen) - _exact(candidates[name], seen)
        for other, traits in candidates.items():
            if mismatched and other not in shown and _measured(traits, seen) == mismatched:
                yield name, other


class _BugSet:
    """A set of bugs, compared with the traits of a program."""

    def __init__(self, names: Sequence[str], seen: Traits, candidates: Mapping[str, Traits]) -> None:
        self._names = tuple(names)
        self._seen = seen
        self._measured = {name: _measured(candidates[name], seen) for name in names}
        self._exact = {name: _exact(candidates[name], seen) for name in names}
        exact: Facets = frozenset().union(*self._exact.values())
        self._facets = {
            name: self._exact[name] | _explained_indirectly(name, names, seen, candidates, exact) for name in names
        }
        self._explained: Facets = frozenset().union(*self._facets.values())
        # Facets that a bug changes, in which the program nevertheless does exactly what another bug does alone.
        overruled = sum(len(self._measured[name] & exact - self._exact[name]) for name in names)
        # Fewest facets unexplained, then fewest bugs, least against the set, most for it.
        self.rank = (len(seen) - len(self._explained), len(names), overruled, -len(exact), self._names)

    @property
    def is_credible(self) -> bool:
        """Whether the unexplained facets do not suggest another reason for the explained ones.

        A program that crashes in every case does so for another reason than a mutant that crashes in one case. The
        same is true of a program that fails a check in many cases if the mutant fails it in few.
        """
        unexplained = [name for name in self._seen if name not in self._explained]
        kinds = {kind_of(self._seen[name]) for name in unexplained} - {None}
        exact = [name for names in self._exact.values() for name in names]
        explained_counts = Counter(check_of(name) for name in self._explained)
        unexplained_counts = Counter(map(check_of, unexplained))
        return not any(kind_of(self._seen[name]) in kinds for name in exact) and all(
            explained_counts[check] >= unexplained_counts[check] for check in {check_of(name) for name in exact}
        )

    def match(self) -> Match:
        certain = frozenset(name for name in self._names if self._measured[name] <= self._exact[name])
        return Match(self._names, self._facets, certain)


def _explained_indirectly(
    name: str, names: Sequence[str], seen: Traits, candidates: Mapping[str, Traits], exact: Facets
) -> Facets:
    """Return the facets that a bug explains without an exact match: together with another bug, or unmeasured."""
    unseen = {check_of(facet) for facet in candidates[name] if is_unseen(facet)}
    others = [other for other in names if other != name]
    return frozenset(
        facet
        for facet in seen
        if facet not in exact
        and (
            check_of(facet) in unseen
            or (facet in candidates[name] and any(_deviates(candidates[other], facet) for other in others))
        )
    )


def _deviates(traits: Traits, name: str) -> bool:
    return name in traits or f"{check_of(name)}/*" in traits
