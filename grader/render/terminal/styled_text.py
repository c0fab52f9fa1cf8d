"""Text for a terminal: untrusted text is made visible first and never read as markup."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions
from rich.text import Text

from grader.model.report import Check, CheckStatus
from grader.render.text.escape import one_line, visible_text
from grader.render.text.phrases import status_words

STATUS_COLOURS: dict[CheckStatus, str] = {"passed": "green", "failed": "red", "skipped": "yellow"}
_STATUS_WIDTH = max(len(status_words(status)) for status in STATUS_COLOURS)


def text(*parts: str | tuple[str, str], style: str = "") -> Text:
    """Return parts, some with their own style, as rich Text; newlines and tabs stay, all else is made visible."""
    result = Text(style=style)
    for part in parts:
        content, own_style = (part, "") if isinstance(part, str) else part
        result.append(visible_text(content, keep="\n\t"), own_style)
    return result


def shell(lines: str) -> Iterator[Text]:
    """Yield lines for a shell; the terminal itself folds one that is too long, so that it can be copied unchanged."""
    for line in lines.rstrip("\n").split("\n"):
        result = text(f"    {line}")
        result.no_wrap, result.overflow = True, "ignore"
        yield result


@dataclass(frozen=True)
class Indented:
    """Text after a label, with its other lines below the end of the label, and no blanks at the ends of lines."""

    label: Text
    content: Text

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        columns = self.label.cell_len
        for number, line in enumerate(self.content.wrap(console, max(1, options.max_width - columns))):
            line.rstrip()
            yield Text.assemble(" " * columns if number else self.label, line)


def indented(*parts: str | tuple[str, str], columns: int = 2, style: str = "") -> Indented:
    """Return text with every line indented."""
    return Indented(Text(" " * columns), text(*parts, style=style))


def labelled(label: Text, *parts: str | tuple[str, str]) -> Indented:
    """Return text after a label; its other lines begin below the end of the label."""
    return Indented(label, text(*parts))


def check_line(check: Check, id_width: int) -> Text:
    """Return a check as one line: status and id as columns, then its title, or why it was skipped."""
    status = status_words(check.status).ljust(_STATUS_WIDTH)
    colour = STATUS_COLOURS[check.status]
    style = f"bold {colour}" if check.status == "failed" else colour
    content = check.message if check.status == "skipped" else check.title
    return text((status, style), f"  {one_line(check.id).ljust(id_width)}  {one_line(content)}")
