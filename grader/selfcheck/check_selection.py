"""The checks that `--only` selects."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from difflib import get_close_matches

from grader.errors import UsageError
from grader.model.counted import listed
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem, check_id, program_of


def select_checks(spec: Spec, names: Iterable[str]) -> frozenset[str]:
    """Return the ids of the checks with these ids (`copy.text`), names (`text`) or programs (`copy`).

    A name selects the check of each program, and a program selects all of its checks.

    The check that a program compiles is always among them: without it nothing is known about the program.

    Raises:
        UsageError: there is no such check; the message names the nearest one, and all of them.
    """
    known: dict[str, set[str]] = {}
    for check, (_, item) in spec.checks().items():
        known[check] = {check}
        known.setdefault(item.name, set()).add(check)
        known.setdefault(program_of(check), set()).add(check)
    selected: set[str] = set()
    for name in names:
        if name not in known:
            raise UsageError(_unknown_words(name, spec, known))
        selected |= known[name]
    programs = {program_of(check) for check in selected}
    builds = {item.name for item in spec.rubric if isinstance(item, BuildItem)}
    builds_of_selected = {check_id(program, build) for program in programs for build in builds}
    return frozenset(selected | (builds_of_selected & set(known)))


def _unknown_words(name: str, spec: Spec, known: Mapping[str, object]) -> str:
    near = get_close_matches(name, known, n=1)
    meant = f" Did you mean {near[0]}?" if near else ""
    names = ", ".join(item.name for item in spec.rubric)
    programs = listed(spec.programs)
    example = next(one for one in known if "." in one)
    return (
        f"--only {name}: there is no such check.{meant}\n"
        f"The checks are {names}. {example} selects the check of one program, and {programs} all checks of a program."
    )
