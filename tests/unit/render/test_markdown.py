from __future__ import annotations

import pytest

from grader.render.text.markdown import markdown_html, sections, shell_lines
from grader.resources import resource

from .factory import PAGE
from .pages import Page

PAGES = {path.parent.name: path.read_text("utf-8") for path in resource("reference").glob("*/mutants/*/page.md")}
HARMFUL = [
    "<script>alert(1)</script>",
    "<b onclick=x>bold</b>",
    "[a link](javascript:alert(1))",
    "[a link][1]\n\n[1]: https://example.org/",
    "![a picture](https://example.org/x.png)",
    "<https://example.org/>",
    "```<script>\n</code></pre><script>\n```",
    "`</code><script>`",
    "    </pre><script>\n",
    "\x1b[31m \u202e \x00",
]


def page(text: str) -> Page:
    return Page(f"<div>{markdown_html(text)}</div>".encode())


@pytest.mark.parametrize("name", PAGES)
def test_every_page_of_a_mutant_is_read_in_its_parts(name: str) -> None:
    every = ["What happens", "Why", "How to see it", "What to change", "What to read"]
    headings = [heading for heading in every if heading != "Why" or "## Why" in PAGES[name]]
    assert list(sections(PAGES[name])) == headings
    assert shell_lines(PAGES[name])
    assert [tag for tag, _ in page(PAGES[name]).tags if tag.startswith("h")] == ["h4"] * len(headings)
    assert {tag for tag, _ in page(PAGES[name]).tags} <= {"div", "h4", "p", "pre", "code", "em", "strong", "ul", "li"}


@pytest.mark.parametrize("text", HARMFUL, ids=range(len(HARMFUL)))
def test_harmful_text_stays_text(text: str) -> None:
    shown = page(text)
    assert not {"script", "a", "img", "b"} & {tag for tag, _ in shown.tags}
    assert not shown.values("href")
    assert not [char for char in shown.source if char != "\n" and not char.isprintable()]


def test_links_are_shown_as_they_are_written() -> None:
    assert page("[a link](https://example.org/)").text.strip() == "[a link](https://example.org/)"


def test_headings_stand_below_the_title_of_the_cause() -> None:
    assert [tag for tag, _ in page("# a\n\n## b\n\n### c\n\n###### d\n").tags] == ["div", "h4", "h4", "h5", "h6"]


def test_parts_are_plain_text() -> None:
    parts = sections(PAGE)
    assert parts["What happens"] == "getchar can return 257 different values, and a char has room for 256."
    assert shell_lines(PAGE) == r"printf 'ab\377cd\n' | ./tr2b a x | od -c"
    assert sections("") == {}
