"""Judge how many calls moved the bytes of a stream."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Literal, NamedTuple

from typing_extensions import assert_never

from grader.model.counted import counted
from grader.model.evidence import READ_CALLS, WRITE_CALLS, RunDone, StreamCalls, Trace
from grader.model.report import STREAM_NAMES, CountedBy, Derived, Stream, StreamJudgement
from grader.model.spec.cases import Sink
from grader.model.spec.programs import AnyCalls, BatchedCalls, CallPattern, ExactCalls, LineBufferedCalls

Messages = Literal["few writes", "many writes"]
Deviation = Literal["", "no-calls", "nbyte", "count", "elsewhere"]

STANDARD_ERROR = 2
END_READS = 1
"""Reads at the end of the input: a read that returns 0 shows a program that its input has ended."""

KIN: Mapping[Stream, tuple[str, ...]] = {"stdin": READ_CALLS, "stdout": WRITE_CALLS}
"""The calls that move the bytes of a stream."""

SPARE_MESSAGE_BYTES = 16
"""Bytes by which a message may differ from that of another run without taking another number of writes."""

MOST_OTHER_READS = 16
"""Most reads of other descriptors in a short run that are taken off the totals: the dynamic loader makes 1 to 3.

A program could make many on the slice alone, to hide as many reads of standard input elsewhere.
"""

MOST_OTHER_WRITES = 256
"""Most writes of messages in a short run that are taken off: one may take a write for each of its bytes.

Of other writes to other descriptors, such as to a log, no more than MOST_OTHER_READS besides the usual ones are.
"""

MOST_ELSEWHERE_BYTES = 16384
"""Bytes that a full-size run may read or write on other descriptors, besides its messages: the loader reads 832."""

ELSEWHERE_SHARE = 1 / 16
"""Most that this may be of the bytes of a stream."""

MOST_ELSEWHERE_CALLS = 64
"""Calls on other descriptors by which a full-size run may differ from the short one."""

MAPS_ITS_INPUT = "it maps its input into memory, where no call shows what it reads"

SPARE_END_READS = 8
"""More such reads that are accepted: some loops read again, which is harmless."""


@dataclass(frozen=True)
class Observation:
    """The calls of one stream in one run, and the engine that counted them.

    `moved_bytes` is the number of bytes that went through the stream, by any call: the size of the input, or of what
    was written. `expected_bytes` is what a correct program moves there. `output` is what was written, if it is known.
    A batched stream may have `spare_calls` more calls than its bytes need. `mappings` are mappings of the stream's
    file into memory. `names` are the calls that moved its bytes, and `failed` says how many of them failed, if these
    are known. `file` is the name of the file that is judged in place of standard input or output. `is_lower_bound`:
    there may be more calls.
    """

    input: str
    sink: Sink
    stream: Stream
    engine: CountedBy
    seen: StreamCalls
    moved_bytes: int
    expected_bytes: int
    output: bytes | None = None
    spare_calls: int = 0
    mappings: int = 0
    names: tuple[str, ...] = ()
    failed: str = ""
    case: str = ""
    by_case: bool = False
    file: str | None = None
    is_lower_bound: bool = False

    @property
    def place(self) -> str:
        """What the calls are on, in words."""
        return self.file or STREAM_NAMES[self.stream]

    @property
    def counted_bytes(self) -> int:
        """The bytes that the number of calls must fit: those that they moved; if there are no calls, all expected."""
        return self.seen.bytes if self.seen.calls else self.expected_bytes

    @property
    def words(self) -> str:
        """The number of calls and of the bytes that they moved, in words."""
        calls = counted(self.seen.calls, verb_of(self.stream))
        return f"{'at least ' if self.is_lower_bound else ''}{calls} for {counted(self.seen.bytes, 'byte')}"


@dataclass(frozen=True)
class RunCalls:
    """The calls on standard input and output in one run of a case, which `step` names.

    `is_lower_bound`: there may be more, because the kernel leaves some calls that fail out of its totals.
    """

    case: str
    step: str
    engine: CountedBy
    stdin: StreamCalls
    stdout: StreamCalls
    input_mappings: int = 0
    stdin_names: tuple[str, ...] = ()
    stdout_names: tuple[str, ...] = ()
    stdin_failed: str = ""
    stdout_failed: str = ""
    is_lower_bound: bool = False


def counted_by(run: RunDone) -> CountedBy:
    """Return which tool made the trace of a run."""
    return "strace" if run.engine == "strace" else "tally"


def from_trace(case: str, run: RunDone | None) -> RunCalls | None:
    """Return what strace or tally's filter saw; None if neither saw every single call."""
    if run is None or run.trace is None or not run.trace.complete:
        return None
    if run.trace.stdin is None or run.trace.stdout is None:
        return None
    return RunCalls(
        case,
        run.step,
        counted_by(run),
        run.trace.stdin,
        run.trace.stdout,
        run.trace.input_mappings,
        call_names(run.trace, run.trace.stdin, "stdin"),
        call_names(run.trace, run.trace.stdout, "stdout"),
        failed_calls(run.trace, "stdin"),
        failed_calls(run.trace, "stdout"),
    )


def failed_calls(trace: Trace, stream: Stream) -> str:
    """Say how many calls on a stream failed, and how: a read that fails is not the one that returns 0 at the end."""
    transfers = [one for one in trace.transfers if one.on_stream and one.name in KIN[stream]]
    failed = [f"{times:,} with {error}" for one in transfers for error, times in one.errors.items()]
    return f"; some calls failed: {', '.join(failed)}" if failed else ""


def call_names(trace: Trace, seen: StreamCalls, stream: Stream) -> tuple[str, ...]:
    """Return the calls that moved the bytes of a stream; only strace's log says on which descriptor each call was.

    Without it, some calls of the stream must have another name if there are more of them than calls of read or write
    altogether.
    """
    kin = KIN[stream]
    if trace.transfers:
        return tuple(one.name for one in trace.transfers if one.name in kin and one.on_stream)
    plain = trace.calls.get(kin[0])
    if seen.calls <= (plain.calls if plain is not None else 0):
        return ()
    return tuple(name for name in kin[1:] if name in trace.calls)


def from_accounting(  # noqa: PLR0913 - what is known of a run, and what is usual
    case: str,
    run: RunDone,
    short_run: RunDone | None,
    messages: Messages = "few writes",
    *,
    output_file: str | None = None,
    usual: Trace | None = None,
) -> RunCalls | None:
    """Split the kernel's totals into the shares of standard input and output; None if there are no totals.

    The totals cover all descriptors. The share of other descriptors (such as the reads of the dynamic loader) is
    known from the complete log of a short run. If the run wrote more or fewer messages than the short run, nobody
    knows how many writes they took. If they are taken to be few, standard output counts one write per byte, or all
    writes if there are fewer; if many, each message byte counts as a write, and standard output has the rest. If the
    run's messages were counted, standard output has all other writes.

    If the output is a file, what goes to standard output is a message. It may be a few bytes longer or shorter, such
    as a time, without taking another number of writes.

    `usual` is a right program's log of the short run, if there is one. Many more reads of other descriptors than in
    that have no share, and many more writes, unless they are messages, are taken for writes to standard output.
    """
    totals = run.accounting
    short = short_run.trace if short_run is not None else None
    if totals is None or short_run is None or short is None or not short.complete:
        return None
    if short.other_reads is None or short.other_writes is None:
        return None
    usual_reads, usual_writes = (usual.other_reads, usual.other_writes) if usual is not None else (None, None)
    if usual_reads is not None and short.other_reads.calls > usual_reads.calls + MOST_OTHER_READS:
        return None
    most_writes = MOST_OTHER_WRITES
    if usual_writes is not None:
        messages_bytes = min(short_run.message_bytes(output_file), MOST_OTHER_WRITES)
        most_writes = messages_bytes + usual_writes.calls + MOST_OTHER_READS
    others = short.other_writes
    others = others.model_copy(update={"calls": min(others.calls, most_writes)})
    stdin = _without(totals.reads, totals.read_bytes, short.other_reads)
    stdout = _without(totals.writes, totals.written_bytes, others)
    more_bytes = run.message_bytes(output_file) - short_run.message_bytes(output_file)
    if output_file is None and run.stderr.size_bytes and run.message_writes is not None:
        stdout = _besides_messages(run, totals.writes, run.message_writes, short)
    elif output_file is not None and abs(more_bytes) <= SPARE_MESSAGE_BYTES:
        stdout = stdout.model_copy(update={"bytes": stdout.bytes - more_bytes})
    elif more_bytes:
        wrote = run.written_bytes(output_file)
        certain = max(totals.writes - run.message_bytes(output_file), 1 if wrote else 0)
        calls = min(totals.writes, wrote) if messages == "few writes" else certain
        stdout = StreamCalls(calls=calls, bytes=wrote, nbyte_min=None, nbyte_max=None)
    # A negative share: the program behaves differently on the short input, and the totals do not show how.
    if min(stdin.calls, stdin.bytes, stdout.calls, stdout.bytes) < 0:
        return None
    failing = any(failed_calls(short, stream) for stream in KIN)
    return RunCalls(case, run.step, "tally", stdin, stdout, is_lower_bound=failing)


def only_conforming(calls: RunCalls, moved_bytes: Mapping[Stream, int], nbyte: Mapping[Stream, int]) -> RunCalls:
    """Return the calls of a run in which each call on a standard stream had this nbyte, which the totals do not show.

    Then what the totals have too much, or too little, belongs to other descriptors: the kernel's reads of a program
    that another one starts, or a file that is longer than in the short run. Pointless calls are not taken off.
    """
    reads, writes = (-(-moved_bytes[stream] // nbyte[stream]) for stream in KIN)
    return replace(
        calls,
        stdin=_conforming(calls.stdin, reads + END_READS, moved_bytes["stdin"], nbyte["stdin"]),
        stdout=_conforming(calls.stdout, writes, moved_bytes["stdout"], nbyte["stdout"]),
    )


def with_bytes_of(calls: RunCalls, moved_bytes: Mapping[Stream, int]) -> RunCalls:
    """Return the calls of a long run, which moved all bytes of their streams if the totals do not show many others.

    How many bytes moved on other descriptors is known only of the short run: in this one, a log may be longer.
    """

    def seen_in(stream: Stream, seen: StreamCalls) -> StreamCalls:
        elsewhere = abs(seen.bytes - moved_bytes[stream])
        is_close = elsewhere <= min(MOST_ELSEWHERE_BYTES, ELSEWHERE_SHARE * moved_bytes[stream])
        return seen.model_copy(update={"bytes": moved_bytes[stream]}) if is_close else seen

    return replace(calls, stdin=seen_in("stdin", calls.stdin), stdout=seen_in("stdout", calls.stdout))


def _conforming(seen: StreamCalls, calls: int, moved_bytes: int, nbyte: int) -> StreamCalls:
    is_close = abs(seen.bytes - moved_bytes) <= MOST_ELSEWHERE_BYTES
    return StreamCalls(
        calls=calls if calls < seen.calls <= calls + MOST_ELSEWHERE_CALLS else seen.calls,
        bytes=moved_bytes if is_close else seen.bytes,
        nbyte_min=nbyte if seen.calls else None,
        nbyte_max=nbyte if seen.calls else None,
    )


def _besides_messages(run: RunDone, writes: int, message_writes: int, short: Trace) -> StreamCalls:
    """Return the share of standard output if the writes to standard error are known."""
    wrote = run.stdout.size_bytes
    elsewhere = sum(
        one.calls
        for one in short.transfers
        if one.name in WRITE_CALLS and not one.on_stream and one.descriptor != STANDARD_ERROR
    )
    # Two messages of whole parts count as one write.
    calls = max(writes - message_writes - min(elsewhere, MOST_OTHER_WRITES), 1 if wrote else 0)
    return StreamCalls(calls=calls, bytes=wrote, nbyte_min=None, nbyte_max=None)


def _without(calls: int, size_bytes: int, other: StreamCalls) -> StreamCalls:
    return StreamCalls(calls=calls - other.calls, bytes=size_bytes - other.bytes, nbyte_min=None, nbyte_max=None)


def judge_stream(pattern: CallPattern, observed: Observation) -> StreamJudgement:
    """Compare the calls of one stream with the pattern that the spec declares for it."""
    expected: int | None
    match pattern:
        case AnyCalls():
            return _judgement(observed, None, Derived(each="not judged in this lab"), None)
        case ExactCalls():
            expected, derived, problem = _exact(pattern, observed)
        case BatchedCalls():
            expected, derived, problem = _batched(pattern, observed)
        case LineBufferedCalls():
            expected, derived, problem = _line_buffered(pattern, observed)
        case _ as unreachable:
            assert_never(unreachable)
    if problem is None and observed.mappings:
        problem = _Problem("elsewhere", MAPS_ITS_INPUT)
    # The counted calls did not move bytes that went another way (mmap, a child process, another descriptor).
    if problem is None and observed.seen.bytes < observed.moved_bytes:
        verb = verb_of(observed.stream)
        problem = _Problem(
            "elsewhere",
            f"only {observed.seen.bytes:,} of {counted(observed.moved_bytes, 'byte')} went through {verb}",
        )
    derived = derived.model_copy(update={"each": f"{derived.each}{observed.failed}"})
    return _judgement(observed, expected, derived, problem)


def _judgement(
    observed: Observation, expected: int | None, derived: Derived, problem: _Problem | None
) -> StreamJudgement:
    return StreamJudgement(
        case=observed.case,
        by_case=observed.by_case,
        input=observed.input,
        sink=observed.sink,
        stream=observed.stream,
        file=observed.file,
        engine=observed.engine,
        calls=observed.seen.calls,
        bytes=observed.seen.bytes,
        expected_calls=expected,
        derivation=f"{'at most: ' if derived.at_most else ''}{derived.words}",
        derived=derived,
        passed=problem is None,
        problem=problem.text if problem is not None else "",
        deviation=problem.deviation if problem is not None else "",
        nbyte=problem.nbyte if problem is not None else None,
        instead=problem.instead if problem is not None else (),
    )


class _Problem(NamedTuple):
    """What is wrong with a stream."""

    deviation: Deviation
    text: str
    nbyte: int | None = None
    instead: tuple[str, ...] = ()


def verb_of(stream: Stream) -> str:
    """Return the call that moves the bytes of a stream."""
    return "read" if stream == "stdin" else "write"


def _exact(pattern: ExactCalls, observed: Observation) -> tuple[int, Derived, _Problem | None]:
    seen, verb = observed.seen, verb_of(observed.stream)
    transfers = -(-observed.counted_bytes // pattern.nbyte)
    at_end = END_READS if observed.stream == "stdin" else 0
    expected = transfers + at_end
    ends = ", and one read that returns 0 at the end" if at_end else ""
    derived = Derived(each=f"{pattern.nbyte} per {verb}{ends}", counted_bytes=observed.counted_bytes)
    if not seen.calls and observed.expected_bytes:
        return expected, derived, _no_calls(observed)
    # The number of calls, which is judged below, leaves room for few other calls. The last may ask for the rest, and
    # stdio asks once more for what the last read did not deliver.
    rest = observed.counted_bytes % pattern.nbyte
    allowed = (None, pattern.nbyte, rest or pattern.nbyte, pattern.nbyte - rest if at_end else pattern.nbyte)
    for nbyte in (seen.nbyte_max, seen.nbyte_min):
        if nbyte not in allowed:
            return expected, derived, _wrong_call(observed, nbyte, pattern)
    # A program that knows where its input ends does not need the last read.
    if transfers <= seen.calls <= expected + (SPARE_END_READS if at_end else 0):
        return expected, derived, None
    each = "one for each byte" if pattern.nbyte == 1 else f"one for every {pattern.nbyte:,} bytes"
    text = f"{observed.words}, instead of {each}{' and one at the end' if at_end else ''}"
    return expected, derived, _Problem("count", text)


def _no_calls(observed: Observation) -> _Problem:
    verb = verb_of(observed.stream)
    return _Problem("no-calls", f"it makes no {verb} {'of' if verb == 'read' else 'to'} {observed.place}")


def _wrong_call(observed: Observation, nbyte: int, pattern: ExactCalls) -> _Problem:
    """Say that a call asks for another number of bytes, or that it is not a read or write at all.

    Of calls such as pread64, it is not known what they ask for.
    """
    verb = verb_of(observed.stream)
    others = [name for name in observed.names if name != verb]
    if others:
        text = other_calls(verb, observed.place, others)
        return _Problem("elsewhere", text, instead=tuple(map(plain_call, others)))
    return _Problem("nbyte", wrong_nbyte(verb, nbyte, pattern), nbyte)


def other_calls(verb: str, place: str, names: Sequence[str]) -> str:
    """Say that a stream's bytes are moved by other calls than the plain one."""
    return f"it {verb}s {place} with {' and '.join(map(plain_call, names))}, not with {verb}"


def plain_call(name: str) -> str:
    """Return the name of the C library's function for a call: `pread` for `pread64`."""
    return name.removesuffix("64")


def wrong_nbyte(verb: str, nbyte: int, pattern: ExactCalls) -> str:
    """Say that a call asks for another number of bytes than it must."""
    return f"a {verb} asks for {counted(nbyte, 'byte')}, but nbyte must be {pattern.nbyte}"


def _batched(pattern: BatchedCalls, observed: Observation) -> tuple[int, Derived, _Problem | None]:
    seen, verb = observed.seen, verb_of(observed.stream)
    at_end = END_READS + SPARE_END_READS if observed.stream == "stdin" else 0
    # Round up: the last block may be short.
    most = -(-observed.counted_bytes // pattern.mean_bytes_min) + at_end + observed.spare_calls
    each = "" if pattern.mean_bytes_min == 1 else f" {pattern.mean_bytes_min:,}"
    more = f", and {at_end + observed.spare_calls} more" if at_end + observed.spare_calls else ""
    derived = Derived(each=f"one for each{each}{more}", counted_bytes=observed.counted_bytes, at_most=True)
    if not seen.calls and observed.expected_bytes:
        return most, derived, _no_calls(observed)
    if seen.calls <= most:
        return most, derived, None
    mean = seen.bytes / seen.calls
    moved = f"1 byte per {verb} on average: that is not buffered"
    if mean > 1:
        moved = f"{mean:.3g} bytes per {verb} on average: that is too few for a buffer"
    return most, derived, _Problem("count", f"{observed.words}, {moved}")


def _line_buffered(pattern: LineBufferedCalls, observed: Observation) -> tuple[int | None, Derived, _Problem | None]:
    each = f"one write per newline or per {counted(pattern.buffer_bytes, 'byte')}, whichever comes first"
    derived = Derived(each=each)
    if observed.output is None:
        return None, derived, _Problem("", "what was written is not known")
    expected = line_buffered_writes(observed.output, pattern.buffer_bytes)
    calls = observed.seen.calls
    if calls == expected:
        return expected, derived, None
    how = "more" if calls > expected else "fewer"
    text = f"{counted(calls, 'write')}, {how} than the {expected:,} of a line-buffered stream"
    return expected, derived, _Problem("count", text)


def line_buffered_writes(output: bytes, buffer_bytes: int) -> int:
    """Return how many writes stdio makes for an output on a terminal: one per line, or per buffer of a long line."""
    lines = output.split(b"\n")
    ended, rest = lines[:-1], lines[-1]
    writes = sum(-(-(len(line) + 1) // buffer_bytes) for line in ended)
    return writes + -(-len(rest) // buffer_bytes)
