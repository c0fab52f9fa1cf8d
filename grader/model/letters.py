"""The letters of names: what is left of a name in exports, and what two ways to write it have in common."""

from __future__ import annotations

from unicodedata import category, normalize


def normalized(text: str) -> str:
    """Return a text in which capitals, and how accents are stored, make no difference."""
    # File names of macOS have letters and their accents apart; without this, only the letters would be compared.
    folded = normalize("NFC", normalize("NFC", text).casefold())
    # A capital I with a dot, as in İrem, leaves its dot behind.
    return folded.replace("i\u0307", "i")


def letters(text: str) -> str:
    """Return the letters and digits of a text, with the marks on them: in many scripts these are the vowels."""
    if text.isascii():
        return "".join(filter(str.isalnum, text.lower()))
    kept: list[str] = []
    is_kept = False
    for char in normalized(text):
        is_kept = char.isalnum() or (is_kept and category(char).startswith("M"))
        kept += char * is_kept
    return "".join(kept)
