"""The signatures of known bugs: the facets of a program's behaviour that they change, and how."""

from __future__ import annotations

from collections.abc import Mapping

from grader.model.base import Model

Traits = Mapping[str, str]
"""How a program deviates, by facet: `CHECK/CASE` for a case of a check, `CHECK/` for a check without cases, `CHECK/*`
for a check that is only known to fail. There are no entries for correct behaviour. Values are only meant to be
compared with each other."""

UNSEEN = "*"


def facet(check: str, case: str = "") -> str:
    """Name a facet."""
    return f"{check}/{case}"


def check_of(name: str) -> str:
    """Return the check that a facet belongs to, without its program."""
    return name.partition("/")[0]


def is_unseen(name: str) -> bool:
    """Return whether a facet says only that its check fails."""
    return name.endswith(f"/{UNSEEN}")


class Signatures(Model):
    """The traits of every mutant, by program and by mutant; `key` is a hash over everything that affects them."""

    key: str
    traits: Mapping[str, Mapping[str, Mapping[str, str]]]
