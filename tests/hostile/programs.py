"""Hostile programs: the folder of each says which program it replaces and the result that it must get.

A folder is called PROGRAM-RESULT. RESULT is `passes` if the attack achieves nothing and the program is right
otherwise: full marks. `fails-CHECK+CHECK` names the only checks that must fail. Otherwise it is `not-built` or
`earns-build-alone`. The other program of the submission is the reference, and must get all its points.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
from grader.resources import resource
from grader.selfcheck.quick_lab import quick_form
from tests.hidden_lab import hidden_spec

SUBMISSIONS = Path(__file__).parent / "submissions"
PROGRAMS = Path(__file__).parent / "programs"
"""Programs that behave only where they think that somebody looks."""
SOLUTION = resource("reference", "tr2", "solution")
SOURCES = {"tr2b": "tr2b.c", "tr2u": "tr2u.c"}
ATTACK = "attack.h"
CANARY = "@CANARY@"

_RESULT = re.compile(r"(tr2b|tr2u)-(passes|not-built|earns-build-alone|fails-([a-z0-9-]+(?:\+[a-z0-9-]+)*))")
_INCLUDE = re.compile(rb'^#include "(\w+\.h)"\n', re.MULTILINE)


@dataclass(frozen=True)
class Expected:
    """What a submission must get: checks that fail, or programs that do not compile or that earn nothing else."""

    fails: frozenset[str] = frozenset()
    not_built: frozenset[str] = frozenset()
    build_alone: frozenset[str] = frozenset()


PASSES = Expected()


@dataclass(frozen=True)
class HostileProgram:
    """A program of `programs/`, which takes the place of one of the reference's."""

    path: Path
    program: str
    expected: Expected

    @property
    def name(self) -> str:
        """The name of its submission: the result, and what it does."""
        return f"{self.path.parent.name}.{self.path.stem}"

    def sources(self, canary: Path) -> Mapping[str, bytes]:
        """Return the files of its submission."""
        files = {source: (SOLUTION / source).read_bytes() for source in SOURCES.values()}
        own = SOURCES[self.program]
        return {
            **files,
            own: _whole(self.path.read_bytes(), files[own], own).replace(CANARY.encode(), bytes(canary)),
        }


def _whole(text: bytes, honest: bytes, name: str) -> bytes:
    """Return a source with its headers in it, because a submission has none; `attack.h` precedes a right program."""
    goes_before = f'#include "{ATTACK}"\n'.encode() in text
    text = _INCLUDE.sub(lambda found: _header(found[1].decode()).read_bytes(), text)
    return text + b'\n#line 1 "%s"\n' % name.encode() + honest if goes_before else text


def _header(name: str) -> Path:
    return (SUBMISSIONS if name == ATTACK else PROGRAMS) / name


def read_program(path: Path) -> HostileProgram:
    found = _RESULT.fullmatch(path.parent.name)
    assert found is not None, path
    program, result, checks = found.groups()
    alone = frozenset([program])
    expected = {
        "passes": PASSES,
        "not-built": Expected(not_built=alone),
        "earns-build-alone": Expected(build_alone=alone),
    }.get(result) or Expected(fails=frozenset(f"{program}.{check}" for check in (checks or "").split("+")))
    return HostileProgram(path, program, expected)


# Whose result holds for some checks or with a deadline is graded by test_evidence.py.
ALONE = {path for name in ("sleeps-*", "writes-unset-memory") for path in PROGRAMS.glob(f"*/{name}.c")}
FILES = (*SUBMISSIONS.glob("*/*.c"), *(path for path in PROGRAMS.glob("*/*.c") if path not in ALONE))
HOSTILE = tuple(read_program(path) for path in sorted(FILES))


LEFT_OUT = {
    *("several-pairs", "cycle", "repeats-in-to", "newline", "no-final-newline"),
    *("dash", "brackets", "backslash", "backslash-n", "dashes-in-to", "nul", "ff-inside", "ff-last"),
    *("high-from", "high-to", "from-empty", "to-empty", "no-operand", "both-empty"),
    *("duplicate-adjacent", "duplicate-far", "duplicate-last", "duplicate-inner", "duplicate-first"),
    *("duplicate-second-half", "duplicate-high", "duplicate-kept", "duplicate-longest"),
    *("backslashes-in-to", "octal", "repeat-in-to", "class-in-to", "drawn-special", "drawn-equal"),
    *("drawn-bytes", "drawn-lengths", "drawn-longer", "drawn-duplicate", "drawn-special-duplicate"),
    *("drawn-duplicate-digit", "drawn-duplicate-blank", "drawn-duplicate-control", "drawn-duplicate-delete"),
    *("drawn-equivalence", "drawn-long-option", "drawn-option-1", "drawn-option-2"),
    *(f"drawn-forms-{number}" for number in range(1, 7)),
    *(f"drawn-forms-in-to-{number}" for number in range(1, 5)),
    *("duplicate-dashes", "duplicate-class", "duplicate-equivalence", "duplicate-backslash"),
}
"""Cases that differ from others of their check only in what a translation is: no attack looks at these operands."""


def few_cases(spec: Spec) -> Spec:
    """Return a lab with all its checks, but fewer cases: most time of a class goes into short runs."""
    changed = []
    for item in spec.rubric:
        fields = {"cases", "small"} & set(type(item).model_fields)
        kept = {field: tuple(case for case in getattr(item, field) if case not in LEFT_OUT) for field in fields}
        assert all(kept.values()), item.name
        changed.append(item.model_copy(update=kept))
    cases = {name: case for name, case in spec.cases.items() if name not in LEFT_OUT}
    inputs = {name: spec.inputs[name] for name in spec.inputs if name in {case.input for case in cases.values()}}
    return spec.model_copy(update={"rubric": tuple(changed), "cases": cases, "inputs": inputs})


def hostile_lab(hidden_checks: Path | None) -> Spec:
    """Return the lab for hostile submissions: little input, and limits that none waits long for.

    Programs for the hidden checks are put into the folder; without one, there are none. They are graded in guests of
    their own, which build everything again, so that a submission takes one and a half times as long.
    Limits of CPU time are short. Those of wall time are not, because several classes are graded at the same time.
    """
    path = resource("specs", "tr2.yaml") if hidden_checks is None else hidden_spec(hidden_checks)
    spec = few_cases(quick_form(read_spec(path)))
    limits = spec.limits
    short = {"cpu_s": 1, "wall_s": 12.0}
    changes = {
        "build": limits.build.model_copy(update={"cpu_s": 4, "wall_s": 20.0}),
        "small": limits.small.model_copy(update={**short, "output_bytes": 100_000}),
        "strace_small": limits.strace_small.model_copy(update=short),
        "full": limits.full.model_copy(update={"cpu_s": 2, "wall_s": 15.0}),
        "strace": limits.strace.model_copy(update={"cpu_s": 5, "wall_s": 15.0}),
    }
    return spec.model_copy(update={"limits": limits.model_copy(update=changes)})
