"""The signatures that come with the grader, and what they tell apart."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import combinations

import pytest

from grader.diagnose.bugs.match import match
from grader.grading.known_bugs import shipped, signatures_key
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.model.signature import Traits, bug_of, check_of_facet, facet, form_of, is_unseen
from grader.resources import resource

SPEC = read_spec(resource("specs", "tr2.yaml"))
MUTANTS = read_mutants(SPEC, find_lab("tr2").mutants)
SIGNATURES = shipped(find_lab("tr2").signatures, signatures_key(SPEC, MUTANTS))
TRAITS: Mapping[str, Mapping[str, Traits]] = SIGNATURES.traits if SIGNATURES else {}
PAIRS = [
    (program, one, two)
    for program, known in TRAITS.items()
    for one, two in combinations(known, 2)
    if bug_of(one) != bug_of(two)
    and not {check_of_facet(name) for name in known[one]} & {check_of_facet(name) for name in known[two]}
]
ALSO_TRUE = {
    "blocks-in-tr2u": {"block-reads-in-tr2u", "block-writes-in-tr2u"},
    "duplicates-compared-with-to": {"duplicates-not-checked"},
    "empty-main": {"copies-nothing", "silent-exit-0"},
    "fread-in-tr2u": {"block-reads-in-tr2u"},
    "getchar-in-tr2u": {"block-reads-in-tr2u"},
    "message-on-stdout": {"usage-on-stdout"},
    "not-begun": {"copies-nothing", "no-message"},
    "one-comparison-per-byte": {"empty-operands-hang"},
    # With ranges, the operands in brackets differ in length and are refused.
    "range-expanded": {"brackets-expanded"},
    "unbuffered-with-setvbuf": {"flush-after-every-byte", "read-write-in-tr2b"},
}
"""Bugs whose titles are true of every program with the first bug too."""

FORMS = [(program, name) for program, known in TRAITS.items() for name in known]


def shown(traits: Traits) -> Traits:
    """What a submission with this bug shows, full size included."""
    return {
        **{name: trait for name, trait in traits.items() if not is_unseen(name)},
        **{facet(check_of_facet(name), "full-size"): "seen" for name in traits if is_unseen(name)},
    }


def test_they_are_of_this_spec_and_these_mutants() -> None:
    assert SIGNATURES is not None, "the spec or a mutant has changed: run make signatures"
    expected = {(program, mutant.name) for mutant in MUTANTS for program in mutant.sources}
    variants = {(one.program, form_of(mutant.name, one.name)) for mutant in MUTANTS for one in mutant.variants}
    alone = {
        (program, form_of(mutant.name, check))
        for mutant in MUTANTS
        for program, checks in mutant.alone.items()
        for check in checks
    }
    assert set(FORMS) == expected | variants | alone
    assert variants
    assert alone


def test_they_show_the_checks_that_a_mutant_fails() -> None:
    for mutant in MUTANTS:
        fails = {(program, mutant.name): checks for program, checks in mutant.fails.items()}
        fails.update({(one.program, form_of(mutant.name, one.name)): one.fails for one in mutant.variants})
        for (program, name), checks in fails.items():
            assert {check_of_facet(facet) for facet in TRAITS[program][name]} == checks, (program, name)
        for program, checks in mutant.alone.items():
            for check in checks:
                traits = TRAITS[program][form_of(mutant.name, check)]
                whole = TRAITS[program][mutant.name]
                expected = {name: trait for name, trait in whole.items() if check_of_facet(name) == check}
                assert traits == expected != {}, (program, mutant.name)


def test_each_form_is_found_as_its_bug() -> None:
    for program, name in FORMS:
        found = match(shown(TRAITS[program][name]), (), TRAITS[program])
        assert found is not None, (program, name)
        assert (found.bugs, found.certain) == ((bug_of(name),), {bug_of(name)}), (program, name)
        assert found.facets[bug_of(name)] == set(shown(TRAITS[program][name])), (program, name)


def test_an_unknown_bug_is_not_taken_for_another() -> None:
    """Without the bug that a program has, no other is certain, unless its title is true of the program too."""
    for program, name in FORMS:
        others = {one: traits for one, traits in TRAITS[program].items() if bug_of(one) != bug_of(name)}
        found = match(shown(TRAITS[program][name]), (), others)
        also_true = ALSO_TRUE.get(bug_of(name), set())
        assert (found.certain if found else frozenset()) <= also_true, (program, name)


@pytest.mark.slow
def test_pairs_that_touch_different_checks_are_found_as_the_pair() -> None:
    assert len(PAIRS) > 500
    shows = {program: {name: shown(traits) for name, traits in known.items()} for program, known in TRAITS.items()}
    for program, one, two in PAIRS:
        known = TRAITS[program]
        both = {**shows[program][one], **shows[program][two]}
        found = match(both, (), known)
        assert found is not None, (program, one, two)
        # Some pairs do the same as a single bug: one that copies nothing and refuses without a word has not begun.
        same = {bug_of(name) for name, traits in shows[program].items() if traits == both}
        assert set(found.bugs) == found.certain == (same or {bug_of(one), bug_of(two)}), (program, one, two)
