"""Similar submissions for a terminal; similar.html also has their sources."""

from __future__ import annotations

from collections.abc import Iterator

from rich.console import RenderableType
from rich.table import Table

from grader.model.counted import counted, listed_up_to
from grader.render.terminal.styled_text import text
from grader.render.text.escape import one_line
from grader.render.views.similar import PROVES_NOTHING, full_name, similarity_words
from grader.similarity.submissions import ClassComparison

MAX_PAIRS = 20
MAX_GROUPS = 5
MAX_NAMED = 8


def similar_lines(comparison: ClassComparison) -> Iterator[RenderableType]:
    """Yield the most similar pairs, the groups, and what was not compared."""
    found = comparison.similarities
    names = [one_line(full_name(one)) for one in comparison.submissions]
    yield text(
        f"{counted(found.found, 'similar pair')} among {counted(comparison.of_class, 'submission')}", style="bold"
    )
    if found.pairs:
        table = Table(box=None, pad_edge=False, show_header=False, padding=(0, 2, 0, 0))
        for pair in found.pairs[:MAX_PAIRS]:
            table.add_row(text(names[pair.left]), text(names[pair.right]), text(similarity_words(pair.programs)))
        yield table
    if found.found > MAX_PAIRS:
        yield text(f"and {counted(found.found - MAX_PAIRS, 'more pair')}")
    for group in found.groups[:MAX_GROUPS]:
        members = listed_up_to(MAX_NAMED, [names[number] for number in group])
        yield text(f"group of {len(group):,}: {members}")
    if len(found.groups) > MAX_GROUPS:
        yield text(f"and {counted(len(found.groups) - MAX_GROUPS, 'smaller group')}")
    for words, left_out in (
        ("sources are gone", comparison.gone),
        ("changed since they were graded, compared as they are now", comparison.changed),
        ("too large, or cannot be parsed within the limits", comparison.unusable),
        ("too little code of their own", [names[number] for number in found.too_little]),
    ):
        if left_out:
            yield text(f"{words} ({len(left_out):,}): {one_line(listed_up_to(MAX_NAMED, left_out))}")
    if found.pairs:
        yield text(f"\n{PROVES_NOTHING}")
