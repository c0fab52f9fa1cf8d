from __future__ import annotations

import pytest

from grader.diagnose.bugs.match import match
from grader.diagnose.bugs.traits import family_of, surplus_of

KNOWN = {
    "high": {"byte-high/a": "1", "byte-high/b": "2"},
    "far": {"error/far": "accepted", "error/high": "accepted"},
    "all": {"error/near": "accepted", "error/far": "accepted", "error/high": "accepted"},
    "stops": {"byte-ff/inside": "cut", "random/*": "*"},
    "newline": {"text/x": "x+", "byte-ff/inside": "ff+", "random/*": "*", "pattern/*": "*"},
    "blocks": {"syscalls/": "file stdin fewer"},
}


def bugs(seen: dict[str, str], *undecided: str) -> tuple[str, ...] | None:
    found = match(seen, undecided, KNOWN)
    return found.bugs if found else None


def test_one_bug_that_explains_all_is_named() -> None:
    found = match(KNOWN["high"], (), KNOWN)
    assert found is not None
    assert (found.bugs, found.certain) == (("high",), {"high"})


def test_one_that_explains_all_beats_two() -> None:
    assert bugs(KNOWN["all"]) == ("all",)


def test_two_that_explain_all_beat_one_that_explains_some() -> None:
    assert bugs({**KNOWN["high"], **KNOWN["blocks"]}) == ("high", "blocks")


def test_what_the_program_does_right_contradicts_a_bug() -> None:
    assert bugs({"byte-high/a": "1"}) is None
    assert bugs({"error/far": "accepted"}) is None
    # With nothing known of large inputs but that one check failed, the other still has to.
    assert bugs({"byte-ff/inside": "cut"}) is None


def test_what_was_not_decided_contradicts_nothing() -> None:
    assert bugs({"byte-ff/inside": "cut"}, "random") == ("stops",)


def test_large_inputs_are_explained_by_the_check_alone() -> None:
    found = match({"byte-ff/inside": "cut", "random/random-5m": "whatever"}, (), KNOWN)
    assert found is not None
    assert (found.bugs, found.certain) == (("stops",), {"stops"})
    assert found.facets["stops"] == {"byte-ff/inside", "random/random-5m"}


def test_what_is_left_unexplained_keeps_no_bug_from_being_named() -> None:
    found = match({**KNOWN["high"], "text/y": "strange"}, (), KNOWN)
    assert found is not None
    assert (found.bugs, found.certain) == (("high",), {"high"})
    assert "text/y" not in found.facets["high"]


def test_where_two_deviate_what_comes_of_both_is_neither_s() -> None:
    seen = {"text/x": "x+", "byte-ff/inside": "cut and +", "random/r": "?", "pattern/p": "?"}
    found = match(seen, (), KNOWN)
    assert found is not None
    assert set(found.bugs) == {"newline", "stops"}
    # Neither shows everywhere as itself.
    assert found.certain == frozenset()
    assert "byte-ff/inside" in found.facets["stops"]


def test_the_same_cases_in_another_way_are_no_evidence() -> None:
    assert bugs({"byte-high/a": "7", "byte-high/b": "8"}) is None


WAYS = ["crashed 11 silent", "endless", "flood", "refused", "exited nothing", "starved", "output"]


@pytest.mark.parametrize("way", WAYS)
def test_a_way_to_fail_that_many_bugs_have_is_explained_everywhere_or_nowhere(way: str) -> None:
    known = {"missing": {"error/none": way, "error/one": way}}
    assert match(known["missing"], (), known) is not None
    assert match({**known["missing"], "text/x": "its own"}, (), known) is not None
    assert match({**known["missing"], "text/x": way}, (), known) is None


@pytest.mark.parametrize("way", WAYS)
def test_a_bug_is_not_known_by_such_a_way_alone(way: str) -> None:
    known = {"ends": {"text/x": "x+", "text/y": "y+", "terminal/": way}}
    assert match({"text/x": "other", "text/y": "other", "terminal/": way}, (), known) is None
    assert match({"text/x": "x+", "text/y": "other", "terminal/": way}, (), known) is not None


def test_a_bug_that_shows_in_less_than_half_of_what_it_changes_is_not_named() -> None:
    known = {"ends": {"text/a": "1", "text/b": "2", "text/c": "3"}}
    assert match({"text/a": "1", "text/b": "x", "text/c": "x"}, (), known) is None
    assert match({"text/a": "1", "text/b": "2", "text/c": "x"}, (), known) is not None


def test_what_resembles_two_bugs_alike_is_neither() -> None:
    known = {"one": {"text/x": "1"}, "two": {"text/x": "2"}}
    assert match({"text/x": "3"}, (), known) is None


def test_a_bug_that_shows_partly_in_its_own_way_is_likely() -> None:
    found = match({"byte-high/a": "1", "byte-high/b": "other"}, (), KNOWN)
    assert found is not None
    assert (found.bugs, found.certain) == (("high",), frozenset())
    assert found.facets["high"] == {"byte-high/a"}


@pytest.mark.parametrize("seen", [{"text/unheard-of": "x"}, {"build/": "failed"}])
def test_what_nothing_known_does_has_no_cause(seen: dict[str, str]) -> None:
    assert bugs(seen) is None


def test_a_bug_that_explains_little_of_a_check_is_not_named() -> None:
    known = {"same-to": {"error/same-to": "accepted"}}
    seen = {"error/same-to": "accepted", "error/far": "accepted", "error/last": "accepted"}
    assert match(seen, (), known) is None
    assert match({**known["same-to"], "text/x": "1", "text/y": "1"}, (), known) is not None


def test_what_earns_no_points_does_not_hide_a_bug() -> None:
    endless = {"text/a": "flood", "text/b": "flood", "silent/two": "flood"}
    known = {"endless": {"text/a": "flood", "text/b": "flood", "silent/none": "flood"}}
    assert match(endless, (), known) is None, "nothing in silent/none, and another flood in the same check"
    found = match(endless, ("silent",), known)
    assert found is not None
    assert (found.bugs, found.certain, found.whole) == (("endless",), {"endless"}, {"text"})


FORMS = {
    "stdout": {"length/a": "message", "double/b": "message", "missing/c": "message"},
    "stdout.length": {"length/a": "message"},
    "stdout.double": {"double/b": "message"},
    "crash": {"missing/none": "crashed 11", "missing/one": "crashed 11"},
    "crash.one": {"missing/one": "crashed 11"},
}


def test_forms_of_a_bug_are_named_as_the_bug() -> None:
    found = match({"length/a": "message", "double/b": "message"}, (), FORMS)
    assert found is not None
    assert (found.bugs, found.certain, found.whole) == (("stdout",), {"stdout"}, {"length", "double"})
    assert found.facets["stdout"] == {"length/a", "double/b"}
    found = match({"missing/one": "crashed 11"}, (), FORMS)
    assert found is not None
    assert (found.bugs, found.certain) == (("crash",), {"crash"})


def test_four_bugs_are_named_together() -> None:
    known = {f"bug-{number}": {f"check-{number}/x": str(number)} for number in range(5)}
    four = dict(list(known.items())[:4])
    found = match({name: trait for traits in four.values() for name, trait in traits.items()}, (), known)
    assert found is not None
    assert set(found.bugs) == found.certain == set(four)


def test_an_exact_bug_is_preferred_to_a_vague_pair() -> None:
    known = {
        "exact": {"text/a": "1", "text/b": "2", "text/c": "3"},
        "vague": {"text/a": "1", "text/d": "x"},
        "unclear": {"text/b": "2", "text/d": "y"},
    }
    seen = {"text/a": "1", "text/b": "2", "text/c": "3", "text/d": "of its own"}
    assert match(seen, (), known) == match(seen, (), {"exact": known["exact"]})


def test_what_another_bug_replaces_does_not_make_a_bug_doubtful() -> None:
    known = {"message": {"length/a": "m", "double/b": "m", "double/c": "m"}, "accepts": {"double/c": "copy"}}
    found = match({"length/a": "m", "double/b": "m", "double/c": "copy"}, (), known)
    assert found is not None
    assert found.certain == {"message", "accepts"}


def test_bugs_that_replace_each_other_are_not_certain() -> None:
    known = {"one": {"text/a": "1", "text/b": "1"}, "two": {"text/a": "2", "text/b": "2"}}
    found = match({"text/a": "1", "text/b": "2"}, (), known)
    assert found is not None
    assert found.certain == frozenset()


def test_halves_of_a_check_may_be_one_unknown_bug() -> None:
    known = {"first": {"error/a": "copy"}, "last": {"error/b": "copy"}}
    found = match({"error/a": "copy", "error/b": "copy"}, (), known)
    assert found is not None
    assert (set(found.bugs), found.certain) == ({"first", "last"}, frozenset())


def test_a_bug_that_loses_bytes_is_not_named_if_bytes_are_lost_elsewhere() -> None:
    known = {"drops": {"ff/a": "exited shorter 1 aa"}}
    assert match({"ff/a": "exited shorter 1 aa"}, (), known) is not None
    assert match({"ff/a": "exited shorter 1 aa", "text/b": "exited bb"}, (), known) is not None
    assert match({"ff/a": "exited shorter 1 aa", "text/b": "exited shorter 7 bb"}, (), known) is None


def test_who_ends_with_success_has_perhaps_not_noticed_the_error() -> None:
    known = {
        "silent": {"error/a": "exited success silent nothing"},
        "talks": {"error/a": "exited success silent message"},
    }
    for trait, elsewhere in (("nothing", "exited nothing"), ("message", "exited longer 9 aa")):
        seen = {"error/a": f"exited success silent {trait}"}
        assert match(seen, (), known) is not None
        assert match({**seen, "text/b": elsewhere}, (), known) is None


def test_a_bug_that_calls_what_the_program_does_not_call_is_not_named() -> None:
    known = {"bug": {"calls/": "calls read; lacks getchar", "terminal/": "terminal stdout fewer"}}
    for calls, expected in (
        ("calls ; lacks getchar putchar", None),
        ("calls read; lacks ", None),
        ("calls read write; lacks getchar putchar", ("bug",)),
    ):
        found = match({"calls/": calls, "terminal/": "terminal stdout fewer"}, (), known)
        assert (found and found.bugs) == expected


def test_a_crash_without_points_makes_a_bug_that_crashes_doubtful() -> None:
    seen = {"missing/one": "crashed 11", "silent/three": "crashed 11"}
    found = match(seen, ("silent",), FORMS)
    assert found is not None
    assert (found.bugs, found.certain) == (("crash",), frozenset())


HIDDEN = {
    "newline": {"text/x": "exited longer 1 aa", "ff/a": "exited longer 1 bb"},
    "stops": {"ff/a": "stopped at 255 shorter 4 cc"},
    "drops": {"ff/a": "exited shorter 1 dd"},
}


@pytest.mark.parametrize(
    ("trait", "hidden"), [("exited shorter 3 ee", "stops"), ("exited ee", "drops"), ("exited shorter 2 ee", None)]
)
def test_a_hidden_bug_must_fit_in_size(trait: str, hidden: str | None) -> None:
    found = match({"text/x": "exited longer 1 aa", "ff/a": trait}, (), HIDDEN)
    assert found is not None
    assert set(found.bugs) == {"newline", hidden} - {None}
    assert found.certain == frozenset()


def test_of_two_hidden_bugs_that_fit_neither_is_named() -> None:
    known = {**HIDDEN, "also-stops": {"ff/a": "stopped at 255 shorter 4 ff"}}
    found = match({"text/x": "exited longer 1 aa", "ff/a": "exited shorter 3 ee"}, (), known)
    assert found is not None
    assert found.bugs == ("newline",)


@pytest.mark.parametrize(
    ("trait", "surplus", "family"),
    [
        ("exited aa", 0, set()),
        ("exited unchanged", 0, {"exited unchanged"}),
        ("exited nothing", None, {"exited nothing"}),
        ("exited longer 2 aa", 2, {"longer"}),
        ("exited shorter 12 aa", -12, {"shorter"}),
        # Which byte it stops at is compared by itself.
        ("stopped at 255 shorter 4 aa", -4, set()),
        ("refused", None, {"refused"}),
        ("crashed 11 aa", None, {"crashed"}),
        ("exited failure silent message", None, set()),
        ("exited success silent message", None, {"shorter", "longer"}),
        ("exited success silent nothing", None, {"exited nothing"}),
    ],
)
def test_what_a_trait_says_about_size_and_kind(trait: str, surplus: int | None, family: set[str]) -> None:
    assert (surplus_of(trait), family_of(trait)) == (surplus, family)
