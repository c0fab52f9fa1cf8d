"""Judge how many calls moved the bytes of a stream."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from typing_extensions import assert_never

from grader.model.evidence import RunDone, StreamCalls
from grader.model.report import StreamJudgement
from grader.model.spec.cases import Sink
from grader.model.spec.programs import BatchedCalls, CallPattern, ExactCalls, LineBufferedCalls

Stream = Literal["stdin", "stdout"]
Engine = Literal["strace", "tally"]

END_READS = 1
"""Reads at the end of the input: a read that returns 0 shows a program that its input has ended."""

SPARE_END_READS = 8
"""More such reads that are accepted: some loops read again, which is harmless."""


@dataclass(frozen=True)
class Observation:
    """The calls of one stream in one run, and the engine that counted them.

    `moved_bytes` is the number of bytes that went through the stream, by any call: the size of the input, or of what
    was written. `expected_bytes` is what a correct program moves there. `output` is what was written, if it is known.
    """

    input: str
    sink: Sink
    stream: Stream
    engine: Engine
    seen: StreamCalls
    moved_bytes: int
    expected_bytes: int
    output: bytes | None = None

    @property
    def counted_bytes(self) -> int:
        """The bytes that the number of calls must fit: those that they moved; if there are no calls, all expected."""
        return self.seen.bytes if self.seen.calls else self.expected_bytes


@dataclass(frozen=True)
class RunCalls:
    """The calls on standard input and output in one run of a case."""

    case: str
    engine: Engine
    stdin: StreamCalls
    stdout: StreamCalls


def from_trace(case: str, run: RunDone | None) -> RunCalls | None:
    """Return what strace or tally's filter saw; None if neither saw every single call."""
    if run is None or run.trace is None or not run.trace.complete:
        return None
    if run.trace.stdin is None or run.trace.stdout is None:
        return None
    return RunCalls(case, "tally" if run.engine == "filter" else "strace", run.trace.stdin, run.trace.stdout)


def from_accounting(case: str, run: RunDone, short_run: RunDone | None) -> RunCalls | None:
    """Split the kernel's totals into the shares of standard input and output; None if there are no totals.

    The totals cover all descriptors. The share of other descriptors (such as the reads of the dynamic loader) is
    known from the complete log of a short run. If the run wrote more or fewer messages than the short run, nobody
    knows how many writes they took: standard output then counts one write per byte, or all writes if there are fewer.
    """
    totals = run.accounting
    short = short_run.trace if short_run is not None else None
    if totals is None or short_run is None or short is None or not short.complete:
        return None
    if short.other_reads is None or short.other_writes is None:
        return None
    stdin = _without(totals.reads, totals.read_bytes, short.other_reads)
    stdout = _without(totals.writes, totals.written_bytes, short.other_writes)
    if run.stderr.size_bytes != short_run.stderr.size_bytes:
        wrote = run.stdout.size_bytes
        stdout = StreamCalls(calls=min(totals.writes, wrote), bytes=wrote, nbyte_min=None, nbyte_max=None)
    # A negative share: the program behaves differently on the short input, and the totals do not show how.
    if min(stdin.calls, stdin.bytes, stdout.calls, stdout.bytes) < 0:
        return None
    return RunCalls(case, "tally", stdin, stdout)


def _without(calls: int, size_bytes: int, other: StreamCalls) -> StreamCalls:
    return StreamCalls(calls=calls - other.calls, bytes=size_bytes - other.bytes, nbyte_min=None, nbyte_max=None)


def judge_stream(pattern: CallPattern, observed: Observation) -> StreamJudgement:
    """Compare the calls of one stream with the pattern that the spec declares for it."""
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
    # The counted calls did not move bytes that went another way (mmap, a child process, another descriptor).
    if problem is None and observed.seen.bytes < observed.moved_bytes:
        verb = _verb(observed.stream)
        problem = f"only {observed.seen.bytes:,} of {observed.moved_bytes:,} bytes went through {verb}"
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
    transfers = -(-observed.counted_bytes // pattern.nbyte)
    at_end = END_READS if observed.stream == "stdin" else 0
    expected = transfers + at_end
    derivation = f"{observed.counted_bytes:,} bytes, {pattern.nbyte} a {verb}"
    if at_end:
        derivation += ", and one read that returns 0 at the end"
    if not seen.calls:
        return expected, derivation, f"it makes no {verb} of {_descriptor(observed.stream)}"
    for nbyte in (seen.nbyte_max, seen.nbyte_min):
        if nbyte not in (None, pattern.nbyte):
            return expected, derivation, f"a {verb} asks for {nbyte:,} bytes, where nbyte has to be {pattern.nbyte}"
    # A program that knows where its input ends does not need the last read.
    if transfers <= seen.calls <= expected + (SPARE_END_READS if at_end else 0):
        return expected, derivation, None
    return expected, derivation, f"{seen.calls:,} {verb}s for {seen.bytes:,} bytes, where {expected:,} were expected"


def _batched(pattern: BatchedCalls, observed: Observation) -> tuple[int, str, str | None]:
    seen, verb = observed.seen, _verb(observed.stream)
    at_end = END_READS + SPARE_END_READS if observed.stream == "stdin" else 0
    # Round up: the last block may be short.
    most = -(-observed.counted_bytes // pattern.mean_bytes_min) + at_end
    derivation = f"at most: {observed.counted_bytes:,} bytes, {pattern.mean_bytes_min} or more a {verb} on average"
    if not seen.calls:
        return most, derivation, f"it makes no {verb} of {_descriptor(observed.stream)}"
    if seen.calls <= most:
        return most, derivation, None
    mean = seen.bytes / seen.calls
    each = "1 byte" if mean <= 1 else f"{mean:.3g} bytes"
    return most, derivation, f"{seen.calls:,} {verb}s for {seen.bytes:,} bytes: {each} a {verb} is not buffered"


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
    """Return how many writes stdio makes for an output on a terminal: one per line, or per buffer of a long line."""
    lines = output.split(b"\n")
    ended, rest = lines[:-1], lines[-1]
    writes = sum(-(-(len(line) + 1) // buffer_bytes) for line in ended)
    return writes + -(-len(rest) // buffer_bytes)


def _descriptor(stream: Stream) -> str:
    return "standard input" if stream == "stdin" else "standard output"
