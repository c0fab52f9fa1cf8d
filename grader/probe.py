"""What a sandbox can do here, found out by doing it: a program of a few lines is compiled, run and traced."""

from __future__ import annotations

from dataclasses import dataclass

from grader.collect import collect
from grader.errors import GraderError
from grader.model.evidence import Engine, Evidence, Exited, RunDone
from grader.model.plan import BuildStep, RunStep, Work
from grader.model.spec import RunLimits
from grader.sandbox.base import Job, Sandbox

PROBE_SOURCE = b"""\
#include <unistd.h>
int main(void) { char c; return read(0, &c, 1) == 1 && write(1, &c, 1) == 1 ? 0 : 1; }
"""
LIMITS = RunLimits(cpu_s=10, wall_s=20, output_bytes=1 << 20, memory_bytes=1 << 29)


@dataclass(frozen=True)
class Finding:
    """One thing that grading needs: whether it works, and what was seen or what to do."""

    what: str
    works: bool
    detail: str


def probe(sandbox: Sandbox) -> list[Finding]:
    """Try what grading does, in this sandbox."""
    try:
        with sandbox.open(Job(_work(), {"probe.c": PROBE_SOURCE}, {"byte": b"x"})) as session:
            evidence = collect(session.events())
    except GraderError as error:
        return [Finding("runs programs", works=False, detail=str(error))]
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
        submission_wall_s=60,
    )


def _compiles(evidence: Evidence) -> Finding:
    works = evidence.builds["probe"].ending == Exited(kind="exited", code=0)
    found = evidence.toolchain.compiler if evidence.toolchain else ""
    return Finding("compiles", works, found if works else evidence.builds["probe"].messages)


def _counts(evidence: Evidence) -> list[Finding]:
    """Tell of tally's modes; the guest has tried them before it ran anything (grader/guest/engines.py)."""
    run = evidence.run("probe", "plain")
    if run is None or not _copied(run):
        return [Finding("runs programs", works=False, detail=str(run.ending) if run else "the program was not run")]
    missing = evidence.toolchain.missing if evidence.toolchain is not None else {}
    modes: tuple[tuple[Engine, str, str], ...] = (
        ("account", "counts reads and writes in all", "the kernel's I/O accounting"),
        ("filter", "counts every system call at full speed", "ptrace, seccomp and the kernel's I/O accounting"),
    )
    return [Finding(what, engine not in missing, missing.get(engine, detail)) for engine, what, detail in modes]


def _traces(evidence: Evidence) -> Finding:
    if evidence.toolchain is not None and evidence.toolchain.strace is None:
        return Finding("traces system calls", works=False, detail="strace is not installed; install it")
    run = evidence.runs.get("probe.strace")
    trace = run.trace if run is not None else None
    works = trace is not None and trace.complete and trace.stdout is not None and trace.stdout.calls == 1
    version = evidence.toolchain.strace if evidence.toolchain else ""
    return Finding("traces system calls", works, f"{version}" if works else "strace is there, but may not trace")


def _copied(run: RunDone) -> bool:
    return run.ending == Exited(kind="exited", code=0) and run.stdout.data == b"x"
