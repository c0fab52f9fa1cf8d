"""Evidence built by hand for the small lab: of programs that do everything right, and changes to it."""

from __future__ import annotations

import hashlib
from collections.abc import Mapping

from grader.judge.difference import difference
from grader.judge.facts import Facts
from grader.judge.streams import line_buffered_writes
from grader.model.evidence import (
    Accounting,
    BuildDone,
    CallCount,
    Captured,
    Ending,
    Evidence,
    Exited,
    LimitHit,
    LimitReached,
    RunDone,
    Signalled,
    StepLeftOut,
    StreamCalls,
    Times,
    Toolchain,
    Trace,
    program_and_case,
)
from grader.model.lab import Lab
from grader.model.reference import Reference
from grader.model.report import Difference
from grader.model.submission import Source, Submission, UnusableSource

from .lab import BUFFER, INPUTS, PROGRAMS, SPEC, TERMINAL_BUFFER

SUCCESS = Exited(kind="exited", code=0)
FAILURE = Exited(kind="exited", code=1)
CRASH = Signalled(kind="signalled", signal=11)
LOADER = StreamCalls(calls=1, bytes=832, nbyte_min=832, nbyte_max=832)
NONE = StreamCalls(calls=0, bytes=0, nbyte_min=None, nbyte_max=None)
TOOLCHAIN = Toolchain(python="3.10.1", kernel="6.1", compiler="gcc 12", strace="strace 6.1")
SYMBOLS = {"many": ("getc", "putchar", "stdin"), "single": ("read", "write")}
REFERENCE_TIMES = Times(real_s=0.5, user_s=0.25, sys_s=0.125)


def limit(hit: LimitHit) -> LimitReached:
    return LimitReached(kind="limit", limit=hit)


def captured(data: bytes, *, kept: bool = True) -> Captured:
    return Captured(size_bytes=len(data), sha256=hashlib.sha256(data).hexdigest(), data=data if kept else None)


def stream(calls: int, size_bytes: int, nbyte: int | None = None) -> StreamCalls:
    return StreamCalls(calls=calls, bytes=size_bytes, nbyte_min=nbyte, nbyte_max=nbyte)


def trace(stdin: StreamCalls | None, stdout: StreamCalls | None, *, complete: bool = True) -> Trace:
    counted = stdin is not None
    reads, writes = (one.calls if one else 0 for one in (stdin, stdout))
    return Trace(
        complete=complete,
        calls={"read": CallCount(calls=reads + 1, errors=0), "write": CallCount(calls=writes, errors=0)},
        stdin=stdin,
        stdout=stdout,
        other_reads=LOADER if counted else None,
        other_writes=NONE if counted else None,
        excerpt='read(0, "a", 1) = 1',
    )


STOPPED_S = 1000.0
"""Seconds of a run that reached its limit: more than any limit allows."""


def run(step: str, output: bytes = b"", **changes: object) -> RunDone:
    plain = RunDone(
        step=step,
        engine="strace" if step.endswith(".strace") else "plain",
        ending=SUCCESS,
        times=REFERENCE_TIMES,
        peak_memory_bytes=1,
        stdout=captured(output),
        stderr=captured(b""),
    )
    if changes.get("ending") == limit("wall"):
        plain = plain.model_copy(update={"times": Times(real_s=STOPPED_S, user_s=STOPPED_S, sys_s=0.0)})
    return plain.model_copy(update=changes)


def accounting(reads: int, writes: int, size_bytes: int) -> Accounting:
    """The kernel's totals: what went through the standard streams, and the loader's."""
    return Accounting(
        reads=reads + LOADER.calls, writes=writes, read_bytes=size_bytes + LOADER.bytes, written_bytes=size_bytes
    )


def right_calls(program: str, data: bytes, *, terminal: bool = False) -> tuple[StreamCalls, StreamCalls]:
    """What a program that does it right reads and writes."""
    size = len(data)
    if program == "single":
        return stream(size + 1, size, 1), stream(size, size, 1)
    blocks = -(-size // BUFFER)
    writes = line_buffered_writes(data, TERMINAL_BUFFER) if terminal else blocks
    return stream(blocks + 1, size, BUFFER), stream(writes, size, None if terminal else BUFFER)


def right_runs(program: str) -> dict[str, RunDone]:
    """Every run of a program that does everything right; as in a real one, only `many` is cheap at full size."""
    runs = {}
    for name, case in SPEC.cases.items():
        data = b"" if case.expect == "operand-error" else INPUTS[case.input]
        reads, writes = right_calls(program, INPUTS[case.input], terminal=case.sink == "terminal")
        plain = run(f"{program}.{name}", data)
        if case.expect == "operand-error":
            plain = plain.model_copy(update={"ending": FAILURE, "stderr": captured(b"operands differ\n")})
        if case.engine in ("account", "filter"):
            totals = accounting(reads.calls, writes.calls, len(data))
            plain = plain.model_copy(update={"engine": case.engine, "accounting": totals})
        if case.engine == "filter":
            plain = plain.model_copy(update={"trace": trace(reads, writes)})
        if case.engine != "none" and (case.when == "always" or program == "many"):
            runs[plain.step] = plain
        if case.strace == "always" or (case.strace == "when-cheap" and program == "many"):
            step = f"{program}.{name}.strace"
            runs[step] = run(step, data, trace=trace(reads, writes))
    return runs


def build(program: str, ending: Ending = SUCCESS, messages: str = "") -> BuildDone:
    symbols = SYMBOLS[program] if ending == SUCCESS else None
    return BuildDone(program=program, ending=ending, messages=messages, symbols=symbols, wall_s=0.1)


def all_right() -> dict[str, RunDone]:
    return {step: done for program in PROGRAMS for step, done in right_runs(program).items()}


def evidence(
    runs: Mapping[str, RunDone | None] | None = None,
    builds: Mapping[str, BuildDone] | None = None,
    left_out: Mapping[str, str] | None = None,
) -> Evidence:
    """The evidence of right programs with some runs and builds exchanged; None, or a reason, leaves a run out."""
    absent = {step: StepLeftOut.model_validate({"step": step, "why": why}) for step, why in (left_out or {}).items()}
    together = {**all_right(), **(runs or {}), **dict.fromkeys(absent)}
    return Evidence(
        toolchain=TOOLCHAIN,
        builds={**{program: build(program) for program in PROGRAMS}, **(builds or {})},
        runs={step: done for step, done in together.items() if done is not None},
        left_out=absent,
    )


REFERENCE = Reference(evidence(), {hashlib.sha256(data).hexdigest(): data for data in (b"", *INPUTS.values())})
LAB = Lab(SPEC, INPUTS, REFERENCE)
SUBMISSION = Submission("ada", {program: Source(b"int main;") for program in PROGRAMS})


def facts(
    *changed: RunDone,
    left_out: Mapping[str, str] | None = None,
    builds: Mapping[str, BuildDone] | None = None,
    unusable: Mapping[str, str] | None = None,
    kinds: Mapping[str, str] | None = None,
) -> Facts:
    """A submission that is right except for the changed runs and builds."""
    problems = {program: UnusableSource(problem) for program, problem in (unusable or {}).items()}
    submission = Submission("ada", {**SUBMISSION.sources, **problems}, kinds=kinds or {})
    seen = evidence({done.step: done for done in changed}, builds, left_out)
    return Facts(LAB, submission, seen, _differences(seen))


def _differences(seen: Evidence) -> dict[str, Difference]:
    found = {}
    for step, done in seen.runs.items():
        program, name = program_and_case(step)
        expected, case = REFERENCE.run(program, name), SPEC.cases[name]
        if expected is not None and done.stdout.data is not None and case.expect == "reference-output":
            where = difference(REFERENCE.output(expected), done.stdout.data, INPUTS[case.input])
            if where is not None:
                found[step] = where
    return found
