"""The page on troubleshooting quotes what the grader really says."""

from __future__ import annotations

import ast
import re

from .blocks import CHECKOUT, inline_code

PAGE = CHECKOUT / "docs" / "troubleshooting.md"
SAYS = "## What doctor and check say"
STRANGE = "not run: "


def spoken() -> set[str]:
    """Return the strings of the grader's code, with … for a value."""
    found = set()
    for path in (CHECKOUT / "grader").rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            match node:
                case ast.JoinedStr(values=values):
                    found.add("".join(str(part.value) if isinstance(part, ast.Constant) else "…" for part in values))
                case ast.Constant(value=str(text)):
                    found.add(text)
    return found


def quoted() -> list[str]:
    """Return the messages of the first column."""
    text = PAGE.read_text("utf-8")
    section = text[text.index(SAYS) :].partition("\n## Docker")[0]
    rows = re.findall(r"^\| (`[^|]*?) \|", section, re.MULTILINE)
    strange = [code for code in inline_code(text) if code.startswith(STRANGE)]
    return [code for row in rows for code in inline_code(row)] + strange


def test_messages_are_those_of_the_grader() -> None:
    # After a name and a colon; a path and the rest of a message stand for a value. The system adds its own words.
    words = {re.sub(r"^[a-z]+: (?=there is|the admin)|(?:Permission denied|/usr/\S*|…)", "", one) for one in quoted()}
    said = spoken()
    assert len(words) > 7
    assert {one for one in words if not any(one.strip() in text for text in said)} == set()
