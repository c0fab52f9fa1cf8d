"""Which checks `--only` asks for."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from grader.errors import UsageError
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem
from grader.render.text.phrases import listed


def asked_for(spec: Spec, names: Iterable[str]) -> frozenset[str]:
    """Return the ids of the checks that are meant by ids (`tr2b.text`) and bare names (`text`: of each program).

    The check that a program compiles comes along: without it nothing can be told of the program.

    Raises:
        UsageError: there is no such check; the message names the nearest, and all.
    """
    known = _known(spec)
    asked: set[str] = set()
    for name in names:
        if name not in known:
            raise UsageError(_unknown(name, spec, known))
        asked |= known[name]
    programs = {check.partition(".")[0] for check in asked}
    builds = {item.name for item in spec.rubric if isinstance(item, BuildItem)}
    along = {f"{program}.{build}" for program in programs for build in builds}
    return frozenset(asked | (along & set(known)))


def _known(spec: Spec) -> Mapping[str, set[str]]:
    """Return the ids that each name stands for: an id for itself."""
    known: dict[str, set[str]] = {}
    for check, (_, item) in spec.checks().items():
        known[check] = {check}
        known.setdefault(item.name, set()).add(check)
    return known


def _unknown(name: str, spec: Spec, known: Mapping[str, object]) -> str:
    near = get_close_matches(name, known, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    names = ", ".join(item.name for item in spec.rubric)
    programs = listed(spec.programs)
    example = next(one for one in known if "." in one)
    return (
        f"--only {name}: there is no such check.{meant}\n"
        f"The checks are {names}: of {programs} alike, or of one of them as in {example}."
    )
