"""The pages of causes: Markdown that is shown as HTML or told in the terminal, and in which nothing is a link.

The pages are the lab's own, yet they are read as if they were not: HTML in them is text, and so are links.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from grader.render.text.escape import visible_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

TOP_LEVEL = 4
"""Of headings: a page's `##` stands below the title of its cause, which is an h3."""

LOWEST_LEVEL = 6


def markdown_html(page: str) -> Markup:
    """Return a page as HTML, its headings from h4 on."""
    tokens = _tokens(page)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(LOWEST_LEVEL, max(TOP_LEVEL, int(token.tag[1]) + 2))}"
    # The renderer escapes all text: HTML is off.
    return Markup(_parser().renderer.render(tokens, _parser().options, {}))  # noqa: S704


def sections(page: str) -> dict[str, str]:
    """Return a page's text by heading, without marks; paragraphs are one line each, code keeps its lines."""
    found: dict[str, list[str]] = {}
    heading, in_heading = "", False
    for token in _tokens(page):
        if token.type in {"heading_open", "heading_close"}:
            in_heading = token.type == "heading_open"
        elif token.type == "inline" and in_heading:
            heading = _plain(token)
        elif token.type == "inline":
            found.setdefault(heading, []).append(_plain(token))
        elif token.type in {"fence", "code_block"}:
            found.setdefault(heading, []).append(token.content.rstrip("\n"))
    return {name: "\n".join(parts) for name, parts in found.items()}


def shell_lines(page: str) -> str:
    """Return the page's code, the lines that show the bug."""
    return "".join(token.content for token in _tokens(page) if token.type in {"fence", "code_block"}).rstrip("\n")


def _tokens(page: str) -> list[Token]:
    return _parser().parse(visible_text(page, keep="\n\t"))


def _plain(token: Token) -> str:
    return "".join(_pieces(token)).strip()


def _pieces(token: Token) -> Iterator[str]:
    for child in token.children or ():
        yield " " if child.type in {"softbreak", "hardbreak"} else child.content


@cache
def _parser() -> MarkdownIt:
    # Imported here: it takes its time, and nobody whose work is right is told of a cause.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink", "reference"])
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    return parser


def _code(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType) -> str:
    return f'<pre class="shell"><code>{escape(tokens[index].content)}</code></pre>\n'
