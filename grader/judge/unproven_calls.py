"""Why runs do not show the calls that they should, although the engines worked."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from grader.judge.agreement import (
    COUNTED_BY_THE_KERNEL,
    MAPPING,
    UNCOUNTED_BY_THE_KERNEL,
    UNRELIABLE,
    disagreement,
    maps_its_input,
    uncounted,
    unlike_traced,
    unlike_untraced,
    unrepeated,
)
from grader.judge.program_calls import ProgramCalls
from grader.judge.streams import MAPS_ITS_INPUT, MOST_ELSEWHERE_BYTES, call_names, other_calls, verb_of, wrong_nbyte
from grader.model.evidence import Exited, RunDone, StreamCalls, Trace
from grader.model.report import STREAM_NAMES, Stream
from grader.model.spec.programs import ExactCalls

OTHER_TRANSFERS = frozenset({*COUNTED_BY_THE_KERNEL, *UNCOUNTED_BY_THE_KERNEL})
"""Calls that move bytes between descriptors."""

OTHER_THINGS = "its calls cannot be counted: it does other things than usual"
MESSAGES_TOO = "its calls cannot be counted: it also writes to standard error"

MOVES_WITH = "it also moves bytes with {}"

DESCRIPTOR_CALLS = ("fcntl", "ioctl", "dup", "dup2", "dup3", "close_range", "splice", "poll", "select", "pselect6")
"""Calls that change what a descriptor is, or how it reads."""


@dataclass(frozen=True)
class Unproven:
    """Why a run of a case does not show what it should, although the engines worked.

    `calls` are those that it makes besides. `is_untraced`: it was seen in a run that nothing traced. Its calls could
    not be counted because of those in `uncounted`, or because its messages `also_to_errors` are calls.
    """

    why: str
    case: str
    calls: tuple[str, ...] = ()
    is_untraced: bool = False
    uncounted: tuple[str, ...] = ()
    also_to_errors: bool = False


def unproven_runs(calls: ProgramCalls, *, is_wrong: bool) -> list[Unproven]:
    """Return why runs do not show what they should. `is_wrong`: some calls are wrong themselves, and are named."""
    found = [*_unproven(calls)]
    if found or is_wrong:
        return found
    return [*_unrepeated(calls)] or [*_unlike_traced(calls)]


def _unproven(calls: ProgramCalls) -> Iterator[Unproven]:
    cases = (calls.item.slice, *calls.item.full, *calls.small_cases)
    runs = {case: run for case in cases if (run := calls.run(case)) is not None}
    for case in cases:
        if case not in runs:
            continue
        yield from _uncounted_calls(calls, case, runs[case])
        if isinstance(runs[case].ending, Exited):
            yield from _in_run(calls, case, runs[case])


def _uncounted_calls(calls: ProgramCalls, case: str, run: RunDone) -> Iterator[Unproven]:
    """Yield the ways of bytes past the kernel's totals. They take time, so that the run may not have ended."""
    if (name := uncounted(run)) is not None:
        yield Unproven(MOVES_WITH.format(name), case, (name,), is_untraced=True)
    if maps_its_input(calls.facts, run):
        yield Unproven(MAPS_ITS_INPUT, case, (MAPPING,), is_untraced=True)


def _in_run(calls: ProgramCalls, case: str, run: RunDone) -> Iterator[Unproven]:
    """Yield what a run that ended does not show, compared with the same one under strace, and others of the check."""
    facts, traced = calls.facts, calls.traced(case)
    if traced is not None and (why := disagreement(facts, case, traced, run, calls.runs)) is not None:
        yield Unproven(why, case, is_untraced=True)
    if (why := unlike_untraced(facts, run, calls.runs)) is not None:
        yield Unproven(why, case, is_untraced=True)
    if case in calls.item.full and (why := _elsewhere(calls, case, traced or run)) is not None:
        yield Unproven(why, case)
    if case in calls.item.small and calls.is_uncounted(case, run):
        yield Unproven(OTHER_THINGS, case, is_untraced=True)
    if not calls.is_exact(case):
        return
    if (name := _other_transfer(run, traced)) is not None:
        yield Unproven(MOVES_WITH.format(name), case, (name,))
    is_to_be_filtered = case in calls.item.small or calls.spec.cases[case].engine == "filter"
    if facts.works("filter") and is_to_be_filtered and not _was_seen(run, traced):
        yield _unseen(calls, case, run)


def _unrepeated(calls: ProgramCalls) -> Iterator[Unproven]:
    """Yield why runs could not be repeated without a tracer."""
    for case in (*calls.item.full, *calls.small_cases):
        run = calls.run(case)
        if run is not None and (why := unrepeated(calls.facts, calls.program, case, run)) is not None:
            strays = run.trace.strays if run.trace is not None else ()
            yield Unproven(why, case, strays, uncounted=strays)


def _unlike_traced(calls: ProgramCalls) -> Iterator[Unproven]:
    """Yield what runs without a tracer do that others do not."""
    cases = (calls.item.slice, *calls.item.full, *calls.small_cases)
    runs = [(case, run) for case in cases if (run := calls.run(case)) is not None]
    traced = [run for _, run in runs if run.engine == "filter"]
    for case, run in runs:
        if calls.is_exact(case) and (why := unlike_traced(traced, run)) is not None:
            yield Unproven(why, case, is_untraced=True)


def _elsewhere(calls: ProgramCalls, case: str, run: RunDone) -> str | None:
    """Say that a run moved many bytes on other descriptors, where copies of the standard ones may be; else None."""
    trace = run.trace
    if trace is None or not trace.complete or calls.spec.cases[case].files:
        return None
    if trace.other_reads is None or trace.other_writes is None:
        return None
    # Messages arrived on standard error.
    written = trace.other_writes.bytes - run.stderr.size_bytes
    for verb, place, size_bytes in (("reads", "from", trace.other_reads.bytes), ("writes", "to", written)):
        if size_bytes > MOST_ELSEWHERE_BYTES:
            return f"it also {verb} {size_bytes:,} bytes {place} other descriptors than the standard ones"
    return None


def _other_transfer(*runs: RunDone | None) -> str | None:
    """Return the name of a call that moved bytes besides reads and writes, which may then be for show."""
    for run in runs:
        calls = run.trace.calls if run is not None and run.trace is not None else {}
        for name in sorted(OTHER_TRANSFERS & calls.keys()):
            if calls[name].calls > calls[name].errors:
                return name
    return None


def _was_seen(run: RunDone, traced: RunDone | None) -> bool:
    return any(one is not None and one.trace is not None and one.trace.complete for one in (run, traced))


def _unseen(calls: ProgramCalls, case: str, run: RunDone) -> Unproven:
    """Return why the filter did not see a run of an exact pattern call by call."""
    unusual = _unusual_calls(calls, run)
    seen_before = next(_wrong_before_the_end(calls, case, run), None)
    if seen_before is not None:
        return Unproven(seen_before, case, unusual)
    if run.stderr.size_bytes:
        return Unproven(MESSAGES_TOO, case, unusual, also_to_errors=True)
    if run.engine == "account" and run.trace is not None and _others_dominate(run.trace):
        return Unproven(f"{UNRELIABLE}: it makes too many other reads and writes", case, unusual)
    if unusual:
        return Unproven(f"{UNRELIABLE}: it calls {' and '.join(unusual)}", case, unusual, uncounted=unusual)
    return Unproven(OTHER_THINGS, case, unusual)


def _wrong_before_the_end(calls: ProgramCalls, case: str, run: RunDone) -> Iterator[str]:
    """Yield what was wrong with the calls of an exact pattern before the filter no longer looked at them."""
    patterns = calls.spec.calls_of(calls.program, case)
    if run.trace is None:
        return
    streams: tuple[tuple[object, StreamCalls | None, Stream], ...] = (
        (patterns.stdin, run.trace.stdin, "stdin"),
        (patterns.stdout, run.trace.stdout, "stdout"),
    )
    for pattern, seen, stream in streams:
        if not isinstance(pattern, ExactCalls) or seen is None:
            continue
        verb = verb_of(stream)
        if names := [name for name in call_names(run.trace, seen, stream) if name != verb]:
            yield other_calls(verb, STREAM_NAMES[stream], names)
        for nbyte in (seen.nbyte_max, seen.nbyte_min):
            if nbyte not in (None, pattern.nbyte):
                yield wrong_nbyte(verb, nbyte, pattern)


def _others_dominate(trace: Trace) -> bool:
    """Return whether most calls that were seen are on other descriptors than the standard streams."""
    streams = sum(stream.calls for stream in (trace.stdin, trace.stdout) if stream is not None)
    others = sum(stream.calls for stream in (trace.other_reads, trace.other_writes) if stream is not None)
    return others > streams


def _unusual_calls(calls: ProgramCalls, run: RunDone) -> tuple[str, ...]:
    """Return the calls on descriptors that the reference does not make."""
    usual = calls.facts.lab.reference.evidence.traced(calls.program, calls.item.slice)
    if usual is None or usual.trace is None or run.trace is None:
        return ()
    return tuple(name for name in DESCRIPTOR_CALLS if name in run.trace.calls and name not in usual.trace.calls)
