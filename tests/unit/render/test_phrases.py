from __future__ import annotations

from typing import Any, get_args

import pytest

from grader.judge.difference import first_difference
from grader.model.counted import counted, listed
from grader.model.evidence import Ending, Exited, LimitHit, LimitReached, NotStarted, Signalled
from grader.model.report import CheckStatus, Isolation
from grader.model.spec.cases import Sink
from grader.model.spec.rubric import Visibility
from grader.render.text.phrases import (
    difference_words,
    ending_words,
    isolation_words,
    last_words,
    points_words,
    programs_words,
    shift_words,
    sink_words,
    status_words,
)
from grader.render.text.visibility import visibility_words

from . import factory


@pytest.mark.parametrize(
    ("ending", "words"),
    [
        (Exited(kind="exited", code=1), "exit status 1"),
        (
            Signalled(kind="signalled", signal=11),
            "killed by SIGSEGV (segmentation fault: it used memory that is not its own)",
        ),
        (Signalled(kind="signalled", signal=9), "killed by SIGKILL"),
        (Signalled(kind="signalled", signal=64), "killed by signal 64"),
        (LimitReached(kind="limit", limit="cpu"), "stopped after using more processor time than allowed"),
        (NotStarted(kind="not_started", errno=8, message="bad\x1b\nformat"), r"could not be started: bad\x1b format"),
        (None, "not run"),
    ],
)
def test_endings(ending: Ending | None, words: str) -> None:
    assert ending_words(ending) == words


@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"stderr": b""}, "exit status 0, nothing on standard error"),
        ({"stderr": b"usage\n"}, "exit status 0, a message on standard error"),
        ({"ending": None}, "not run"),
    ],
)
def test_last_words(changes: dict[str, Any], words: str) -> None:
    assert last_words(factory.failed_case(**{"ending": Exited(kind="exited", code=0), **changes})) == words


def test_every_value_of_the_closed_sets_has_words() -> None:
    assert all(isolation_words(value) for value in get_args(Isolation))
    assert all(status_words(value) for value in get_args(CheckStatus))
    assert all(sink_words(value) for value in get_args(Sink))
    assert all(ending_words(LimitReached(kind="limit", limit=value)) for value in get_args(LimitHit))
    kinds = get_args(Visibility)
    assert len({visibility_words(value) for value in kinds}) == len(kinds)
    assert visibility_words("visible") == ""


@pytest.mark.parametrize(
    ("value", "words"),
    [(93.0, "93"), (92.5, "92.5"), (0.0, "0"), (100.0, "100"), (1 / 3, "0.33"), (None, "-"), (10.0, "10")],
)
def test_points(value: float | None, words: str) -> None:
    assert points_words(value) == words


def test_counted() -> None:
    assert counted(1, "byte") == "1 byte"
    assert counted(5_000_000, "byte") == "5,000,000 bytes"
    assert counted(0, "byte") == "0 bytes"


def test_difference_names_the_bytes() -> None:
    difference = factory.difference(b"abc\xff", b"abc", 3)
    assert difference_words(difference) == (("input", "0xFF"), ("expected", "0xFF"), ("yours", "nothing (the end)"))
    without_input = difference.model_copy(update={"input": None})
    assert [label for label, _ in difference_words(without_input)] == ["expected", "yours"]


def test_lists() -> None:
    assert [listed("abc"[:length]) for length in range(4)] == ["", "a", "a and b", "a, b and c"]
    assert listed("abc", "or") == "a, b or c"


@pytest.mark.parametrize(
    ("expected", "actual", "words"),
    [
        (b"abc", b"aXc", ""),
        (b"abc", b"ab", ""),
        (b"ab", b"abc", ""),
        (b"abcd", b"acd", "1 byte shorter"),
        (b"abcd", b"aXXbcd", "2 bytes longer"),
    ],
)
def test_an_output_of_another_length_is_shifted_after_the_difference(
    expected: bytes, actual: bytes, words: str
) -> None:
    offset = first_difference(expected, actual)
    assert offset is not None
    shifted = shift_words(factory.difference(expected, actual, offset))
    assert words in shifted
    assert bool(words) == bool(shifted)


def test_a_program_is_named_once() -> None:
    assert programs_words("The byte 0xFF ends the copy", ["tr2b"]) == " (tr2b)"
    assert programs_words("tr2b crashes", ["tr2b"]) == ""
