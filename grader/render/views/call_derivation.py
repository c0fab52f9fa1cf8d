"""Why a program made so many calls: their number as a sum, if its parts are certain."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Literal, NamedTuple

from grader.judge.streams import END_READS, KIN, SPARE_END_READS
from grader.model.counted import counted
from grader.model.evidence import CallCount, StreamCalls
from grader.model.report import CallsEvidence, Report, StreamJudgement, SyscallTable

Verb = Literal["read", "write"]
VERBS: tuple[Verb, ...] = ("read", "write")
_NONE = CallCount(calls=0, errors=0)
_NO_CALLS: dict[Verb, str] = {"read": "0 of the input", "write": "0 of the output"}


def stream_of(table: SyscallTable, verb: Verb) -> StreamCalls | None:
    """Return the calls on standard input (read) or standard output (write)."""
    return table.stdin if verb == "read" else table.stdout


def shown_calls(table: SyscallTable, verb: Verb) -> int | None:
    """Return the number that `strace -c` shows: calls on the standard stream and on other descriptors."""
    stream = stream_of(table, verb)
    return None if stream is None else stream.calls + calls_elsewhere(table, verb)


def other_call(table: SyscallTable, verb: Verb) -> str:
    """Return the call that moves most of a stream's bytes if that is not the plain one: `pread`; otherwise ""."""
    stream, plain = stream_of(table, verb), table.calls.get(verb, _NONE).calls
    if stream is None or stream.calls <= plain:
        return ""
    kin = KIN["stdin" if verb == "read" else "stdout"]
    name = max((name for name in kin if name in table.calls), key=lambda name: table.calls[name].calls, default=verb)
    return "" if name == verb else name.removesuffix("64")


def calls_elsewhere(table: SyscallTable, verb: Verb) -> int:
    """Return how many of these calls are not on the standard stream: the dynamic loader's reads, and messages."""
    stream = stream_of(table, verb)
    if stream is None or verb not in table.calls:
        return 0
    return max(0, table.calls[verb].calls - stream.calls)


class Sum(NamedTuple):
    """A number of calls as a sum in words, "" if the numbers do not prove one.

    `besides` are the reads at the end and elsewhere of a program that reads its input one byte at a time.
    """

    words: str = ""
    besides: tuple[str, ...] = ()


def derivation(table: SyscallTable, verb: Verb, sizes: Iterable[int], judged: StreamJudgement | None) -> Sum:
    """Return the number as a sum, `5,000,000 bytes one at a time + 1 that returns 0 at the end`.

    `sizes` are block sizes that the program is known to use, for runs whose single calls were not seen. `judged` is
    the judgement of this stream.
    """
    stream = stream_of(table, verb)
    if stream is None or not table.complete:
        return Sum()
    others = [*_others(verb, calls_elsewhere(table, verb))]
    if not stream.calls:
        return Sum(" + ".join([_NO_CALLS[verb], *others]) if others else "")
    seen_size = (stream.nbyte_max,) if stream.nbyte_max else ()
    size, parts = 0, _pattern(stream, judged)
    if not parts:
        size, parts = _blocks(stream, verb, (*seen_size, *sizes, 1))
    # A call that failed would be taken for one that returns 0.
    if not parts or table.calls.get(verb, _NONE).errors:
        return Sum()
    is_bytewise = verb == "read" and size == 1 and 0 < stream.bytes < stream.calls
    return Sum(" + ".join([*parts, *others]), (*parts[1:], *others) if is_bytewise else ())


@dataclass(frozen=True)
class Judged:
    """The judgement of a stream of one program."""

    program: str
    judgement: StreamJudgement


def judged_streams(report: Report) -> tuple[Judged, ...]:
    """Return the judgements of all streams."""
    return tuple(
        Judged(check.program, stream)
        for check in report.checks
        if isinstance(check.evidence, CallsEvidence)
        for stream in check.evidence.streams
    )


def _pattern(stream: StreamCalls, judged: StreamJudgement | None) -> list[str]:
    """Return the derivation in the spec for writes to a terminal: their number depends on the output."""
    if judged is None or judged.sink != "terminal" or stream.calls in {judged.bytes, stream.bytes}:
        return []
    # A derivation with the numbers of another run would be wrong here.
    derived = judged.derived
    return [derived.words] if derived is not None and derived.counted_bytes is None else []


def _blocks(stream: StreamCalls, verb: Verb, sizes: Iterable[int]) -> tuple[int, list[str]]:
    """Return the size of the blocks, and the parts of the sum: 0 and nothing if no size fits."""
    for size in sizes:
        blocks = -(-stream.bytes // size)
        ends = stream.calls - blocks
        if 0 <= ends <= (END_READS + SPARE_END_READS if verb == "read" else 0):
            return size, [*_moved(stream.bytes, size, blocks), *_ends(ends)]
    return 0, []


def _moved(size_bytes: int, block: int, blocks: int) -> Iterator[str]:
    if block == 1 and blocks:
        yield f"{counted(size_bytes, 'byte')} one at a time"
    elif blocks == 1:
        yield f"{counted(size_bytes, 'byte')} at once"
    elif blocks and size_bytes % block:
        yield f"{counted(blocks, 'block')} of {counted(block, 'byte')}, the last one short"
    elif blocks:
        yield f"{counted(blocks, 'block')} of {counted(block, 'byte')}"


def _ends(ends: int) -> Iterator[str]:
    if ends == 1:
        yield "1 that returns 0 at the end"
    elif ends:
        yield f"{ends} that return 0 at the end"


def _others(verb: Verb, others: int) -> Iterator[str]:
    if others and verb == "write":
        yield f"{others:,} elsewhere, such as to standard error"
    elif others == 1:
        yield "1 by the dynamic loader before main"
    elif others:
        yield f"{others:,} of other files, such as by the dynamic loader"
