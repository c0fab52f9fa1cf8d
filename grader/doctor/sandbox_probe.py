"""What a sandbox can do here, found out by doing it: a program of a few lines is compiled, run and traced."""

from __future__ import annotations

from collections.abc import Container, Mapping

from grader.errors import GraderError
from grader.grading.collector import collect
from grader.model.evidence import Engine, Evidence, Exited, RunDone
from grader.model.plan import BuildStep, RunStep, Work
from grader.model.spec.programs import RunLimits
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.finding import RequirementCheck
from grader.sandbox.requirements import CALLS, FULL_SIZE

PROBE_SOURCE = b"""\
#include <unistd.h>
int main(void) { char c; return read(0, &c, 1) == 1 && write(1, &c, 1) == 1 ? 0 : 1; }
"""
_MODES: tuple[tuple[Engine, str, str], ...] = (
    ("account", "counts reads and writes in all", "the kernel's I/O accounting"),
    ("filter", "counts every system call at full speed", "ptrace, seccomp and the kernel's I/O accounting"),
)
_TABLES = "no check, but reports have no table of all calls at full size"
_NO_PTRACE = "something around us refuses ptrace: use another machine, or Docker on this one"
_LOG = "no check, as tally counts in its place, but reports have no log of single calls"
LIMITS = RunLimits(cpu_s=10, wall_s=20, output_bytes=1 << 20, memory_bytes=1 << 29)


def probe(sandbox: Sandbox) -> list[RequirementCheck]:
    """Try what grading does, in this sandbox."""
    try:
        with sandbox.open(Job(_work(), {"probe.c": PROBE_SOURCE}, {"byte": b"x"})) as session:
            evidence = collect(session.events())
    except GraderError as error:
        return [_stops("runs programs", str(error))]
    return [_compiles(evidence), *_counts(evidence), _traces(evidence)]


def _work() -> Work:
    return Work(
        builds=(
            BuildStep(
                program="probe",
                source="probe.c",
                compile=("gcc", "-std=gnu11", "probe.c"),
                compile_object=("gcc", "-std=gnu11", "-c", "probe.c"),
            ),
        ),
        runs=tuple(
            RunStep(
                id=f"probe.{engine}",
                program="probe",
                case=engine,
                operands=(),
                input="byte",
                pipe=None,
                sink="terminal",
                engine=engine,
                limits=LIMITS,
            )
            for engine in ("plain", "strace")
        ),
        build_limits=LIMITS,
        processes=64,
        open_files=64,
        cheap_calls=1,
        program_wall_s=60,
    )


def _compiles(evidence: Evidence) -> RequirementCheck:
    works = evidence.builds["probe"].ending == Exited(kind="exited", code=0)
    found = evidence.toolchain.compiler if evidence.toolchain else ""
    return (
        RequirementCheck("compiles", works, found) if works else _stops("compiles", evidence.builds["probe"].messages)
    )


def _stops(what: str, why: str) -> RequirementCheck:
    return RequirementCheck(what, works=False, detail=why, costs="nothing can be graded here", stops=True)


def _counts(evidence: Evidence) -> list[RequirementCheck]:
    """Tell of tally's modes; the guest has tried them before it ran anything (grader/guest/engines.py)."""
    run = evidence.run("probe", "plain")
    if run is None or not _copied(run):
        return [_stops("runs programs", str(run.ending) if run else "the program was not run")]
    missing = evidence.toolchain.missing if evidence.toolchain is not None else {}
    findings = []
    for engine, what, detail in _MODES:
        if engine not in missing:
            findings.append(RequirementCheck(what, works=True, detail=detail))
            continue
        findings.append(_missing(engine, what, missing))
    return findings


def _missing(engine: Engine, what: str, missing: Mapping[Engine, str]) -> RequirementCheck:
    why, costs = missing[engine], _costs(engine, missing)
    return RequirementCheck(
        what,
        works=False,
        detail=why,
        costs=costs or _TABLES,
        remedy=_NO_PTRACE if "ptrace" in why else "",
        unjudged=bool(costs),
    )


def _costs(engine: Engine, missing: Container[Engine]) -> str:
    """Return which checks cannot be judged without an engine and whatever else is missing; empty: none."""
    if "strace" in missing and "filter" in missing:
        return CALLS
    return FULL_SIZE if engine == "account" else ""


def _traces(evidence: Evidence) -> RequirementCheck:
    what = "traces system calls"
    found = evidence.toolchain
    run = evidence.runs.get("probe.strace")
    trace = run.trace if run is not None else None
    if found is not None and found.strace and trace is not None and trace.complete and trace.stdout is not None:
        return RequirementCheck(what, works=trace.stdout.calls == 1, detail=found.strace)
    installed = found is not None and found.strace is not None
    costs = _costs("strace", found.missing if found is not None else {})
    return RequirementCheck(
        what,
        works=False,
        detail="strace is there, but may not trace" if installed else "strace is not installed",
        costs=costs or _LOG,
        remedy="" if installed else "install the package strace",
        unjudged=bool(costs),
    )


def _copied(run: RunDone) -> bool:
    return run.ending == Exited(kind="exited", code=0) and run.stdout.data == b"x"
