"""A strict reader of our own pages: it fails on what a browser would silently repair."""

from __future__ import annotations

from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \x1b[31m\x00\u202e\u2066\u200b\r\x85"
"""Text that means something to a page, a template or a terminal."""

VOID = {"meta", "link", "br", "hr", "img", "input"}
CELLS = {"dt", "dd", "th", "td", "h1", "h2", "h3", "h4", "h5", "p", "pre", "li"}


class Page(HTMLParser):
    """What tests need to know about a page."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.tags: list[tuple[str, tuple[str, ...]]] = []
        self.attributes: list[tuple[str, dict[str, str]]] = []
        self.text = ""
        self.source = data.decode("utf-8")
        self.feed(self.source)
        self.close()
        assert self.open == []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.tags.append((tag, tuple(name for name, _ in attrs)))
        self.attributes.append((tag, {name: value or "" for name, value in attrs}))
        assert len({name for name, _ in attrs}) == len(attrs)
        if tag not in VOID:
            self.open.append(tag)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"
        if tag in CELLS:
            self.text += " "

    def handle_data(self, data: str) -> None:
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] for _, attrs in self.attributes if attribute in attrs]

    def elements(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.attributes if name == tag]

    @property
    def words(self) -> str:
        return " ".join(self.text.split())
