from __future__ import annotations

import pytest

from grader.model.counted import listed_up_to


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
