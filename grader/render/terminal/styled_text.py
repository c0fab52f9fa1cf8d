"""The one way to text on a terminal: made visible first, never read as markup."""

from __future__ import annotations

from collections.abc import Iterator

from rich.padding import Padding
from rich.text import Text

from grader.render.text.escape import visible_text


def text(*parts: str | tuple[str, str], style: str = "") -> Text:
    """Return parts, some with a style of their own, as rich Text; newlines and tabs stay, all else is visible."""
    made = Text(style=style)
    for part in parts:
        words, own_style = (part, "") if isinstance(part, str) else part
        made.append(visible_text(words, keep="\n\t"), own_style)
    return made


def shell(lines: str) -> Iterator[Text]:
    """Yield lines for a shell, each whole: where one is too long the terminal folds it, and copies it as it is."""
    for line in lines.rstrip("\n").split("\n"):
        made = text(f"    {line}")
        made.no_wrap, made.overflow = True, "ignore"
        yield made


def indented(*parts: str | tuple[str, str], columns: int = 2, style: str = "") -> Padding:
    """Return text whose every line is moved to the right."""
    return Padding(text(*parts, style=style), (0, 0, 0, columns), expand=False)
