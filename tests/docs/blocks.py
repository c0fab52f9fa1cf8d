"""Shell commands in the documentation: where they stand, what they are, and what a page says of running them.

A block of commands is fenced as `console`. A line with `$ ` begins a command, lines with `> ` go on with it, the
others are what it prints; a line of `...` stands for any lines, `...` in a line for any text. A comment before the
block may say more:

    <!-- commands: exit 1 -->                    how the last command of the block ends, where not with 0
    <!-- commands: in tr2/ -->                   the playground's folder for this block and those below it on the page
    <!-- commands: not run: another machine -->  why not, a reason of REASONS
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from markdown_it import MarkdownIt
from markdown_it.token import Token

CHECKOUT = Path(__file__).parents[2]

REASONS = {
    "another machine": 12,  # macOS, Windows, a server, a cluster
    "sets up a machine": 24,  # packages, root's rights, or what make wheel and make pyz build (tests/installed)
    "takes minutes": 9,  # all tests, containers from scratch, a bench: other tests run it, or it is what runs them
    "does not end": 2,  # watches or serves until somebody stops it
}
"""What may keep commands from being run, and so many of them at most, so that it does not become a habit.

That their targets and options exist is tested all the same.
"""

SHELL = {"console", "sh", "bash", "shell", "zsh", "shell-session"}
_NOTE = re.compile(r"<!-- commands: (exit|in|not run:) ?(.+?) -->")


@dataclass(frozen=True)
class Command:
    """A command as it is typed, and the lines that it is said to print."""

    typed: str
    shown: tuple[str, ...] = ()


@dataclass(frozen=True)
class Block:
    """Commands that follow each other in one shell."""

    page: str
    line: int
    language: str
    commands: tuple[Command, ...]
    folder: str
    status: int
    not_run: str | None

    @property
    def name(self) -> str:
        return f"{self.page}:{self.line}"


def pages() -> list[Path]:
    """Return the files that people read, in an order that does not change."""
    found = [CHECKOUT / "README.md", CHECKOUT / "CONTRIBUTING.md", CHECKOUT / "examples" / "README.md"]
    found += sorted(path for path in (CHECKOUT / "docs").rglob("*.md") if "vendor" not in path.parts)
    return found + sorted((CHECKOUT / "student_template").rglob("README.md"))


def blocks() -> list[Block]:
    """Return all blocks of commands of all pages."""
    return [
        block for page in pages() for block in blocks_of(page.read_text("utf-8"), str(page.relative_to(CHECKOUT)))
    ]


def blocks_of(text: str, page: str) -> Iterator[Block]:
    """Yield the blocks of commands of a page."""
    notes: dict[str, str] = {}
    # What students start from is a folder that they are in.
    folder = str(Path(page).parent) if page.startswith("student_template/") else "."
    for token in tokens(text):
        if token.type == "html_block":
            notes |= dict(_NOTE.findall(token.content))
            folder = notes.pop("in", folder)
            continue
        if token.type == "fence" and token.info.strip() in SHELL:
            yield Block(
                page=page,
                line=token.map[0] + 1 if token.map else 0,
                language=token.info.strip(),
                commands=tuple(commands(token.content)),
                folder=folder,
                status=int(notes.get("exit", "0")),
                not_run=notes.get("not run:"),
            )
        notes = {}


def commands(content: str) -> Iterator[Command]:
    """Yield the commands of a block; lines before the first prompt belong to none, and are an error of the page."""
    typed, shown = "", list[str]()
    for line in content.splitlines():
        if line.startswith("$ "):
            if typed:
                yield Command(typed, tuple(shown))
            typed, shown = line[2:], []
        elif line.startswith("> ") and typed and not shown:
            typed += "\n" + line[2:]
        else:
            assert typed, f"no prompt before {line!r}: a block of commands begins with `$ `"
            shown.append(line)
    if typed:
        yield Command(typed, tuple(shown))


def tokens(text: str) -> list[Token]:
    """Return a page's Markdown as tokens, with tables."""
    return MarkdownIt("commonmark", {"html": True}).enable("table").parse(text)


def inline_code(text: str) -> Iterator[str]:
    """Yield what stands between backticks in running text and in tables."""
    for token in tokens(text):
        for child in token.children or ():
            if child.type == "code_inline":
                yield child.content


def indented(text: str) -> Iterator[str]:
    """Yield blocks that are code by their indentation alone."""
    return (token.content for token in tokens(text) if token.type == "code_block")
