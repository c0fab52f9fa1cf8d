"""Strategies for input from strangers: bytes damaged in the ways that find faults in whatever reads them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from hypothesis import strategies as st

# Numbers at which readers change their mind: signs, sizes of C types, and more digits than Python converts.
NUMBERS = (b"-1", b"0", b"4294967296", b"18446744073709551616", b"1e999", b"NaN", b"9" * 5000)
SPLICES = (
    *NUMBERS,
    b"",
    b"\0",
    b"\xff\xfe",
    b"\xed\xa0\x80",
    b"\n",
    b"\r\n",
    b'"',
    b"'",
    b"\\u0000",
    b"\\ud800",
    b"null",
    b"[" * 5000,
    b"{" * 5000,
    b"../../x",
    b"&a [*a, *a]",
    b"=1+1",
    b"\x1b[31m",
)


@st.composite
def damaged(draw: st.DrawFn, originals: Sequence[bytes]) -> bytes:
    """Return one of the originals with a few parts overwritten, cut out, repeated or exchanged."""
    data = draw(st.sampled_from(originals))
    for _ in range(draw(st.integers(1, 4))):
        start = draw(st.integers(0, len(data)))
        end = min(len(data), start + draw(st.sampled_from([0, 1, 2, 4, 8, 64, 1 << 20])))
        piece = draw(
            st.one_of(
                st.sampled_from(SPLICES),
                st.binary(min_size=1, max_size=8),
                st.just(data[start:end] * 2),
                st.sampled_from([data[:start], data[end:]]),
            )
        )
        data = data[:start] + piece + data[end:]
    return data


TEXTS = st.one_of(
    st.text(max_size=30),
    st.sampled_from(
        ["", "..", "/etc/x", "a/b", "zoe-7", "index.html", "=cmd()", "\x1b[2J", "\ud800", "\0", "é" * 300]
    ),
)
"""Words of strangers."""

JSON: st.SearchStrategy[Any] = st.recursive(
    st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), TEXTS),
    lambda inner: st.one_of(st.lists(inner, max_size=4), st.dictionaries(TEXTS, inner, max_size=4)),
    max_leaves=12,
)
"""Any JSON, with numbers that are none."""


@st.composite
def rearranged(draw: st.DrawFn, document: Any) -> Any:  # noqa: ANN401 - JSON
    """Return a JSON document with some of its values exchanged for others, left out, or repeated."""
    if draw(st.integers(0, 9)) == 0:
        return draw(JSON)
    match document:
        case dict():
            kept = {key: value for key, value in document.items() if draw(st.integers(0, 9)) != 0}
            return {key: draw(rearranged(value)) for key, value in kept.items()}
        case list():
            return [
                draw(rearranged(value)) for value in document for _ in range(draw(st.sampled_from([1, 1, 1, 0, 2])))
            ]
        case _:
            return document
