"""similar.html: the submissions of a class that are alike, for a teaching assistant."""

from __future__ import annotations

from grader.render.html import environment
from grader.render.views.similar import PROVES_NOTHING, full_name, percent, side_by_side, similarity_words
from grader.similarity.submissions import ClassComparison

MAX_SHOWN = 40
"""Pairs whose programs are on the page; the others are in its table."""

MAX_GROUPS = 20
MAX_NAMED = 60
"""Names in a list."""


def similar_html(comparison: ClassComparison) -> bytes:
    """Return the page, in UTF-8. It shows sources of several students, so it is not for students."""
    found = comparison.similarities
    names = [full_name(one) for one in comparison.submissions]
    return environment.fill(
        "similar.html.j2",
        {
            "comparison": comparison,
            "found": found.found,
            "names": names,
            "pairs": [
                (number, names[pair.left], names[pair.right], similarity_words(pair.programs), pair.shared)
                for number, pair in enumerate(found.pairs, 1)
            ],
            "shown": [
                (number, names[pair.left], names[pair.right], side_by_side(comparison, pair))
                for number, pair in enumerate(found.pairs[:MAX_SHOWN], 1)
            ],
            "groups": [[names[number] for number in group] for group in found.groups],
            "too_little": [names[number] for number in found.too_little],
            "percent": percent,
            "proves_nothing": PROVES_NOTHING,
            "max_groups": MAX_GROUPS,
            "max_named": MAX_NAMED,
            "max_shown": MAX_SHOWN,
        },
    )
