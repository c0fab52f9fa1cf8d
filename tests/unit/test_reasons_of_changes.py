"""A reason is given only for the changes of which it is true."""

from __future__ import annotations

import pytest

from grader.grading.proof_sentences import reason_of


@pytest.mark.parametrize(
    ("words", "reason"),
    [
        ("with `i + 1` instead of `0`", " (no byte is compared with itself then)"),
        # A function that calls itself with the next index says the same of `i`.
        ("with `i + 1` instead of `i`", ""),
        ("with `i + 1` instead of the second `i` and without the `- 1`", ""),
        ("without `c =`", " (the result of read would replace the byte that was read)"),
        ("without `c == EOF &&`", ""),
        ("with `unsigned char c` instead of `int c`", " (an int has 4 bytes)"),
        ("with `unsigned char` as the type of `c`", " (a char may be negative)"),
        ("with `int` as the type of `c`", " (EOF is an int)"),
        ("with `int` as the type of the counter `i`", " (a char cannot hold all its values)"),
        ("with `int` as the type of the function `find` and of `k`", " (a char cannot hold all its values)"),
        ("with `*from` instead of `from[20]`", " (an operand may be longer)"),
        ("with parentheses around `c = getchar()`", " (the comparison would come first)"),
        ("with parentheses around the value of `SIZE`", " (a macro is replaced by its text)"),
        (
            "with `if (read(0, &c, 1) <= 0) break;` instead of `read(0, &c, 1);`",
            " (at the end of the input read returns 0)",
        ),
        ("with `value` cast to `char`", " (to compare chars)"),
        ("with `from[i]` cast to `unsigned char`", " (a char may be negative)"),
        ("with `if (n <= 0) break;` after the reading", " (at the end of the input there is no byte to write)"),
        ("with `if (c == EOF) break;` after the reading", " (EOF is not a byte)"),
        ("with `while` instead of `if`", " (an `if` reads only once)"),
        ("with `256` as `SIZE`", " (there are 256 different bytes)"),
        ("with `4` instead of `256`", ""),
        ("with `&c` instead of `c`", " (read and write need an address)"),
    ],
)
def test_a_reason(words: str, reason: str) -> None:
    assert reason_of(words) == reason
