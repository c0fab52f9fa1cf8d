"""What lines of a source do that have to do with a symptom, by role: roles.yaml has the words and the patterns."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

import yaml

from grader.diagnose.sentences_on_outputs import OF_OUTPUTS
from grader.model.report import RelatedLine

REPAIRED = "repaired"
"""The role of a line that was changed in a trial (grading/change_search.py): it is shown as the line of a proof."""


@dataclass(frozen=True)
class Role:
    """What lines do that match a pattern, in words about one and about several; "" if they are only looked for.

    A line with `advice` is a mistake in itself if the program shows one of the symptoms in `decisive`.
    """

    pattern: str = ""
    does: str = ""
    do: str = ""
    decisive: frozenset[str] = frozenset()
    advice: str = ""


@cache
def roles() -> Mapping[str, Role]:
    """Return the roles by id, of mistakes the likeliest first."""
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    read = yaml.load(Path(__file__).with_name("roles.yaml").read_text("utf-8"), Loader=loader)  # noqa: S506 - safe
    return {name: Role(**{**role, "decisive": _symptoms(role.get("decisive", ()))}) for name, role in read.items()}


def patterns_of_roles() -> Mapping[str, str]:
    """Return what to look for in the sources of programs that failed; see diagnose/patterns.py."""
    return {name: role.pattern for name, role in roles().items() if role.pattern}


def _symptoms(names: list[str]) -> frozenset[str]:
    """Return symptoms by name; `wrong-outputs` are all that an output shows."""
    return frozenset(one for name in names for one in (OF_OUTPUTS if name == "wrong-outputs" else [name]))


def related_line(role: str, file: str, number: int, text: str, does: str = "") -> RelatedLine:
    """Return a line with its role, in the words of the role if there are no others."""
    return RelatedLine(file=file, number=number, text=text, does=does or roles()[role].does, role=role)


def advice_on_line(line: RelatedLine) -> str:
    """Return what to do about a line that is a mistake in itself, "" about others."""
    return roles()[line.role].advice if line.role in roles() else ""


def is_mistake(line: RelatedLine) -> bool:
    """Return whether a line is a mistake in itself, or a change of it was proven."""
    return line.role == REPAIRED or bool(advice_on_line(line))
