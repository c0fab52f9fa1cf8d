"""Tables that several notebooks share.

This is a module of its own, because the page of a class needs it, and not what reads and compares notebooks.
"""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.notebook import Notebook


def shared_tables(notebooks: Mapping[str, Notebook]) -> dict[str, tuple[str, ...]]:
    """Return, for each notebook with a table that is digit for digit in another one, the names of the others.

    Calls follow from the input, so tables with the same calls show nothing. Seconds differ from run to run.
    """
    having: dict[str, dict[str, None]] = {}
    for name, notebook in notebooks.items():
        for key in notebook.fingerprints:
            having.setdefault(key, {})[name] = None
    shared: dict[str, set[str]] = {}
    for names in having.values():
        for name in names if len(names) > 1 else ():
            shared.setdefault(name, set()).update(other for other in names if other != name)
    return {name: tuple(sorted(others)) for name, others in shared.items()}
