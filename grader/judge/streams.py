"""How many calls a stream took, and how many it may take."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from typing_extensions import assert_never

from grader.model.evidence import RunDone, StreamCalls, Trace
from grader.model.report import StreamJudgement
from grader.model.spec import BatchedCalls, CallPattern, ExactCalls, LineBufferedCalls, Sink

Stream = Literal["stdin", "stdout"]
Engine = Literal["strace", "tally"]

END_READS = 1
"""A read that returns 0 is how a program learns that its input has ended."""

SPARE_END_READS = 1
"""Some loops ask once more; harmless, and one call in millions."""


@dataclass(frozen=True)
class Observation:
    """Calls of one stream in one run, and who counted them; `output` is what was written, where it is known."""

    input: str
    sink: Sink
    stream: Stream
    engine: Engine
    seen: StreamCalls
    output: bytes | None = None


@dataclass(frozen=True)
class RunCalls:
    """Calls on standard input and output of one run of a case."""

    case: str
    engine: Engine
    stdin: StreamCalls
    stdout: StreamCalls


def from_trace(case: str, run: RunDone | None) -> RunCalls | None:
    """Return what a log shows; None where there is no log of single calls, or not a complete one."""
    if run is None or run.trace is None or not run.trace.complete:
        return None
    if run.trace.stdin is None or run.trace.stdout is None:
        return None
    return RunCalls(case, "strace", run.trace.stdin, run.trace.stdout)


def from_accounting(case: str, run: RunDone, short: Trace) -> RunCalls | None:
    """Split the kernel's totals into standard input's and output's share; None where there are no totals.

    The totals are over all descriptors. What other descriptors took (the dynamic loader's reads) is the same in
    every run, and known from the complete log of a short one.
    """
    totals = run.accounting
    if totals is None or short.other_reads is None or short.other_writes is None:
        return None
    return RunCalls(
        case,
        "tally",
        _without(totals.reads, totals.read_bytes, short.other_reads),
        _without(totals.writes, totals.written_bytes, short.other_writes),
    )


def _without(calls: int, size_bytes: int, other: StreamCalls) -> StreamCalls:
    return StreamCalls(calls=calls - other.calls, bytes=size_bytes - other.bytes, nbyte_min=None, nbyte_max=None)


def judge_stream(pattern: CallPattern, observed: Observation) -> StreamJudgement:
    """Hold one stream's calls against the pattern that the spec declares for it."""
    expected: int | None
    match pattern:
        case ExactCalls():
            expected, derivation, problem = _exact(pattern, observed)
        case BatchedCalls():
            expected, derivation, problem = _batched(pattern, observed)
        case LineBufferedCalls():
            expected, derivation, problem = _line_buffered(pattern, observed)
        case _ as unreachable:
            assert_never(unreachable)
    return StreamJudgement(
        input=observed.input,
        sink=observed.sink,
        stream=observed.stream,
        engine=observed.engine,
        calls=observed.seen.calls,
        bytes=observed.seen.bytes,
        expected_calls=expected,
        derivation=derivation,
        passed=problem is None,
        problem=problem or "",
    )


def _verb(stream: Stream) -> str:
    return "read" if stream == "stdin" else "write"


def _exact(pattern: ExactCalls, observed: Observation) -> tuple[int, str, str | None]:
    seen, verb = observed.seen, _verb(observed.stream)
    transfers = -(-seen.bytes // pattern.nbyte)
    at_end = END_READS if observed.stream == "stdin" else 0
    expected = transfers + at_end
    derivation = f"{seen.bytes:,} bytes, {pattern.nbyte} a {verb}"
    if at_end:
        derivation += ", and one read that returns 0 at the end"
    if not seen.calls:
        return expected, derivation, f"it makes no {verb} of {_descriptor(observed.stream)}"
    for nbyte in (seen.nbyte_min, seen.nbyte_max):
        if nbyte not in (None, pattern.nbyte):
            return expected, derivation, f"a {verb} asks for {nbyte:,} bytes, where nbyte has to be {pattern.nbyte}"
    # A program that knows where its input ends may do without the last read.
    if transfers <= seen.calls <= expected + (SPARE_END_READS if at_end else 0):
        return expected, derivation, None
    return expected, derivation, f"{seen.calls:,} {verb}s for {seen.bytes:,} bytes, where {expected:,} were expected"


def _batched(pattern: BatchedCalls, observed: Observation) -> tuple[int, str, str | None]:
    seen, verb = observed.seen, _verb(observed.stream)
    at_end = END_READS + SPARE_END_READS if observed.stream == "stdin" else 0
    # The last block may be short, whatever the mean is.
    most = -(-seen.bytes // pattern.mean_bytes_min) + at_end
    derivation = f"at most: {seen.bytes:,} bytes, {pattern.mean_bytes_min} or more a {verb} on average"
    if not seen.calls:
        return most, derivation, f"it makes no {verb} of {_descriptor(observed.stream)}"
    if seen.calls <= most:
        return most, derivation, None
    mean = seen.bytes / seen.calls
    return (
        most,
        derivation,
        f"{seen.calls:,} {verb}s for {seen.bytes:,} bytes: {mean:.3g} bytes a call is not buffered",
    )


def _line_buffered(pattern: LineBufferedCalls, observed: Observation) -> tuple[int | None, str, str | None]:
    derivation = f"one write a newline or {pattern.buffer_bytes} bytes, whichever comes first"
    if observed.output is None:
        return None, derivation, "what was written is not known"
    expected = line_buffered_writes(observed.output, pattern.buffer_bytes)
    calls = observed.seen.calls
    if calls == expected:
        return expected, derivation, None
    how = "more" if calls > expected else "fewer"
    return expected, derivation, f"{calls:,} writes, {how} than the {expected:,} of a line-buffered stream"


def line_buffered_writes(output: bytes, buffer_bytes: int) -> int:
    """Return how many writes stdio makes of an output on a terminal: each line takes as many as it fills buffers."""
    lines = output.split(b"\n")
    ended, rest = lines[:-1], lines[-1]
    writes = sum(-(-(len(line) + 1) // buffer_bytes) for line in ended)
    return writes + -(-len(rest) // buffer_bytes)


def _descriptor(stream: Stream) -> str:
    return "standard input" if stream == "stdin" else "standard output"
