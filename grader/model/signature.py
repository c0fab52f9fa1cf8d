"""The signatures of known bugs: the traits that they cause, by facet."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.base import Model

Traits = Mapping[str, str]
"""The traits of a program by facet: `CHECK/CASE` for a case of a check, `CHECK/` for a check without cases, `CHECK/*`
for a check that is only known to fail. There are no entries for correct behaviour. Traits are only meant to be
compared with each other."""

UNSEEN = "*"

_FORM = "."


def form_of(bug: str, form: str) -> str:
    """Name a form of a bug: a variant of its mutant, or a check that the bug may fail alone."""
    return f"{bug}{_FORM}{form}"


def bug_of(name: str) -> str:
    """Return the bug of which this is a form; the mutant's own program has the bug's name."""
    return name.partition(_FORM)[0]


def facet(check: str, case: str = "") -> str:
    """Name a facet."""
    return f"{check}/{case}"


def check_of_facet(name: str) -> str:
    """Return the check that a facet belongs to, without its program."""
    return name.partition("/")[0]


def case_of_facet(name: str) -> str:
    """Return the case that a facet is about, or another word if it is about no case."""
    return name.partition("/")[2]


def is_unseen(name: str) -> bool:
    """Return whether a facet says only that its check fails."""
    return name.endswith(f"/{UNSEEN}")


class Signatures(Model):
    """The traits of each form of a bug, by program and by name; `key` is a hash over everything that affects them."""

    key: str
    traits: Mapping[str, Mapping[str, Mapping[str, str]]]
