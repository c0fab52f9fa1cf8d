"""The documentation stays short enough to be read."""

from __future__ import annotations

import re
from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
MAX_WORDS = 14_400 + 1_498
"""The second number is for docs/features.md, which says what a release does instead of the changelog."""

PAGES = [CHECKOUT / "README.md", *sorted((CHECKOUT / "docs").glob("*.md"))]
"""What people read, without decisions and without the documents of the root, such as CONTRIBUTING.md."""

EVIDENCE = {"explanations.md"}
"""A table of measurements, one row per program."""


def words(text: str) -> int:
    """Return how many words a page has; what separates the cells of a table is not one."""
    return sum(bool(re.search(r"\w", word)) for word in text.split())


def test_the_documentation_has_at_most_so_many_words() -> None:
    counts = {page.name: words(page.read_text(encoding="utf-8")) for page in PAGES if page.name not in EVIDENCE}
    assert sum(counts.values()) <= MAX_WORDS, counts


def test_words_are_counted() -> None:
    assert words("| two words |\n| --- | :-: |\n") == 2
