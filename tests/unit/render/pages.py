"""A strict reader of our own pages: it fails on what a browser would silently correct."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from html.parser import HTMLParser

HOSTILE = "<script>alert(1)</script>\"' onload=x {{ 7*7 }} &amp; --> ]]> \x1b[31m\x00\u202e\u2066\u200b\r\x85"
"""Text that means something to a page, a template or a terminal."""

VOID = {"meta", "link", "br", "hr", "img", "input"}
CELLS = {"dt", "dd", "th", "td", "h1", "h2", "h3", "h4", "h5", "p", "pre", "li"}


@dataclass
class Element:
    """An element with its elements and texts, in their order."""

    tag: str
    attributes: dict[str, str] = field(default_factory=dict)
    children: list[Element | str] = field(default_factory=list)

    def walk(self) -> Iterator[Element]:
        for child in self.children:
            if isinstance(child, Element):
                yield child
                yield from child.walk()

    def all(self, tag: str = "", css: str = "", **attributes: str) -> list[Element]:
        """Return the elements within this one with a tag, a CSS class and attributes (`data_sort` for data-sort)."""
        wanted = {name.replace("_", "-"): value for name, value in attributes.items()}
        return [
            element
            for element in self.walk()
            if tag in ("", element.tag)
            and css in ("", *element.classes)
            and wanted.items() <= element.attributes.items()
        ]

    def one(self, tag: str = "", css: str = "", **attributes: str) -> Element:
        """Return the only such element."""
        [element] = self.all(tag, css, **attributes)
        return element

    @property
    def classes(self) -> list[str]:
        return self.attributes.get("class", "").split()

    @property
    def text(self) -> str:
        return "".join(child if isinstance(child, str) else child.text for child in self.children)

    @property
    def words(self) -> str:
        return " ".join(self.text.split())

    @property
    def numbers(self) -> list[float]:
        """Return the numbers in the text."""
        found = re.findall(r"(?<![\w.])\d[\d,]*(?:\.\d+)?", self.text)
        return [float(number.replace(",", "")) for number in found]

    @property
    def links(self) -> list[str]:
        return [element.attributes["href"] for element in self.all("a")]


class Page(HTMLParser):
    """All that a test asks about a page."""

    def __init__(self, data: bytes) -> None:
        super().__init__(convert_charrefs=True)
        self.open: list[str] = []
        self.root = Element("")
        self._within = [self.root]
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
        element = Element(tag, self.attributes[-1][1])
        self._within[-1].children.append(element)
        if tag not in VOID:
            self.open.append(tag)
            self._within.append(element)

    def handle_endtag(self, tag: str) -> None:
        assert self.open.pop() == tag, f"</{tag}> at {self.getpos()}"
        self._within.pop()
        if tag in CELLS:
            self.text += " "

    def handle_data(self, data: str) -> None:
        self._within[-1].children.append(data)
        if self.open[-1:] not in (["style"], ["script"]):
            self.text += data

    def values(self, attribute: str) -> list[str]:
        return [attrs[attribute] for _, attrs in self.attributes if attribute in attrs]

    def elements(self, tag: str) -> list[dict[str, str]]:
        return [attrs for name, attrs in self.attributes if name == tag]

    @property
    def words(self) -> str:
        return " ".join(self.text.split())

    def by_id(self, name: str) -> Element:
        return self.root.one(id=name)

    def section(self, name: str) -> Element:
        """Return the section whose heading has this id."""
        return self.root.one("section", aria_labelledby=name)

    @property
    def sections(self) -> list[str]:
        return [section.attributes["aria-labelledby"] for section in self.root.all("section")]
