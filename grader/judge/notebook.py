"""Judge whether the lab notebook has what the lab asks for; what follows from its numbers is never judged."""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.model.counted import listed, listed_up_to
from grader.model.notebook import CoverageItem
from grader.model.spec.rubric import NotebookItem
from grader.model.submission import UnusableSource

_MOST_MISSING = 4
_FORMAT = ("ascii", "no-carriage-returns", "columns")
"""The ids of what the lab asks of the file itself."""


def judge_notebook(facts: Facts, program: str, item: NotebookItem) -> Outcome:
    """Pass if the notebook has everything that the item asks for, of this program; name what it lacks."""
    spec, file = facts.lab.spec, facts.submission.notebook
    if file is None:
        names = spec.notebook.files if spec.notebook is not None else ()
        return Outcome("failed", f"there is no notebook: no file is named {listed(names, 'or')}")
    if isinstance(file.content, UnusableSource):
        return Outcome("failed", f"the notebook was not read: {file.content.problem}", hint="")
    asked = [found for found in facts.coverage if _part(found.item, program) in item.asks]
    lacking = [_words(one) for one in asked if not one.met]
    if lacking or not asked:
        return Outcome("failed", f"{file.path} lacks {listed_up_to(_MOST_MISSING, lacking or item.asks)}")
    return Outcome("passed", f"{file.path} has {listed_up_to(_MOST_MISSING, [one.title for one in asked])}")


def _part(item: str, program: str) -> str:
    """Return the word by which a rubric asks for an item of the coverage; empty for another program's."""
    for part in ("strace", "time"):
        if item.startswith(f"{part}-"):
            return part if item == f"time-{program}" or item.startswith(f"strace-{program}-") else ""
    return "format" if item in _FORMAT else item


def _words(item: CoverageItem) -> str:
    return item.title + (f" ({item.reason})" if item.reason else "")
