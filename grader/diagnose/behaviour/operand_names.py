"""Name the two operands of programs that translate bytes as the spec does: marks in sentences become names."""

from __future__ import annotations

import re

from grader.model.counted import capital

FIRST = "\x01"
SECOND = "\x02"
"""Marks in sentences. What programs wrote is quoted with escapes, so that it cannot contain them."""

UNNAMED = ("the first operand", "the second operand")
"""What operands are called if the spec does not name them."""

_MARK = re.compile(r"(?P<begins>^|[.?!] )?(?P<mark>[\x01\x02])")


def named(text: str, names: tuple[str, str] = UNNAMED) -> str:
    """Replace the marks by names, with a capital letter at the beginning of a sentence."""

    def name(found: re.Match[str]) -> str:
        words = names[0] if found["mark"] == FIRST else names[1]
        begins = found["begins"]
        return words if begins is None else begins + capital(words)

    return _MARK.sub(name, text)
