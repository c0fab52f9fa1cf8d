"""The Markdown of results.json: paragraphs and indented code, and nothing else (decision 0023).

Text of students and their programs is never markup. Both forms mean the same in every dialect, a cut cannot leave
them open, and nothing inside can end them.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence

from grader.gradescope.schema import OUTPUT_CHARS
from grader.render.text.escape import one_line, short, visible_text

_ACTS = re.compile(r"([\\`*_{}\[\]()<>#+\-.!|~&:^=\"$])")
_TICKS = re.compile("`+")
_INDENT = "    "
_READ = 8
"""A multiple of its limit that is read of a text, because most of it may be white space."""

LEFT_OUT = "The rest is too long to show here."


def plain(text: str, limit_chars: int = 1000) -> str:
    """Return text for a paragraph, on one line; every character that Markdown acts on is escaped."""
    return _ACTS.sub(r"\\\1", line_of(text, limit_chars))


def code(text: str, limit_chars: int = 200) -> str:
    """Return text on one line as a code span, whatever backticks are in it; an empty text stays empty."""
    shown = line_of(text, limit_chars)
    if not shown:
        return ""
    ticks = "`" * (1 + max((len(run) for run in _TICKS.findall(shown)), default=0))
    space = " " if shown.startswith("`") or shown.endswith("`") else ""
    return f"{ticks}{space}{shown}{space}{ticks}"


def bold(text: str, limit_chars: int = 300) -> str:
    """Return text in bold; an empty text stays empty."""
    shown = plain(text, limit_chars)
    return f"**{shown}**" if shown else ""


def code_block(text: str, limit_chars: int = 2000, limit_lines: int = 40) -> str:
    """Return the beginning of a text as indented code, and how much of it is left out."""
    if not text.strip():
        return ""
    shown: list[str] = []
    chars_left = limit_chars
    read = text.strip("\n")[: _READ * limit_chars]
    lines = visible_text(read, keep="\n\t").split("\n")
    for line in lines[:limit_lines]:
        shown.append(short(line, max(chars_left, 1)))
        chars_left -= len(shown[-1])
        if chars_left <= 0:
            break
    if len(shown) < len(lines) or shown[-1] != lines[-1] or len(read) < len(text.strip("\n")):
        shown.append(f"[cut here; it has {len(text):,} characters in all]")
    return "\n".join(f"{_INDENT}{line}".rstrip() for line in shown)


def table(headings: Sequence[str], rows: Iterable[Sequence[str]]) -> str:
    """Return a table as indented code, numbers to the right; the last column is of words."""
    every = [headings, *rows]
    widths = [max(len(row[index]) for row in every) for index in range(len(headings) - 1)]
    lines = []
    for row in every:
        *numbers, words = row
        cells = [f"{number:>{width}}" for number, width in zip(numbers, widths, strict=True)]
        lines.append("  ".join([*cells, words]))
    return code_block("\n".join(lines), limit_chars=OUTPUT_CHARS // 4)


def paragraph(*parts: str) -> str:
    """Return a paragraph whose parts, if there is anything in them, begin on lines of their own."""
    return "  \n".join(filter(None, parts))


def document(blocks: Iterable[str]) -> str:
    """Return blocks as one output, up to the first one that does not fit; the output says so if any are left out."""
    shown: list[str] = []
    chars_left = OUTPUT_CHARS - len(LEFT_OUT)
    for block in filter(None, blocks):
        chars_left -= len(block) + len("\n\n")
        if chars_left < 0:
            shown.append(LEFT_OUT)
            break
        shown.append(block)
    return "\n\n".join(shown)


def line_of(text: str, limit_chars: int) -> str:
    """Return text on one line, visible and cut, but without escaping what Markdown acts on."""
    return short(one_line(text[: _READ * limit_chars]), limit_chars)
