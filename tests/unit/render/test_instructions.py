"""The sentence on a proven change becomes an instruction."""

from __future__ import annotations

import pytest

from grader.render.text.instructions import as_instruction


@pytest.mark.parametrize(
    ("said", "asked"),
    [
        ("With `int c` instead of `char c`", "Write `int c` instead of `char c`"),
        ("Without the call of `printf`", "Remove the call of `printf`"),
        ("With `from[i]` cast to `unsigned char`", "Cast `from[i]` to `unsigned char`"),
        ("With `write(1, &c, 1);` moved to the end of the loop", "Move `write(1, &c, 1);` to the end of the loop"),
        ("With `argv[1]` and `argv[2]` exchanged", "Exchange `argv[1]` and `argv[2]`"),
        (
            "With braces around the two statements under the `if`",
            "Put braces around the two statements under the `if`",
        ),
        ("With `break` after the translation", "Add `break` after the translation"),
        ("With `256` as `SIZE` (there are 256 bytes)", "Use `256` as `SIZE` (there are 256 bytes)"),
        ("With `argc != 3`", "Write `argc != 3`"),
        ("With `x with y` instead of `z`", "Write `x with y` instead of `z`"),
        ("With `0` instead of `1` and without the `- 1`", "Write `0` instead of `1` and remove the `- 1`"),
        (
            "Without `a`, with `b` cast to `char`, and with `c` after the loop",
            "Remove `a`, cast `b` to `char`, and add `c` after the loop",
        ),
    ],
)
def test_each_change_has_its_verb(said: str, asked: str) -> None:
    place = " in line 3"
    result = "the checks text and operands pass; left to repair: calls, which still fails."
    assert as_instruction(f"{said}{place} of tr2b.c, {result}") == f"{asked}{place}. Then {result}"


def test_a_second_sentence_is_one_too() -> None:
    said = "With `a` instead of `b` in line 3 of x.c, the check text passes."
    also = "Also without the `!` in line 5 of x.c, the check calls passes."
    assert as_instruction(f"{said} {also}") == (
        "Write `a` instead of `b` in line 3. Then the check text passes. "
        "Also remove the `!` in line 5. Then the check calls passes."
    )


def test_the_sentences_on_two_programs_are_two_instructions_with_their_files() -> None:
    said = "With `a` instead of `b` in line 3 of x.c, the check text passes."
    other = "With `a` instead of `c` in line 5 of y.c, the check calls passes."
    assert as_instruction(f"{said} {other}") == (
        "Write `a` instead of `b` in line 3 of x.c. Then the check text passes. "
        "Write `a` instead of `c` in line 5 of y.c. Then the check calls passes."
    )


def test_files_are_named_if_there_are_several_or_no_line() -> None:
    said = "With `<` instead of `<=` in lines 2, 5 and 9 of a.c and in line 26 of b.c, the checks x and y pass."
    assert as_instruction(said) == (
        "Write `<` instead of `<=` in lines 2, 5 and 9 of a.c and in line 26 of b.c. Then the checks x and y pass."
    )
    added = "With a check that argc is 3, at the beginning of `main` of a.c, the check x passes."
    assert as_instruction(added) == (
        "Add a check that argc is 3, at the beginning of `main` of a.c. Then the check x passes."
    )


def test_another_sentence_stays() -> None:
    said = "Line 7 of tr2b.c counts the operands, but lets one through. Once this is refused, the check text passes."
    assert as_instruction(said) == said
    assert as_instruction("") == ""
