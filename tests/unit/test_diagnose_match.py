from __future__ import annotations

import pytest

from grader.diagnose.match import match

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
