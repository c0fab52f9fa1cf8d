"""The site: it asks for nothing from outside and leaves nothing out. tests/browser looks at it."""

from __future__ import annotations

import re
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urlsplit

import click
import pytest
from markdown_it.token import Token

from grader.lab.load import read_spec
from grader.resources import resource

from .blocks import CHECKOUT, tokens
from .test_mentions import COMMANDS, OPTIONS

DECISIONS = sorted((CHECKOUT / "docs" / "decisions").glob("0*.md"))
LOADED = {
    "script": "src",
    "img": "src",
    "link": "href",
    "iframe": "src",
    "source": "src",
    "video": "src",
    "object": "data",
}
NOT_LOADED = {"canonical", "next", "prev", "alternate"}
LARGEST_BYTES = 600_000
"""All pictures of the documentation together: they stay in the repository's history for good."""


class Loads(HTMLParser):
    """Collects what a page has a browser load."""

    def __init__(self) -> None:
        super().__init__()
        self.addresses: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        named = dict(attrs)
        if tag in LOADED and (named.get("rel") or "") not in NOT_LOADED:
            self.addresses.append(named.get(LOADED[tag]) or "")


def loads(page: Path) -> list[str]:
    parser = Loads()
    parser.feed(page.read_text("utf-8"))
    return parser.addresses


@pytest.mark.slow
def test_pages_load_nothing_from_outside(site: Path) -> None:
    pages = sorted(site.rglob("*.html"))
    assert len(pages) > len(DECISIONS)
    outside = {f"{page.name}: {address}" for page in pages for address in loads(page) if urlsplit(address).netloc}
    assert outside == set()


def test_styles_load_nothing_from_outside(site: Path) -> None:
    """Drawings are looked at as well: their styles may name fonts."""
    styles = [path.read_text("utf-8") for path in [*site.rglob("*.css"), *site.rglob("*.svg")]]
    fetched = re.compile(r"(?:url\(|@import)\s*[\"']?(?:https?:)?//")
    assert styles
    assert [style[found.start() :][:80] for style in styles for found in fetched.finditer(style)] == []


def test_what_pages_load_is_there(site: Path) -> None:
    for page in site.glob("*.html"):
        if page.name != "404.html":  # its addresses begin at a server's root
            files = [address.split("?")[0] for address in loads(page) if not address.startswith("data:")]
            assert [name for name in files if name and not (page.parent / name).is_file()] == []


def test_every_command_and_option_is_in_the_reference(site: Path) -> None:
    text = re.sub(r"<[^>]+>", "", (site / "commands.html").read_text("utf-8"))
    for path, command in COMMANDS.items():
        assert " ".join(("grader", *path)) in text
        if not isinstance(command, click.Group):
            assert {option for option in OPTIONS[path] if option not in text} == set()
    assert "Sentinel" not in text  # an object of click's where a default would stand


def test_every_decision_is_listed(site: Path) -> None:
    text = (site / "decisions" / "index.html").read_text("utf-8")
    assert [path.name for path in DECISIONS if f'href="{path.stem}.html"' not in text] == []


def test_every_check_of_the_lab_is_explained() -> None:
    text = (CHECKOUT / "docs" / "checks.md").read_text("utf-8")
    for item in read_spec(resource("specs", "tr2.yaml")).rubric:
        row = re.search(rf"^\| `{item.name}` \| (\d+) \| (\d+) \|", text, re.MULTILINE)
        assert row is not None, item.name
        assert [int(points) for points in row.groups()] == [item.points["tr2b"], item.points["tr2u"]], item.name


@pytest.mark.parametrize("page", ["README.md", "CONTRIBUTING.md", "examples/README.md"])
def test_links_of_pages_that_are_not_on_the_site_lead_somewhere(page: str) -> None:
    """The build looks at those that are."""
    path = CHECKOUT / page
    links = [link for token in tokens(path.read_text("utf-8")) for link in links_of(token)]
    assert [
        link for link in links if not (urlsplit(link).scheme or (path.parent / urlsplit(link).path).exists())
    ] == []
    assert links or page != "README.md"


def links_of(token: Token) -> list[str]:
    return [str(child.attrs.get("href") or child.attrs.get("src")) for child in token.children or () if child.attrs]


def test_pictures_are_small_and_have_words() -> None:
    pictures = [path for path in (CHECKOUT / "docs" / "images").iterdir() if path.is_file()]
    assert sum(path.stat().st_size for path in pictures) < LARGEST_BYTES
    texts = [path.read_text("utf-8") for path in [CHECKOUT / "README.md", *(CHECKOUT / "docs").glob("*.md")]]
    for picture in pictures:
        words = [
            found for text in texts for found in re.findall(rf"!\[([^\]]*)\]\([^)]*{re.escape(picture.name)}\)", text)
        ]
        assert words, f"{picture.name} is on no page"
        assert all(len(one) > 20 for one in words), f"{picture.name} needs words for those who cannot see it"
