"""The page of a known bug, converted from its own Markdown to the plainer Markdown of results.json."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from itertools import islice, takewhile

from markdown_it import MarkdownIt
from markdown_it.token import Token

from grader.gradescope.results.markdown import bold, code, code_block, plain
from grader.render.text.escape import visible_text

PAGE_BLOCKS = 12
"""Enough for a page of three parts; the evidence comes after it and needs space too."""

PARAGRAPH_CHARS = 500
CODE_CHARS = 1000


def page_blocks(page: str) -> Iterator[str]:
    """Yield a page block by block: headings in bold, and prose without any markup except code spans."""
    return islice(_blocks(page), PAGE_BLOCKS)


def prose_of(page: str, heading: str) -> str:
    """Return the prose below a heading as one paragraph."""
    title, blocks = bold(heading), [*page_blocks(page)]
    if title not in blocks:
        return ""
    below = blocks[blocks.index(title) + 1 :]
    return " ".join(takewhile(lambda block: not block.startswith(("**", " ")), below))


def _blocks(page: str) -> Iterator[str]:
    heading = False
    for token in _parser().parse(visible_text(page, keep="\n\t")):
        if token.type in {"heading_open", "heading_close"}:
            heading = token.type == "heading_open"
        elif token.type == "inline":
            yield bold(token.content) if heading else _prose(token)
        elif token.type in {"fence", "code_block"}:
            yield code_block(token.content, CODE_CHARS)


def _prose(token: Token) -> str:
    pieces = []
    chars_left = PARAGRAPH_CHARS
    for child in token.children or ():
        if chars_left > 0:
            pieces.append(_piece(child, chars_left))
            chars_left -= len(child.content)
    return "".join(pieces).strip()


def _piece(child: Token, limit_chars: int) -> str:
    if child.type in {"softbreak", "hardbreak"}:
        return " "
    if child.type == "code_inline":
        return code(child.content, limit_chars)
    # `plain` removes white space at both ends, but here it separates words.
    before, after = (" " if child.content[end:][:1].isspace() else "" for end in (0, -1))
    return f"{before}{plain(child.content, limit_chars)}{after}"


@cache
def _parser() -> MarkdownIt:
    return MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink", "reference"])
