"""Whether text can be seen: some letters and marks leave no ink, although Python calls them printable."""

from __future__ import annotations

import re

WITHOUT_INK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers of scripts and selectors of variants (Unicode's default ignorable characters), and the empty Braille
pattern. The two selectors that choose between text and emoji are in many honest texts, and may stay."""


def is_visible(text: str) -> bool:
    """Return whether each character of a text is a space or leaves ink."""
    return text.isprintable() and (text.isascii() or WITHOUT_INK.search(text) is None)
