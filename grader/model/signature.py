"""What known bugs look like from outside: the facets of a program's behaviour that they change, and how."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.base import Model

Traits = Mapping[str, str]
"""How a program deviates, by facet: `CHECK/CASE` for a case of a check, `CHECK/` for a check without cases,
`CHECK/*` for one of which no more is known than that it fails. Where nothing is wrong there is no entry; the values
say nothing by themselves, and are compared."""

UNSEEN = "*"


def facet(check: str, case: str = "") -> str:
    """Name a facet."""
    return f"{check}/{case}"


def check_of(name: str) -> str:
    """Return the check that a facet belongs to, without its program."""
    return name.partition("/")[0]


def is_unseen(name: str) -> bool:
    """Return whether a facet says no more than that its check fails."""
    return name.endswith(f"/{UNSEEN}")


class Signatures(Model):
    """The traits of every mutant, by program and by mutant; `key` is a hash over all that they follow from."""

    key: str
    traits: Mapping[str, Mapping[str, Mapping[str, str]]]
