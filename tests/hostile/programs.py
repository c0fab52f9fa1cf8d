"""Hostile programs: the folder of each says which program it replaces and the result that it must get.

A folder is called PROGRAM-RESULT. RESULT is `passes` if the attack achieves nothing and the program is right
otherwise: full marks. `fails-CHECK+CHECK` names the only checks that must fail. Otherwise it is `not-built` or
`earns-build-alone`. The other program of the submission must get its own result, whatever this one does.
"""

from __future__ import annotations

import fnmatch
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import Enum, auto
from functools import reduce
from itertools import zip_longest
from operator import or_
from pathlib import Path

from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
from grader.resources import resource
from grader.selfcheck.quick_lab import quick_form
from tests.few_cases import few_cases
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

    def __or__(self, other: Expected) -> Expected:
        """Return what a submission with both must get."""
        return Expected(
            self.fails | other.fails, self.not_built | other.not_built, self.build_alone | other.build_alone
        )


PASSES = Expected()


@dataclass(frozen=True)
class HostileProgram:
    """A program of `programs/`, which takes the place of one of the reference's."""

    path: Path
    program: str
    expected: Expected

    @property
    def name(self) -> str:
        """The result, and what it does."""
        return f"{self.path.parent.name}.{self.path.stem}"

    @property
    def file(self) -> str:
        """The name that its source has in a submission."""
        return SOURCES[self.program]

    def source(self, canary: Path) -> bytes:
        """Return its source in a submission."""
        whole = _whole(self.path.read_bytes(), (SOLUTION / self.file).read_bytes(), self.file)
        return whole.replace(CANARY.encode(), bytes(canary))


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
ALONE = {path for name in ("sleeps-*", "writes-unset-memory*") for path in PROGRAMS.glob(f"*/{name}.c")}
FILES = (*SUBMISSIONS.glob("*/*.c"), *(path for path in PROGRAMS.glob("*/*.c") if path not in ALONE))
HOSTILE = tuple(read_program(path) for path in sorted(FILES))


class Place(Enum):
    """A class that hostile programs are graded in."""

    CONTAINERS = auto()
    """In Docker: the strictest sandbox, with everything that the guest does."""
    HIDDEN = auto()
    """In Docker, with a lab that has hidden checks: a guest for these follows the first one."""
    ROOT = auto()
    """As root without containers, with hidden checks: all submissions share processes, files and IPC."""
    HOOK = auto()
    """One by one in the hook of a course system."""
    MACHINE = auto()
    """On this machine, without containers."""


ATTACKED: Mapping[str, frozenset[Place]] = {
    # Only a container for each submission has process numbers of its own, and only with a limit is a disk not shared.
    "channel-process-numbers": frozenset({Place.HIDDEN}),
    "channel-free-*": frozenset({Place.HIDDEN}),
    # What is left for another submission, what is outside, and what stays: a sandbox closes these with its own means.
    "channel-*": frozenset({Place.HIDDEN, Place.ROOT}),
    "escape-*": frozenset({Place.HIDDEN, Place.ROOT}),
    **dict.fromkeys(
        (
            *("resources-children-that-spin", "resources-daemon", "resources-deep-folders", "resources-forks"),
            *("resources-ignores-signals", "resources-memory-in-*", "resources-names-and-links"),
            *("resources-pipes", "resources-threads", "resources-zombies"),
        ),
        frozenset({Place.CONTAINERS, Place.ROOT}),
    ),
    # Only a container has a limit of memory and of the disk: the grader's own, or that of the course system.
    "resources-crowd-*": frozenset({Place.CONTAINERS, Place.HOOK}),
    "resources-takes-memory": frozenset({Place.CONTAINERS, Place.HOOK}),
    # The guest's limits for one run are the same everywhere.
    "resources-sleeps-between-bytes": frozenset({Place.HIDDEN}),
    "resources-*": frozenset({Place.CONTAINERS}),
    # So are tracer and channel. Two of them show what a process without a container can reach of the guest.
    "harness-kills-the-tracer": frozenset({Place.CONTAINERS, Place.ROOT}),
    "harness-reads-the-guest": frozenset({Place.CONTAINERS, Place.ROOT}),
    "harness-*guest": frozenset({Place.CONTAINERS}),
    "harness-forges-*": frozenset({Place.CONTAINERS}),
    "harness-reads-its-mode-*": frozenset({Place.CONTAINERS}),
    "harness-finds-the-reference": frozenset({Place.CONTAINERS, Place.ROOT}),
    # These look for what the hook has around it.
    "harness-looks-for-hidden-inputs": frozenset({Place.HIDDEN, Place.HOOK}),
    "harness-*": frozenset({Place.CONTAINERS, Place.HOOK}),
    # Who opens results: people on this machine, or the course system.
    "display-formulas": frozenset({Place.MACHINE}),
    "display-*": frozenset({Place.MACHINE, Place.HOOK}),
    # The compiler, and how a program is traced and measured, are the same everywhere.
    "*-a-hidden-input": frozenset({Place.HIDDEN}),
    "*": frozenset({Place.MACHINE}),
}
"""Where an attack is tried, by its name: what it attacks is there. The first pattern that fits decides."""

SMOKE = (
    *(
        "blocks-if-optimised",
        "channel-files",
        "channel-process-that-stays",
        "compile-own-start",
        "compile-wrong-section",
    ),
    *("display-markup", "escape-canary", "evasion-read-in-assembler", "evasion-unbuffered-on-random-bytes"),
    *("evasion-vfork-with-blocks", "harness-kills-everything", "harness-writes-a-report"),
    *("reads-by-stdio-if-optimised", "unbuffered-unless-below-strace", "unbuffered-unless-traced"),
)
"""Attacks that are tried in each sandbox, whatever they attack: of each kind, and of each result."""

WITH_SMOKE = (Place.CONTAINERS, Place.ROOT)
"""HIDDEN has the sandbox of CONTAINERS, MACHINE and HOOK that of ROOT."""


def tried_in(place: Place) -> tuple[HostileProgram, ...]:
    smoke = SMOKE if place in WITH_SMOKE else ()
    return tuple(one for one in HOSTILE if place in attacked(one) or one.path.stem in smoke)


def attacked(one: HostileProgram, table: Mapping[str, frozenset[Place]] = ATTACKED) -> frozenset[Place]:
    found = (places for name, places in table.items() if fnmatch.fnmatchcase(one.path.stem, name))
    return next(found, frozenset())


RIGHT: Mapping[str, bytes] = {source: (SOLUTION / source).read_bytes() for source in SOURCES.values()}


@dataclass(frozen=True)
class HostileSubmission:
    """Hostile programs, which replace different ones of the reference."""

    programs: Sequence[HostileProgram] = ()

    @property
    def expected(self) -> Expected:
        """What each of them must get, whatever the other does."""
        return reduce(or_, (one.expected for one in self.programs), PASSES)

    def sources(self, canary: Path) -> Mapping[str, bytes]:
        return {**RIGHT, **{one.file: one.source(canary) for one in self.programs}}


def together(programs: Sequence[HostileProgram]) -> Mapping[str, HostileSubmission]:
    """Return the submissions, by name, of these programs: two in each, as far as they replace different ones."""
    sides = ([one for one in programs if one.program == program] for program in SOURCES)
    shared = [[one for one in both if one is not None] for both in zip_longest(*sides)]
    return {"+".join(one.path.stem for one in both): HostileSubmission(both) for both in shared}


def hostile_lab(hidden_checks: Path | None) -> Spec:
    """Return the lab for hostile submissions: little input, and limits that none waits long for.

    Programs for the hidden checks are put into the folder; without one, there are none. They are graded in guests of
    their own, which build everything again, so that a submission takes one and a half times as long.
    Limits of CPU time are short. Those of wall time are not, because several classes are graded at the same time.
    """
    path = resource("specs", "tr2.yaml") if hidden_checks is None else hidden_spec(hidden_checks)
    spec = few_cases(quick_form(read_spec(path)))
    limits = spec.limits
    short = {"cpu_s": 1, "wall_s": 8.0}
    changes = {
        "build": limits.build.model_copy(update={"cpu_s": 4, "wall_s": 20.0}),
        "small": limits.small.model_copy(update={**short, "output_bytes": 100_000}),
        "strace_small": limits.strace_small.model_copy(update=short),
        "full": limits.full.model_copy(update={"cpu_s": 2, "wall_s": 10.0}),
        "strace": limits.strace.model_copy(update={"cpu_s": 5, "wall_s": 15.0}),
    }
    return spec.model_copy(update={"limits": limits.model_copy(update=changes)})
