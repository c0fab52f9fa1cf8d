from __future__ import annotations

import pytest

from grader.model.counted import in_cases, listed_up_to


@pytest.mark.parametrize(
    ("names", "noun", "words"),
    [
        ("ab", "", "a, b"),
        ("abc", "", "a, b and 1 more"),
        ("abcd", "check", "a, b and 2 more checks"),
        ("abc", "check", "a, b and 1 more check"),
        ("", "", ""),
    ],
)
def test_a_long_list_ends_with_the_number_of_the_others(names: str, noun: str, words: str) -> None:
    assert listed_up_to(2, list(names), noun) == words


def test_the_cases_of_a_sentence_are_counted_and_the_first_named() -> None:
    assert in_cases(2, ["a"]) == "in the case a"
    assert in_cases(2, ["a", "b"]) == "in 2 cases (a, b)"
    assert in_cases(2, {"a": 1, "b": 2, "c": 3}) == "in 3 cases (a, b and 1 more)"
