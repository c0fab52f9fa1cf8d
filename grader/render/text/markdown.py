"""The pages of causes: Markdown that is shown as HTML or in the terminal.

The pages belong to the lab, but they are treated as untrusted: HTML and links in them are shown as text.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, lru_cache
from typing import TYPE_CHECKING

from markupsafe import Markup, escape

from grader.render.text.escape import visible_text

if TYPE_CHECKING:
    from markdown_it import MarkdownIt
    from markdown_it.renderer import RendererHTML
    from markdown_it.token import Token
    from markdown_it.utils import EnvType, OptionsDict

TOP_LEVEL = 4
"""The level of a page's `##`, below the title of its cause, which is an h3."""

LOWEST_LEVEL = 6


@lru_cache(maxsize=200)
def markdown_html(page: str) -> Markup:
    """Return a page as HTML with headings from h4 on; it is made once, since many of a class have the same bug."""
    tokens = _tokens(page)
    for token in tokens:
        if token.type in {"heading_open", "heading_close"}:
            token.tag = f"h{min(LOWEST_LEVEL, max(TOP_LEVEL, int(token.tag[1]) + 2))}"
    # The renderer escapes all text: HTML is off.
    return Markup(_parser().renderer.render(tokens, _parser().options, {}))  # noqa: S704


def code_spans_html(text: str) -> Markup:
    """Return a line of text as HTML in which only backticks have a meaning."""
    parts = visible_text(text).split("`")
    return Markup().join(
        Markup("<code>{}</code>").format(part) if number % 2 else escape(part) for number, part in enumerate(parts)
    )


def sections(page: str) -> dict[str, str]:
    """Return the plain text of a page by heading, with one line per paragraph; code keeps its lines."""
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
    """Return the code of a page: the lines that show the bug."""
    return "".join(token.content for token in _tokens(page) if token.type in {"fence", "code_block"}).rstrip("\n")


def _tokens(page: str) -> list[Token]:
    return _parser().parse(visible_text(page, keep="\n\t"))


def _plain(token: Token) -> str:
    breaks = {"softbreak", "hardbreak"}
    return "".join(" " if child.type in breaks else child.content for child in token.children or ()).strip()


@cache
def _parser() -> MarkdownIt:
    # Imported here because it takes long and only reports with a cause need it.
    from markdown_it import MarkdownIt  # noqa: PLC0415

    parser = MarkdownIt("commonmark", {"html": False}).disable(["link", "image", "autolink", "reference"])
    parser.add_render_rule("fence", _code)
    parser.add_render_rule("code_block", _code)
    return parser


def _code(_self: RendererHTML, tokens: Sequence[Token], index: int, _options: OptionsDict, _env: EnvType) -> str:
    return f'<pre class="shell"><code>{escape(tokens[index].content)}</code></pre>\n'
