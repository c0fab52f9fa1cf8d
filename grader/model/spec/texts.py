"""Text such as people write, for inputs that must not look random."""

from __future__ import annotations

import hashlib

_WORDS = """
the of and a to in is you that it he was for on are as with his they at be this have from or one had by word but not
what all were we when your can said there use an each which she do how their if will up other about out many then
them these so some her would make like him into time has look two more write go see number no way could people my than
first water been call who oil its now find long down day did get come made may part
"""
_NAMES = """
bela corin dafo etti gruno havel imre jocka kuno lirst modena nixu opara pradu quell rosta tivo uvo wex zolt
"""
_OTHERS = """
1 2 3 7 10 12 25 64 100 256 1,000 2024 3.14 50% 0x1F #5
"no" (see above) it's [1] a/b x=y f(x); <b> user@host C:\\ ~/src --all &c.
"""
_ENDS = (", ", ". ", ".\n", ".\n\n", ",\n", "; ", ":\n", "?\n", "! ", " \n", "\n\n", " - ", ".  ", "\n\t")


def _fragments() -> tuple[bytes, ...]:
    """Return what each byte of a stream becomes: a word and a blank, or the end of a sentence or line."""
    common, names = _WORDS.split(), _NAMES.split()
    capital = [word.capitalize() for word in (*common[:40], *names)]
    words = [f"{word} " for word in (*common, *common[:5], *capital, *names, *_OTHERS.split())]
    return tuple(fragment.encode("ascii") for fragment in (*words, *_ENDS * 3))


FRAGMENTS = _fragments()
"""256 of them, none shorter than two bytes."""


def text(seed: str, size_bytes: int) -> bytes:
    """Return a text of so many bytes, the same for the same seed on every machine and Python version."""
    stream = hashlib.shake_256(seed.encode("utf-8")).digest(size_bytes // 2 + 1)
    return b"".join(map(FRAGMENTS.__getitem__, stream))[:size_bytes]
