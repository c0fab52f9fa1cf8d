"""Whether an output is a translation of its input."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from grader.model.lab import is_translation


@given(st.binary(max_size=300), st.permutations(range(256)))
def test_each_byte_is_exchanged_for_the_same_one(text: bytes, table: list[int]) -> None:
    assert is_translation(text, text.translate(bytes(table)))


@pytest.mark.parametrize(
    ("text", "written", "expected"),
    [
        (b"", b"", True),
        (b"abca", b"xyyx", True),
        (b"abca", b"xyyz", False),
        (b"abca", b"xyzxx", False),
        (b"abca", b"xyz", False),
        (b"", b"x", False),
    ],
)
def test_a_translation_is_a_function_of_the_byte(text: bytes, written: bytes, expected: bool) -> None:  # noqa: FBT001
    assert is_translation(text, written) is expected
