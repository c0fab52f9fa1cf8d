"""Find the known bugs that explain how a program deviates.

A bug may have several forms: variants, and checks that may fail alone. Each is compared by itself. A form is
contradicted, and never named, if it deviates in a facet in which the program does not, or calls a function that the
program does not call. It is not named either if the
program resembles it in less than half of what it changes, or only in kind: crashing, refusing, writing nothing, not
ending.

Of the sets of the remaining forms, the one that explains most facets exactly is chosen, then one that leaves fewest
unexplained, then one with the fewest bugs. A set explains a facet in three cases:

- the program deviates exactly as one form of the set does;
- two bugs of the set deviate in it, because the effect of both together differs from that of each;
- one form of the set is only known to fail the check.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

from grader.diagnose.bugs.traits import ABNORMAL, CRASHED, calls_all_of, family_of, kind_of, stop_of, surplus_of
from grader.model.signature import Traits, bug_of, check_of_facet, is_unseen

LARGEST_SET = 4
"""Most forms to look for in one program: real programs have up to four bugs that show."""

Facets = frozenset[str]


@dataclass(frozen=True)
class Match:
    """A set of bugs, the facets that each explains, and those in which the program does exactly what its mutant does.

    `certain`: the bugs of which everything that they change shows, or another bug instead that shows entirely.
    `whole`: the checks of which the set explains everything that was seen.
    """

    bugs: tuple[str, ...]
    facets: Mapping[str, Facets]
    exact: Mapping[str, Facets]
    certain: Facets
    whole: Facets


def match(seen: Traits, undecided: Collection[str], known: Mapping[str, Traits]) -> Match | None:
    """Find the bugs that cause the traits of a program; None if no known bug explains any.

    `undecided` are the checks without a verdict or without points, in which nothing contradicts a bug. `known` has
    the traits of each form of a bug by its name.
    """
    program = _Program(seen, frozenset(undecided))
    forms = [_Form(name, traits, program) for name, traits in known.items() if not program.contradicts(traits)]
    sets = [_FormSet(chosen, program) for chosen in _candidate_sets(forms, seen)]
    credible = [candidate for candidate in sets if candidate.is_credible]
    return min(credible, key=lambda candidate: candidate.rank).match() if credible else None


@dataclass(frozen=True)
class _Program:
    seen: Traits
    undecided: Facets

    @cached_property
    def decided(self) -> Facets:
        return frozenset(name for name in self.seen if check_of_facet(name) not in self.undecided)

    @cached_property
    def failed(self) -> Facets:
        return frozenset(map(check_of_facet, self.seen))

    def contradicts(self, traits: Traits) -> bool:
        return any(
            check_of_facet(name) not in self.failed
            if is_unseen(name)
            else name not in self.seen or not calls_all_of(self.seen[name], trait)
            for name, trait in traits.items()
            if check_of_facet(name) not in self.undecided
        )


class _Form:
    """A form of a bug, compared with a program: the facets that both change, and those in which they are equal."""

    def __init__(self, name: str, traits: Traits, program: _Program) -> None:
        self.name = name
        self.bug = bug_of(name)
        self.traits = traits
        self.measured = frozenset(name for name in traits if not is_unseen(name) and name in program.seen)
        self.exact = frozenset(name for name in self.measured if program.seen[name] == traits[name])
        self.unseen = frozenset(check_of_facet(name) for name in traits if is_unseen(name))

    @property
    def shows(self) -> bool:
        """Whether the program is equal in at least half of what the bug changes, and not only in kind."""
        specific = any(kind_of(self.traits[name]) is None for name in self.exact)
        return len(self.exact) * 2 >= len(self.measured) and (
            specific or bool(self.exact and self.exact == self.measured)
        )

    def changes(self, facet: str) -> bool:
        return facet in self.traits or check_of_facet(facet) in self.unseen


def _candidate_sets(forms: Sequence[_Form], seen: Traits) -> Iterator[tuple[_Form, ...]]:
    """Yield sets in which each form shows where no other does.

    One more may be hidden: a bug that changes all facets in which the others are not equal to the program, and shows
    in the rest of what it changes. The sizes of outputs must add up.
    """
    shown = [form for form in forms if form.shows]
    hidden = [form for form in forms if not form.shows and form.measured]
    for chosen in _sets_of(shown, (), frozenset()):
        yield chosen
        exact = _exact(chosen)
        mismatched = frozenset().union(*(form.measured for form in chosen)) - exact
        if mismatched and len(chosen) < LARGEST_SET:
            fitting = [
                form
                for form in hidden
                if form.measured - form.exact <= mismatched <= form.measured
                and all(_sizes_add_up(name, (*chosen, form), seen) for name in mismatched)
            ]
            # If several bugs fit, nothing tells which of them it is.
            if len({form.bug for form in fitting}) == 1:
                yield from ((*chosen, form) for form in fitting)


def _sizes_add_up(facet: str, forms: Iterable[_Form], seen: Traits) -> bool:
    """Return whether an output can have its size if each form takes away or adds as many bytes as it does alone."""
    surpluses = [surplus_of(form.traits[facet]) for form in forms if facet in form.traits]
    total = surplus_of(seen[facet])
    known = [surplus for surplus in surpluses if surplus is not None]
    return total is None or len(known) < len(surpluses) or sum(known) == total


def _sets_of(forms: Sequence[_Form], chosen: tuple[_Form, ...], exact: Facets) -> Iterator[tuple[_Form, ...]]:
    for index, form in enumerate(forms):
        if not form.exact <= exact:
            larger = (*chosen, form)
            if all(one.exact - _exact(other for other in larger if other is not one) for one in chosen):
                yield larger
                if len(larger) < LARGEST_SET:
                    yield from _sets_of(forms[index + 1 :], larger, exact | form.exact)


def _exact(forms: Iterable[_Form]) -> Facets:
    return frozenset().union(*(form.exact for form in forms))


class _FormSet:
    """A set of forms, compared with a program; only facets that are decided count against the set."""

    def __init__(self, forms: Sequence[_Form], program: _Program) -> None:
        self._forms = forms
        self._seen = program.seen
        self._exact = _exact(forms)
        self._facets = {form.name: form.exact | self._indirect(form) for form in forms}
        self._explained: Facets = frozenset().union(*self._facets.values())
        self._unexplained = program.decided - self._explained
        unseen = frozenset().union(*(form.unseen for form in forms))
        vague = {name for name in program.decided - self._exact if check_of_facet(name) not in unseen}
        # Facets that a bug changes, in which the program nevertheless does exactly what another bug does alone.
        overruled = sum(len(form.measured & self._exact - form.exact) for form in forms)
        # A facet counts once for each bug that explains it: of equals, the bugs that overlap least.
        overlap = sum(len(form.exact) for form in forms)
        names = tuple(form.name for form in forms)
        bugs = {form.bug for form in forms}
        # Facets that a bug changes, in which the program does what no bug does alone.
        unlike = len(frozenset().union(*(form.measured for form in forms)) - self._exact)
        unearned = len(self._seen.keys() - self._explained)
        self.rank = (
            len(vague),
            len(self._unexplained),
            len(bugs),
            unearned,
            overruled,
            unlike,
            overlap,
            len(names),
            names,
        )

    @property
    def is_credible(self) -> bool:
        """Whether the unexplained facets do not suggest another reason for the explained ones.

        A program that crashes in every case does so for another reason than a mutant that crashes in one case. The
        same is true of a program that fails a check in many cases if the mutant fails it in few, of one that stops at
        several bytes if the mutant stops at one, of one that loses or adds bytes in more cases than the mutant, and
        of one that does the same as the mutant in more cases of a check.
        """
        families = frozenset().union(*(family_of(self._seen[name]) for name in self._unexplained))
        exact = [name for form in self._forms for name in form.exact]
        stops = {stop_of(self._seen[name]) for name in exact} - {None}
        other_stops = {stop_of(self._seen[name]) for name in self._unexplained} - stops - {None}
        if len(stops) == 1 and other_stops:
            return False
        if self._alike(self._unexplained) & self._alike(exact):
            return False
        explained_counts = Counter(check_of_facet(name) for name in self._explained)
        unexplained_counts = Counter(map(check_of_facet, self._unexplained))
        return not any(family_of(self._seen[name]) & families for name in exact) and all(
            explained_counts[check] >= unexplained_counts[check] for check in {check_of_facet(name) for name in exact}
        )

    def match(self) -> Match:
        bugs = tuple(dict.fromkeys(form.bug for form in self._forms))
        facets: dict[str, Facets] = dict.fromkeys(bugs, frozenset())
        exact = dict(facets)
        for form in self._forms:
            facets[form.bug] |= self._facets[form.name]
            exact[form.bug] |= form.exact
        open_checks = {check_of_facet(name) for name in self._seen if name not in self._explained}
        whole = frozenset(map(check_of_facet, self._seen)) - open_checks
        return Match(bugs, facets, exact, self._certain(bugs), whole)

    def _certain(self, bugs: Iterable[str]) -> Facets:
        """Return the bugs of which everything shows, or is replaced by what another bug shows that shows entirely.

        A bug that crashes is not certain if the program also crashes where the bug does not, in a check without
        points. Two bugs are not certain if one check shows the same for both: a third may change all of it.
        """
        crashes_elsewhere = any(kind_of(self._seen[name]) == CRASHED for name in self._seen.keys() - self._explained)
        entire = frozenset(bugs) - {form.bug for form in self._forms if form.measured - form.exact}
        shown = _exact(form for form in self._forms if form.bug in entire)
        halves = {
            one.bug
            for one in self._forms
            for other in self._forms
            if one.bug != other.bug and self._alike(one.exact - other.exact) & self._alike(other.exact - one.exact)
        }
        return (
            frozenset(bugs)
            - halves
            - {
                form.bug
                for form in self._forms
                if not (form.shows and form.measured <= form.exact | shown)
                or (crashes_elsewhere and any(kind_of(form.traits[name]) == CRASHED for name in form.exact))
            }
        )

    def _alike(self, facets: Iterable[str]) -> frozenset[tuple[str, str]]:
        return frozenset((check_of_facet(name), self._seen[name]) for name in facets)

    def _indirect(self, form: _Form) -> Facets:
        """Return the facets that a bug explains without being equal: together with another bug, or unmeasured.

        Two bugs of programs that end by themselves do not make one that crashes.
        """
        others = [other for other in self._forms if other.bug != form.bug]
        return frozenset(
            facet
            for facet in self._seen
            if facet not in self._exact
            and (
                check_of_facet(facet) in form.unseen
                or (
                    kind_of(self._seen[facet]) not in ABNORMAL
                    and facet in form.traits
                    and any(other.changes(facet) for other in others)
                )
            )
        )
