"""Who counts system calls: the ways of counting agree, call for call, and with what follows from the lab."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Literal

import pytest

from grader.model.evidence import CallCount, Trace
from grader.model.plan import RunStep
from grader.model.spec.cases import Sink
from grader.model.spec.lab import Spec
from grader.model.spec.programs import LineBufferedCalls
from grader.resources import resource
from grader.sandbox.base import Sandbox

from .harness import INPUTS, SUCCESS, Exercise, Outcome, limits, source, step

PROGRAMS = ("tr2b", "tr2u")
SIZES = {"empty": 0, "one": 1, "slice": 4096, "two-slices-and-one": 8193}
SINKS: tuple[Sink, ...] = ("file", "terminal")
OPERANDS = ("abc", "xyz")
B = 4096
"""stdio's buffer for a file: st_blksize of ext4, tmpfs and pipes."""

END_READ = 1
READ_KIN = ("read", "pread64", "readv", "preadv", "preadv2")
WRITE_KIN = ("write", "pwrite64", "writev", "pwritev", "pwritev2")
LONG = limits(cpu_s=20, wall_s=60, output_bytes=32_000_000)

Engine = Literal["account", "filter", "strace", "strace-count"]


def ceil(size_bytes: int, per_call: int) -> int:
    return -(-size_bytes // per_call)


def traced_run(program: str, name: str, engine: Engine, sink: Sink) -> RunStep:
    short = f"{program}.short" if engine == "strace-count" else None
    nbyte = 1 if engine == "filter" and program == "tr2u" else None
    return step(
        f"{engine}-{sink}-{name}", program, *OPERANDS, input=name, sink=sink, engine=engine, limits=LONG,
        predicted_by=short, read_nbyte=nbyte, write_nbyte=nbyte,
    )  # fmt: skip


@pytest.fixture(scope="module")
def outcome(sandbox: Sandbox) -> Outcome:
    runs: list[RunStep] = []
    engines: tuple[Engine, ...] = ("account", "filter", "strace", "strace-count")
    for program in PROGRAMS:
        runs.append(step("short", program, *OPERANDS, input="slice", engine="strace", limits=LONG))
        runs += [traced_run(program, name, engine, "file") for name in SIZES for engine in engines]
        runs += [traced_run(program, name, "strace", "terminal") for name in ("empty", "one", "slice")]
    folder = resource("reference", "tr2", "solution")
    sources = {program: (folder / f"{program}.c").read_bytes() for program in PROGRAMS}
    return Exercise(runs, sources).done_in(sandbox)


def trace(outcome: Outcome, program: str, name: str, engine: Engine = "strace", sink: Sink = "file") -> Trace:
    found = outcome.run(f"{engine}-{sink}-{name}", program).trace
    assert found is not None
    assert found.complete
    return found


def total(calls: Mapping[str, CallCount], kin: tuple[str, ...]) -> int:
    return sum(calls[name].calls for name in kin if name in calls)


def test_the_sizes_are_those_of_the_inputs() -> None:
    assert {name: len(INPUTS[name]) for name in SIZES} == SIZES


@pytest.mark.slow
@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_log_and_the_table_of_strace_agree_call_for_call(outcome: Outcome, program: str, name: str) -> None:
    assert trace(outcome, program, name, "strace-count").calls == trace(outcome, program, name).calls


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_filter_and_strace_agree_in_everything(outcome: Outcome, program: str, name: str) -> None:
    filtered, seen = trace(outcome, program, name, "filter"), trace(outcome, program, name)
    assert outcome.run(f"filter-file-{name}", program).engine == "filter"
    # Only the filter knows which calls it would not let pass.
    assert filtered.model_copy(update={"strays": ()}) == seen.model_copy(update={"excerpt": "", "transfers": ()})


@pytest.mark.parametrize("name", SIZES)
@pytest.mark.parametrize("program", PROGRAMS)
def test_the_kernels_totals_and_strace_agree(outcome: Outcome, program: str, name: str) -> None:
    totals = outcome.run(f"account-file-{name}", program).accounting
    seen = trace(outcome, program, name)
    assert totals is not None
    assert totals.reads == total(seen.calls, READ_KIN)
    assert totals.writes == total(seen.calls, WRITE_KIN)
    assert seen.stdin is not None
    assert seen.other_reads is not None
    assert totals.read_bytes == seen.stdin.bytes + seen.other_reads.bytes
    assert totals.written_bytes == SIZES[name]


@pytest.mark.parametrize(("name", "size_bytes"), SIZES.items())
def test_the_unbuffered_program_makes_a_call_a_byte(outcome: Outcome, name: str, size_bytes: int) -> None:
    seen = trace(outcome, "tr2u", name)
    assert seen.stdin is not None
    assert seen.stdout is not None
    assert (seen.stdin.calls, seen.stdin.bytes) == (size_bytes + END_READ, size_bytes)
    assert (seen.stdout.calls, seen.stdout.bytes) == (size_bytes, size_bytes)
    assert (seen.stdin.nbyte_min, seen.stdin.nbyte_max) == (1, 1)
    assert seen.stdout.nbyte_min == seen.stdout.nbyte_max == (1 if size_bytes else None)


@pytest.mark.parametrize(("name", "size_bytes"), SIZES.items())
def test_the_buffered_program_makes_a_call_a_buffer(outcome: Outcome, name: str, size_bytes: int) -> None:
    seen = trace(outcome, "tr2b", name)
    assert seen.stdin is not None
    assert seen.stdout is not None
    assert seen.stdin.calls == ceil(size_bytes, B) + END_READ
    assert seen.stdout.calls == ceil(size_bytes, B)
    assert seen.stdin.nbyte_min == seen.stdin.nbyte_max == B


@pytest.mark.parametrize("name", ["empty", "one", "slice"])
def test_at_a_terminal_each_line_is_a_write(outcome: Outcome, spec: Spec, name: str) -> None:
    seen = trace(outcome, "tr2b", name, sink="terminal").stdout
    pattern = spec.programs["tr2b"].terminal
    assert isinstance(pattern, LineBufferedCalls)
    # Every line of these inputs is shorter than the buffer; what follows the last newline is one write more.
    assert max(map(len, INPUTS[name].split(b"\n"))) < pattern.buffer_bytes
    lines = INPUTS[name].count(b"\n") + (not INPUTS[name].endswith(b"\n") and bool(INPUTS[name]))
    assert seen is not None
    assert seen.calls == lines


@pytest.mark.parametrize("program", PROGRAMS)
def test_calls_of_the_launcher_are_not_the_programs(outcome: Outcome, program: str) -> None:
    calls = trace(outcome, program, "one").calls
    assert calls["execve"].calls == 1
    assert not {"setresuid", "setgroups", "prctl", "setsid", "close_range"} & set(calls)


@pytest.mark.parametrize("leader", ["waits", "busy"])
def test_a_second_thread_that_calls_execve_is_counted(sandbox: Sandbox, leader: str) -> None:
    """It becomes the process: neither tracer may lose it, and the log must be complete."""
    runs = (
        # Until the second thread has a CPU, strace writes down the calls of three busy ones.
        step(
            "strace", "second", leader, input="slice", engine="strace", tracer_limits=limits(output_bytes=64_000_000)
        ),
        step("filter", "second", leader, input="slice", engine="filter", read_nbyte=1, write_nbyte=1),
    )
    outcome = Exercise(runs, {"second": source("second")}).done_in(sandbox)
    for name in ("strace", "filter"):
        run = outcome.run(name, "second")
        assert (run.ending, run.stdout.data) == (SUCCESS, INPUTS["slice"]), name
        assert run.trace is not None
        assert run.trace.complete, name
        assert run.trace.stdin is not None
        assert run.trace.stdout is not None
        assert (run.trace.stdin.calls, run.trace.stdout.calls) == (len(INPUTS["slice"]) + 1, len(INPUTS["slice"]))
        assert run.trace.stdin.nbyte_max == run.trace.stdout.nbyte_max == 1
        assert run.trace.calls["execve"].calls == 2, name
