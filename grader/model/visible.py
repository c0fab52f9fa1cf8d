"""Whether text can be seen, and be written: some letters leave no ink, and some names have bytes that are no text."""

from __future__ import annotations

import re

WITHOUT_INK = re.compile(
    "[\u034f\u115f\u1160\u17b4\u17b5\u180b-\u180f\u2800\u3164\ufe00-\ufe0d\uffa0\U000e0100-\U000e01ef]"
)
"""Fillers of scripts and selectors of variants (Unicode's default ignorable characters), and the empty Braille
pattern. The two selectors that choose between text and emoji are in many honest texts, and may stay."""

_SURROGATE = re.compile("[\ud800-\udc7f\udd00-\udfff]")
"""Halves of a character that do not represent a byte, unlike those of `surrogateescape`."""


def is_visible(text: str) -> bool:
    """Return whether each character of a text is a space or leaves ink."""
    return text.isprintable() and (text.isascii() or WITHOUT_INK.search(text) is None)


def readable(name: str) -> str:
    r"""Return a name that UTF-8 can hold: bytes that are not text become \xNN."""
    name = _SURROGATE.sub(lambda half: f"\\u{ord(half[0]):04x}", name)
    return name.encode("utf-8", "surrogateescape").decode("utf-8", "backslashreplace")
