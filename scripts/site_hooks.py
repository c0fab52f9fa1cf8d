"""What the site makes by itself: lists of decisions and known bugs, a name for its search, tables that scroll."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import yaml

MARKER = "<!-- the list is made when the site is built -->"
NAMELESS = 'data-md-component="search" role="dialog"'
BOX = '<div class="scrolls" tabindex="0" role="group" aria-label="Table">'
CHECKOUT = Path(__file__).parents[1]


def on_page_markdown(markdown: str, page: Any, **_: object) -> str:  # noqa: ANN401 - the builder's own
    """Put a page's list where it belongs; pages without one stay as they are.

    Raises:
        ValueError: The page has no place for its list.
    """
    make = LISTS.get(page.file.src_uri)
    if make is None:
        return markdown
    if MARKER not in markdown:
        raise ValueError(f"{page.file.src_uri} has no line `{MARKER}` for its list")
    return markdown.replace(MARKER, "\n".join(make()))


def on_page_content(html: str, **_: object) -> str:
    """Put each table into a box that scrolls on a narrow screen, by the keyboard too, which the theme's does not."""
    return html.replace("<table>", f"{BOX}<table>").replace("</table>", "</table></div>")


def on_post_page(output: str, **_: object) -> str:
    """Name the search for screen readers, as the theme does not.

    Raises:
        ValueError: The theme has another search by now.
    """
    if NAMELESS not in output:
        raise ValueError(f"the theme has no `{NAMELESS}` any more: see whether its search has a name, and mend this")
    return output.replace(NAMELESS, f'{NAMELESS} aria-label="Search"')


def decisions() -> Iterator[str]:
    """Yield the decisions as lines of a Markdown table, the newest first, each with its own title."""
    yield from ("| no. | what was decided |", "| --- | --- |")
    for path in sorted((CHECKOUT / "docs" / "decisions").glob("0*.md"), reverse=True):
        yield f"| {path.name[:4]} | [{title(path)}]({path.name}) |"


def bugs() -> Iterator[str]:
    """Yield the mutants of tr2 as lines of a Markdown table, by name."""
    yield from ("| name | in a sentence | in |", "| --- | --- | --- |")
    for path in sorted((CHECKOUT / "reference" / "tr2" / "mutants").glob("*/mutant.yaml")):
        mutant = yaml.safe_load(path.read_text(encoding="utf-8"))
        yield f"| `{path.parent.name}` | {mutant['title']} | {', '.join(mutant['programs'])} |"


def title(path: Path) -> str:
    """Return the first heading of a page.

    Raises:
        ValueError: It has none.
    """
    found = re.match(r"# (.+)", path.read_text(encoding="utf-8"))
    if found is None:
        raise ValueError(f"{path} does not begin with a title")
    return found[1]


LISTS: dict[str, Callable[[], Iterator[str]]] = {"decisions/index.md": decisions, "causes.md": bugs}
"""Pages with a marker, and what stands in its place."""
