"""A line that matches a pattern is found as `re` finds it, but in no more time if the text is chosen to take long."""

from __future__ import annotations

import random
import re

import pytest

from grader.judge.line_search import ALPHABET, TooManyCharactersError, has_line
from grader.model.spec.line_pattern import DIFFERENT_CHARACTERS, pattern_mistake

CHARACTERS = [
    *(
        "a",
        "b",
        "c",
        ".",
        "[ab]",
        "[^a]",
        r"\w",
        r"\d",
        r"\s",
        "é",
        r"\.",
        "{",
        "}",
        "]",
        "[]a]",
        "[^]a]",
        "-",
        " ",
        "0",
    ),
    *(r"\x61", r"[\]a-c]", r"\n", r"\\", r"\07", r"\u00e9", r"\N{DIGIT ZERO}", r"[a\\]"),
]
REPEATS = [
    *("", "", "", "*", "+", "?", "*?", "+?", "??", "{2}", "{1,3}", "{,2}", "{2,}", "{0}", "{,}", "{3,7}", "{5,5}?"),
    *("{x}", "{}"),
]
TEXT = "aabbc é0.{}]-\\ \r\t1"


def some_pattern(draw: random.Random, depth: int = 0) -> str:
    parts = []
    for _ in range(draw.randint(0, 4)):
        kind = draw.random()
        if kind < 0.2 and depth < 3:
            parts.append(draw.choice(["(", "(?:"]) + some_pattern(draw, depth + 1) + draw.choice([")", ")?", ")??"]))
        elif kind < 0.28:
            parts.append(draw.choice(["^", "$", r"\b", r"\A", r"\Z"]))
        elif kind < 0.36:
            parts.append("|")
        else:
            parts.append(draw.choice(CHARACTERS) + draw.choice(REPEATS))
    return "".join(parts)


def test_a_line_is_found_if_and_only_if_re_finds_it() -> None:
    draw = random.Random(7)  # noqa: S311  # the same patterns in each run
    searched = found = 0
    while searched < 2500:
        pattern = some_pattern(draw)
        if pattern_mistake(pattern) is not None:
            continue
        lines = ["".join(draw.choices(TEXT, k=draw.randint(0, 9))) for _ in range(draw.randint(1, 4))]
        expected = any(re.fullmatch(pattern, line) for line in lines)
        text = "\n".join([*lines, ""])
        assert has_line(pattern, text) is expected, (pattern, text)
        searched += 1
        found += expected
    assert searched // 10 < found < searched * 9 // 10


@pytest.mark.parametrize(
    ("pattern", "text", "is_found"),
    [
        ("usage: .*", f"usage: {'x' * 10_000}", True),
        ("a{3000}b?", "a" * 3000, True),
        ("a{3000}", "a" * 3001, False),
        ("a{,3000}", "a" * 3001, False),
        ("a{2999,3001}", "a" * 3001, True),
        ("a{0,4294967294}", "aaa", True),
        ("a{4294967294}", "aaa", False),
        ("one.*two", "one\ntwo", False),
        ("one[^x]two", "one\ntwo", False),
        (".*", "", True),
        ("x*", "a\n\nb", True),
        (r"\Boo", "foo\n", False),
        (r"f\Boo", "foo\n", True),
        ("one", "one\r\n", False),
        ("one|", "two", False),
        ("(" * 60 + "a" + ")?" * 60, "a", True),
        ("naïve", "naïve", True),
        ("[0-9]+ [0-9]+ [0-9]+ [a-z]+ (?:ok|done)?", "1 23 456 words ", True),
    ],
)
def test_lines_of_any_length_and_repeats_of_any_number_are_searched(
    pattern: str, text: str, *, is_found: bool
) -> None:
    assert pattern_mistake(pattern) is None
    assert has_line(pattern, text) is is_found


@pytest.mark.timeout(60)
@pytest.mark.parametrize(
    "pattern",
    ["[a-z ]+[a-z]+[a-z ]+: x", "a?" * 30 + ".*.*.*x", "a*" * 199 + "b", "(?:a|aa)?" * 40 + "b", "(a|a)" * 70 + "b"],
)
def test_no_text_takes_long(pattern: str) -> None:
    # With `re`, these take from seconds to years.
    assert pattern_mistake(pattern) is None
    assert not has_line(pattern, ("a" * 199 + "\n") * 1300)
    assert not has_line(pattern, "a" * 262_144)


def test_a_text_of_too_many_different_characters_is_not_searched() -> None:
    text = "".join(chr(0x4E00 + number) for number in range(ALPHABET))
    assert has_line(".*", text[1:])
    with pytest.raises(TooManyCharactersError):
        has_line(".*", text)


def test_a_pattern_that_tells_too_many_characters_apart_is_not_searched_for() -> None:
    # Bit i of a character's number says whether it is in class i, so that no two are in the same classes.
    characters = [chr(0x4E00 + number) for number in range(257)]
    classes = ["".join(characters[number] for number in range(257) if number >> bit & 1) for bit in range(9)]
    pattern = "".join(f"[{members}]" for members in classes)
    assert not has_line(pattern, "".join(characters[:250]))
    with pytest.raises(TooManyCharactersError):
        has_line(pattern, "".join(characters))


@pytest.mark.parametrize(
    ("pattern", "mistake"),
    [
        ("(a+)+", "a group must not be repeated"),
        ("(a|a)*b", "a group must not be repeated"),
        ("(a|a)*?b", "a group must not be repeated"),
        (r"(a){2,}", "a group must not be repeated"),
        (r"(a)\1", "references to groups"),
        ("(?P<x>a)(?P=x)", r"begin with \(\?"),
        ("(?i)a", r"begin with \(\?"),
        ("(?=a)a", r"begin with \(\?"),
        ("(", "is not a regular expression"),
        ("a**", "is not a regular expression"),
        ("a{99999999999}", "is not a regular expression"),
        ("".join(chr(0x4E00 + number) for number in range(DIFFERENT_CHARACTERS + 1)), "different characters"),
    ],
)
def test_other_patterns_are_refused(pattern: str, mistake: str) -> None:
    found = pattern_mistake(pattern)
    assert found is not None
    assert re.search(mistake, found)


def test_a_repeat_that_gives_nothing_back_is_refused() -> None:
    # Python 3.10 does not know it.
    assert pattern_mistake("a*+") is not None


@pytest.mark.parametrize(
    "pattern", [r"[)*]+\)*", r"(?:one|two) [0-9.]+ s", r"\(\?P", r"[(?]+", r"\\1", "a*b*c*d*", "(a)??"]
)
def test_what_only_looks_like_these_is_not(pattern: str) -> None:
    assert pattern_mistake(pattern) is None
