"""Read what lines of a source do that have to do with a symptom: roles.yaml of diagnose/source has it by role."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cache
from pathlib import Path
from typing import Any

import yaml

from grader.diagnose import source
from grader.diagnose.behaviour.sentences_on_outputs import OF_OUTPUTS
from grader.diagnose.source.related_lines import Role

_EVERY_OUTPUT = "wrong-outputs"
"""In the file, all symptoms that an output shows."""


@cache
def roles() -> Mapping[str, Role]:
    """Return the roles by id, of mistakes the likeliest first."""
    # PyYAML without libyaml reads the same, more slowly.
    loader = getattr(yaml, "CSafeLoader", yaml.SafeLoader)
    text = (Path(source.__path__[0]) / "roles.yaml").read_text("utf-8")
    read: Mapping[str, Any] = yaml.load(text, Loader=loader)  # noqa: S506 - both loaders are safe
    return {
        name: Role.model_validate({**role, "decisive": frozenset(_symptoms(role.get("decisive", ())))})
        for name, role in read.items()
    }


def _symptoms(names: Iterable[str]) -> Iterator[str]:
    for name in names:
        yield from OF_OUTPUTS if name == _EVERY_OUTPUT else [name]


@cache
def patterns_of_roles() -> Mapping[str, str]:
    """Return what to look for in the sources of programs that failed; see diagnose/source/patterns.py."""
    return {name: role.pattern for name, role in roles().items() if role.pattern}
