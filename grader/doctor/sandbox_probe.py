"""What works in a sandbox: a program of a few lines is compiled, run and traced in it."""

from __future__ import annotations

from collections.abc import Container, Mapping

from grader.errors import GraderError
from grader.model.evidence import Engine, Evidence, succeeded
from grader.model.plan import BuildStep, Plan, RunStep
from grader.model.spec.programs import RunLimits
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect
from grader.sandbox.requirements import CALLS, FULL_SIZE, MORE_PACKAGES, TOOL_PACKAGES, RequirementCheck

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
_CPLUSPLUS = ("g++", "clang++")
_FILES = {
    "probe.c": PROBE_SOURCE,
    "probe.cpp": b"#include <string>\nint main() { return std::string().empty() ? 0 : 1; }\n",
    "Makefile": b"probe: probe.c\n\tgcc -o probe probe.c\n",
}
LIMITS = RunLimits(cpu_s=10, wall_s=20, output_bytes=1 << 20, memory_bytes=1 << 29)


def probe(sandbox: Sandbox) -> list[RequirementCheck]:
    """Try what grading does, in this sandbox."""
    try:
        with sandbox.open(Job(_plan(), {"probe.c": PROBE_SOURCE}, {"byte": b"x"})) as session:
            evidence = collect(session.events())
    except GraderError as error:
        return [_fatal("runs programs", str(error))]
    return [_compiles(evidence), *_counts(evidence), _traces(evidence)]


def probe_tool(sandbox: Sandbox, tool: str) -> RequirementCheck:
    """Build a program with a compiler or with make, as some labs do, in this sandbox."""
    what = f"builds with {tool}"
    source = "probe.cpp" if tool in _CPLUSPLUS else "probe.c"
    is_make = tool == "make"
    step = BuildStep(
        program="probe",
        source=source,
        made="probe" if is_make else "",
        files=("Makefile", source) if is_make else (),
        compile=(tool, "probe" if is_make else source),
        compile_object=(),
    )
    plan = _plan().model_copy(update={"builds": (step,), "runs": ()})
    try:
        with sandbox.open(Job(plan, _FILES, {})) as session:
            build = collect(session.events()).builds["probe"]
    except GraderError as error:
        words = f"{tool} is not installed"
        return _without_tool(sandbox, tool, words if words in str(error) else str(error))
    if not succeeded(build.ending):
        return _without_tool(sandbox, tool, build.messages)
    return RequirementCheck(what, works=True, detail="as the lab needs")


def _without_tool(sandbox: Sandbox, tool: str, detail: str) -> RequirementCheck:
    package = tool.removesuffix("++") if tool == "clang++" else tool
    if sandbox.isolation == "container":
        variable = f"{MORE_PACKAGES}={package}"
        remedy = f"build an image that has it: `{variable} grader image build`; set the variable when you grade, too"
    else:
        remedy = f"install it. {TOOL_PACKAGES[tool]}"
    return RequirementCheck(
        f"builds with {tool}",
        works=False,
        detail=detail,
        impact=f"programs that {tool} builds cannot be graded",
        remedy=remedy,
        blocks_checks=True,
    )


def _plan() -> Plan:
    return Plan(
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
    build = evidence.builds["probe"]
    if not succeeded(build.ending):
        return _fatal("compiles", build.messages)
    return RequirementCheck("compiles", works=True, detail=evidence.toolchain.compiler if evidence.toolchain else "")


def _fatal(what: str, detail: str) -> RequirementCheck:
    return RequirementCheck(what, works=False, detail=detail, impact="nothing can be graded here", fatal=True)


def _counts(evidence: Evidence) -> list[RequirementCheck]:
    """Report on tally's modes, which the guest tried before it ran anything (grader/guest/engines.py)."""
    run = evidence.run("probe", "plain")
    if run is None or not succeeded(run.ending) or run.stdout.data != b"x":
        return [_fatal("runs programs", str(run.ending) if run else "the program was not run")]
    missing = evidence.toolchain.missing if evidence.toolchain is not None else {}
    return [_mode(engine, what, works_by, missing) for engine, what, works_by in _MODES]


def _mode(engine: Engine, what: str, works_by: str, missing: Mapping[Engine, str]) -> RequirementCheck:
    if engine not in missing:
        return RequirementCheck(what, works=True, detail=works_by)
    lost_checks = _lost_checks(engine, missing)
    return RequirementCheck(
        what,
        works=False,
        detail=missing[engine],
        impact=lost_checks or _TABLES,
        remedy=_NO_PTRACE if "ptrace" in missing[engine] else "",
        blocks_checks=bool(lost_checks),
    )


def _lost_checks(engine: Engine, missing: Container[Engine]) -> str:
    """Return which checks cannot be judged without this engine and the other missing ones; empty: none."""
    if "strace" in missing and "filter" in missing:
        return CALLS
    return FULL_SIZE if engine == "account" else ""


def _traces(evidence: Evidence) -> RequirementCheck:
    what = "traces system calls"
    toolchain = evidence.toolchain
    run = evidence.runs.get("probe.strace")
    trace = run.trace if run is not None else None
    if (
        toolchain is not None
        and toolchain.strace
        and trace is not None
        and trace.complete
        and trace.stdout is not None
    ):
        return RequirementCheck(what, works=trace.stdout.calls == 1, detail=toolchain.strace)
    works = toolchain is not None and toolchain.strace is not None
    missing = toolchain.missing if toolchain is not None else {}
    lost_checks = _lost_checks("strace", missing)
    return RequirementCheck(
        what,
        works=False,
        detail="strace is there, but may not trace" if works else missing.get("strace", "strace was not found"),
        impact=lost_checks or _LOG,
        remedy="" if works else "install or reinstall the package strace",
        blocks_checks=bool(lost_checks),
    )
