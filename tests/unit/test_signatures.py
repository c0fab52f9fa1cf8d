"""The signatures that come with the grader, and what they tell apart."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest

from grader.diagnose.match import match
from grader.grading.known_bugs import shipped, signatures_key
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.model.mutant import Mutant
from grader.model.signature import Traits, check_of, facet, is_unseen
from grader.resources import resource

SPEC = read_spec(resource("specs", "tr2.yaml"))
MUTANTS = read_mutants(SPEC)
SIGNATURES = shipped(SPEC, signatures_key(SPEC, MUTANTS))
TRAITS: Mapping[str, Mapping[str, Traits]] = SIGNATURES.traits if SIGNATURES else {}
PAIRS = [
    (program, one, two)
    for program, known in TRAITS.items()
    for one, two in combinations(known, 2)
    if not {check_of(name) for name in known[one]} & {check_of(name) for name in known[two]}
]


def shown(traits: Traits) -> Traits:
    """What a submission with this bug shows, full size included."""
    return {
        (facet(check_of(name), "full-size") if is_unseen(name) else name): ("seen" if is_unseen(name) else trait)
        for name, trait in traits.items()
    }


def test_they_are_of_this_spec_and_these_mutants() -> None:
    assert SIGNATURES is not None, "the spec or a mutant has changed: run make signatures"
    assert {(mutant.name, program) for mutant in MUTANTS for program in mutant.sources} == {
        (name, program) for program, known in TRAITS.items() for name in known
    }


@pytest.mark.parametrize("mutant", MUTANTS, ids=lambda mutant: mutant.name)
def test_they_show_the_checks_that_the_mutant_fails(mutant: Mutant) -> None:
    for program, checks in mutant.fails.items():
        assert {check_of(name) for name in TRAITS[program][mutant.name]} == checks


@pytest.mark.parametrize(
    ("program", "name"), [(program, name) for program, known in TRAITS.items() for name in known]
)
def test_each_mutant_is_found_as_itself(program: str, name: str) -> None:
    found = match(shown(TRAITS[program][name]), (), TRAITS[program])
    assert found is not None
    assert (found.bugs, found.certain) == ((name,), {name})
    assert found.facets[name] == set(shown(TRAITS[program][name]))


def test_pairs_that_touch_different_checks_are_found_as_the_pair() -> None:
    assert len(PAIRS) > 500
    for program, one, two in PAIRS:
        known = TRAITS[program]
        both = {**shown(known[one]), **shown(known[two])}
        found = match(both, (), known)
        assert found is not None, (program, one, two)
        # Who copies nothing and refuses without a word does what one who has not begun does.
        same = {name for name, traits in known.items() if shown(traits) == both}
        assert set(found.bugs) == found.certain == (same or {one, two})
        assert same <= {"not-begun"}
