"""Hooks for the site: the list of known bugs, a name for the search, tables that scroll."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

MARKER = "<!-- the list is made when the site is built -->"
NAMELESS = 'data-md-component="search" role="dialog"'
BOX = '<div class="scrolls" tabindex="0" role="group" aria-label="Table">'
CHECKOUT = Path(__file__).parents[1]


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 - the builder's own
    """Put a page's list in place of its marker; pages without a list stay unchanged.

    Raises:
        ValueError: the page has no marker for its list.
    """
    make = LISTS.get(page.file.src_uri)
    if make is None:
        return markdown
    if MARKER not in markdown:
        raise ValueError(f"{page.file.src_uri} has no line `{MARKER}` for its list")
    return markdown.replace(MARKER, "\n".join(make()))


def on_page_content(html: str, **_: object) -> str:
    """Put each table into a box that scrolls on a narrow screen, also with the keyboard, unlike the theme's."""
    return html.replace("<table>", f"{BOX}<table>").replace("</table>", "</table></div>")


def on_post_page(output: str, **_: object) -> str:
    """Give the search a name for screen readers, which the theme does not.

    Raises:
        ValueError: the theme's search has changed.
    """
    if NAMELESS not in output:
        raise ValueError(f"the theme has no `{NAMELESS}` any more: does its search have a name now? Fix this hook")
    return output.replace(NAMELESS, f'{NAMELESS} aria-label="Search"')


def bugs() -> Iterator[str]:
    """Yield the mutants of tr2 as lines of a Markdown table, by name."""
    yield from ("| name | in a sentence | in |", "| --- | --- | --- |")
    for path in sorted((CHECKOUT / "reference" / "tr2" / "mutants").glob("*/mutant.yaml")):
        mutant = yaml.safe_load(path.read_text(encoding="utf-8"))
        yield f"| `{path.parent.name}` | {mutant['title']} | {', '.join(mutant['programs'])} |"


LISTS: dict[str, Callable[[], Iterator[str]]] = {"causes.md": bugs}
"""Pages with a marker, and the functions that make their lists."""
