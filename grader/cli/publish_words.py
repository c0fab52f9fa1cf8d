"""Say what the students' copy of a lab lacks, and what in it may reveal that."""

from __future__ import annotations

from collections.abc import Mapping

from grader.lab.publish import hidden_checks, is_mentioned, left_out, mentions
from grader.model.counted import counted, listed, listed_up_to
from grader.model.spec.lab import Spec
from grader.render.text.phrases import points_counted

SHOWN_FILES = 5


def publish_words(spec: Spec, copy: Spec, texts: Mapping[str, str] | None = None) -> list[str]:
    """Return a line about what was left out, and one for each place of the copy that names it.

    `texts` are the other files of the copy, by their paths.
    """
    if spec.published is not None:
        return ["this is a student's copy already; it is written as it is"]
    names = left_out(spec, copy)
    worth = {"check": f" worth {points_counted(sum(one.points for one in hidden_checks(spec).values()))}"}
    parts = [
        f"{counted(len(some), what)}{worth.get(what, '')} ({listed(some)})" for what, some in names.items() if some
    ]
    if not parts:
        return ["note: nothing in this spec is hidden, so nothing was left out except comments"]
    words = sorted({name.rpartition(".")[2] for some in names.values() for name in some})
    places = list(mentions(copy, words))
    for name in words:
        paths = [path for path, text in (texts or {}).items() if is_mentioned(name, text)]
        if paths:
            places.append((listed_up_to(SHOWN_FILES, paths, "file"), name))
    warnings = [
        f"note: {place} contains {name!r}, which was left out; check that it does not reveal too much"
        for place, name in places
    ]
    return [f"left out: {listed(parts)}", *warnings]
