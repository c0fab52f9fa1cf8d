"""Small programs run the way that submissions are: jobs built by hand, and what came of them."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path

from grader.model.evidence import BuildDone, Evidence, Exited, RunDone
from grader.model.plan import BuildStep, Plan, RunStep
from grader.model.spec.cases import PipeSource
from grader.model.spec.programs import RunLimits
from grader.sandbox.base import Job, ProgressEvent, Sandbox
from grader.sandbox.collector import collect

PROGRAMS = Path(__file__).parent / "programs"
LIMITS = RunLimits(cpu_s=2, wall_s=8, output_bytes=1_000_000, memory_bytes=256_000_000)
BUILD_LIMITS = RunLimits(cpu_s=4, wall_s=10, output_bytes=8_000_000, memory_bytes=400_000_000)
PROCESSES = 64
OPEN_FILES = 64
PROGRAM_S = 120.0
GCC = ("gcc", "-std=gnu11", "-O2", "-Wall")
GCC_OBJECT = ("gcc", "-std=gnu11", "-O0", "-fno-builtin", "-w")
SUCCESS = Exited(kind="exited", code=0)

LARGE = bytes(range(256)) * 1024
"""More than travels in an event, so that it has to be fetched."""

INPUTS: Mapping[str, bytes] = {
    "empty": b"",
    "one": b"x",
    "lines": b"first\nsecond\r\n\n\tlast",
    "chunks": bytes(range(40)),
    "slice": b"a line of the slice\n" * 204 + b"0123456789abcdef",
    "large": LARGE,
    "script": b"#!/bin/sh\necho executed\n",
    "block": bytes(range(256)) * 256,
    "two-slices-and-one": bytes(range(256)) * 32 + b"x",
}
assert len(INPUTS["slice"]) == 4096
assert len(INPUTS["block"]) == 65536


def source(program: str) -> bytes:
    """Return the source of one of the test programs."""
    return (PROGRAMS / f"{program}.c").read_bytes()


def step(name: str, program: str = "actor", *operands: bytes | str, **changes: object) -> RunStep:
    """Describe a run of a program, with an empty file to a file unless `changes` say more."""
    plain = RunStep(
        id=f"{program}.{name}",
        program=program,
        case=name,
        operands=tuple(operand.encode() if isinstance(operand, str) else operand for operand in operands),
        input="empty",
        pipe=None,
        sink="file",
        engine="plain",
        limits=LIMITS,
    )
    return plain.model_copy(update=changes)


def limits(**changes: float) -> RunLimits:
    """Return the usual limits with some others."""
    return LIMITS.model_copy(update=changes)


def pipe(chunk_bytes: int) -> PipeSource:
    """Return a source that gives so many bytes at a time."""
    return PipeSource(kind="pipe", chunk_bytes=chunk_bytes)


def build_step(program: str, one_of_each: tuple[tuple[str, ...], ...] = ()) -> BuildStep:
    """Return how a test program is compiled, and the functions that it has to call."""
    name = f"{program}.c"
    return BuildStep(
        program=program,
        source=name,
        compile=(*GCC, name),
        compile_object=(*GCC_OBJECT, "-c", name),
        one_of_each=one_of_each,
    )


@dataclass(frozen=True)
class Outcome:
    """What a job came to: events in their order, and the outputs that were fetched whole."""

    events: tuple[ProgressEvent, ...]
    evidence: Evidence
    fetched: Mapping[str, bytes]

    def run(self, name: str, program: str = "actor") -> RunDone:
        """Return a run that was made."""
        return self.evidence.runs[f"{program}.{name}"]

    def stdout(self, name: str, program: str = "actor") -> bytes:
        """Return what a run wrote, whose output is small enough to come with the event."""
        data = self.run(name, program).stdout.data
        assert data is not None
        return data

    def build(self, program: str) -> BuildDone:
        """Return a compilation."""
        return self.evidence.builds[program]


@dataclass(frozen=True)
class Exercise:
    """A job to be done in any sandbox."""

    runs: Sequence[RunStep]
    sources: Mapping[str, bytes] = field(default_factory=lambda: {"actor": source("actor")})
    fetch: Sequence[str] = ()
    processes: int = PROCESSES
    program_s: float = PROGRAM_S
    deadline_s: float | None = None
    cheap_calls: int = 1_000_000
    one_of_each: tuple[tuple[str, ...], ...] = ()

    def job(self) -> Job:
        """Return it as a sandbox takes it."""
        plan = Plan(
            builds=tuple(build_step(program, self.one_of_each) for program in self.sources),
            runs=tuple(self.runs),
            build_limits=BUILD_LIMITS,
            processes=self.processes,
            open_files=OPEN_FILES,
            cheap_calls=self.cheap_calls,
            program_wall_s=self.program_s,
            deadline_s=self.deadline_s,
        )
        return Job(plan, {f"{program}.c": data for program, data in self.sources.items()}, INPUTS)

    def after(self, *runs: RunStep) -> Exercise:
        """Return this exercise with more runs at its end."""
        return replace(self, runs=(*self.runs, *runs))

    def done_in(self, sandbox: Sandbox, *, slot: int = 0) -> Outcome:
        """Do it."""
        with sandbox.open(self.job(), slot=slot) as session:
            events = tuple(session.events())
            fetched = {name: session.fetch(name) for name in self.fetch}
        return Outcome(events, collect(events), fetched)
