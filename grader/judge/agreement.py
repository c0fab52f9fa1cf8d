"""Compare what two engines saw of the same program and input: one of them traced it, the other did not."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from grader.judge.endings import abnormal_run
from grader.judge.facts import Facts
from grader.model.counted import counted
from grader.model.evidence import (
    READ_CALLS,
    WRITE_CALLS,
    Accounting,
    CallCount,
    Exited,
    RunDone,
    Signalled,
    Trace,
    program_and_case,
)
from grader.model.spec.cases import FileSource
from grader.model.spec.programs import AnyCalls, BatchedCalls, CallPattern, ExactCalls

Direction = Literal["reads", "writes"]

COUNTED: dict[Direction, tuple[str, ...]] = {"reads": READ_CALLS, "writes": WRITE_CALLS}
"""The calls that both engines count. The dynamic loader's are among them: they are the same in every run."""

COUNTED_BY_THE_KERNEL = ("sendfile", "copy_file_range")
"""Calls that move bytes between two descriptors. The kernel counts them as reads and writes, strace by name."""

UNCOUNTED_BY_THE_KERNEL = ("splice", "tee")
"""Calls that move bytes between two descriptors; tally names those of untraced runs."""

MAPPING = "mmap"
"""tally names it in an untraced run that maps its input, by whatever descriptor."""

EXEC_READS = 8
"""Most reads that the kernel counts when a program executes another file; 3 to 6 were measured."""

SIGSYS = 31
"""The signal with which tally's filter ends a program for a call that the kernel cannot name, on Linux."""

_NO_MORE = range(1)

UNRELIABLE = "its reads and writes cannot be counted reliably"
UNTRACED = "when nothing traces it,"
OTHER_CALLS = f"{UNTRACED} it makes other calls"
OPENED_AGAIN = f"{UNRELIABLE}: it opens its input or its output again"

MOST_UNCERTAIN = 64
"""Most calls of which it may be unknown whether the kernel counted them.

A right program makes none. Others could make them while it is traced, to hide as many calls that it makes otherwise.
"""


def disagreement(
    facts: Facts, case: str, traced: RunDone, run: RunDone, others: Iterable[RunDone] = ()
) -> str | None:
    """Return how two runs of a case differ, None if they do not; see `Facts.may_vary` for `others`.

    The log has every call. The kernel's totals have every call that did not fail, and some of those that did. So the
    totals lie between the log's calls without its failures and with them. No call on a file is interrupted by a
    signal, so only runs from a file to a file are compared. The bytes are the same too, because the input is. If the
    output may vary, each run is judged by the bytes that it moved itself.
    """
    declared = facts.lab.spec.cases[case]
    if not isinstance(declared.source, FileSource) or declared.sink != "file":
        return None
    trace, totals = traced.trace, run.accounting
    if not isinstance(run.ending, Exited) or trace is None or not trace.complete:
        return None
    how = "under strace" if traced.engine == "strace" else "when it is traced"
    if isinstance(traced.ending, Signalled):
        return f"{how} a signal kills it, and none does when nothing traces it"
    if not isinstance(traced.ending, Exited) or totals is None or trace.stdin is None:
        return None
    reads, writes = _more_calls(facts, traced, run) if facts.may_vary(run, others) else (_NO_MORE, _NO_MORE)
    return _difference("reads", trace, totals, how, reads) or _difference("writes", trace, totals, how, writes)


def _more_calls(facts: Facts, traced: RunDone, run: RunDone) -> tuple[range, range]:
    """Return how many more reads and writes than the traced run the other one may need for its own bytes."""
    program, case = program_and_case(run.step)
    trace, totals = traced.trace, run.accounting
    if trace is None or trace.stdin is None or trace.other_reads is None or totals is None:
        return _NO_MORE, _NO_MORE
    patterns, file = facts.lab.spec.calls_of(program, case), facts.lab.spec.cases[case].streams.output
    return (
        _calls_between(patterns.stdin, trace.stdin.bytes, totals.read_bytes - trace.other_reads.bytes),
        _calls_between(patterns.stdout, traced.written_bytes(file), run.written_bytes(file)),
    )


def _calls_between(pattern: CallPattern, before_bytes: int, bytes_now: int) -> range:
    """Return by how much the number of calls may change with the number of bytes."""
    if isinstance(pattern, ExactCalls):
        more = -(-bytes_now // pattern.nbyte) - -(-before_bytes // pattern.nbyte)
        return range(more, more + 1)
    each = pattern.mean_bytes_min if isinstance(pattern, BatchedCalls) else 1
    most = -(-abs(bytes_now - before_bytes) // each)
    return range(most + 1) if bytes_now >= before_bytes else range(-most, 1)


def unlike_untraced(facts: Facts, traced: RunDone, others: Iterable[RunDone]) -> str | None:
    """Return what a program with an exact pattern does only if nothing traces it; None if nothing.

    Each byte took a call while it was traced. In the run without a tracer, other calls were named, or ended it where
    the kernel cannot name them. So that run shows the same, unless the program got at the bytes by opening their file
    again, where no filter sees the descriptor. Of a program whose output is wrong in `others`, runs of the same
    program, the output may vary.
    """
    again = traced.again
    if again is None:
        return None
    if again.strays or again.ending == Signalled(kind="signalled", signal=SIGSYS):
        return OTHER_CALLS
    if isinstance(again.ending, Signalled):
        return f"{UNTRACED} it is killed by a signal"
    if not isinstance(again.ending, Exited):
        spec, (_, case) = facts.lab.spec, program_and_case(traced.step)
        ended = abnormal_run(again, spec.limits_for(case, again.engine), spec.limits_place(case, again.engine))
        return f"{UNTRACED} {ended}"
    if again.stdout.sha256 != traced.stdout.sha256 and not (
        any(map(facts.writes_wrong, others)) and _moved_its_bytes(facts, traced, again)
    ):
        return f"{UNTRACED} it writes something else"
    return OPENED_AGAIN if again.opened_again else None


def uncounted(run: RunDone) -> str | None:
    """Return the call with which a run moved bytes, or may have, that the kernel's totals do not show; or None."""
    if run.engine != "account":
        return None
    return next((name for name in run.strays or () if name in UNCOUNTED_BY_THE_KERNEL), None)


def maps_its_input(facts: Facts, run: RunDone) -> bool:
    """Return whether a run without a tracer mapped an input of which the lab judges the reads.

    Without any input, the program may map a file that it was given. Under exact patterns tally names calls by the
    number of their descriptor, which may be that of another file by then: see `unlike_traced`.
    """
    if run.engine != "account" or MAPPING not in (run.strays or ()):
        return False
    program, case = program_and_case(run.step)
    patterns, declared = facts.lab.spec.calls_of(program, case), facts.lab.spec.cases[case]
    are_exact = isinstance(patterns.stdin, ExactCalls) and isinstance(patterns.stdout, ExactCalls)
    has_input = bool(facts.lab.inputs.get(declared.judged_input))
    is_by_number = are_exact and not declared.judges_files
    return has_input and not is_by_number and not isinstance(patterns.stdin, AnyCalls)


def unlike_traced(runs: Sequence[RunDone], run: RunDone) -> str | None:
    """Return what a run without a tracer does that none of these traced runs does; None if nothing.

    A program that does not conform does so in each of them, and has failed.
    """
    traces = [traced.trace for traced in runs if traced.trace is not None and traced.trace.complete]
    if run.engine != "account" or run.strays is None or not traces:
        return None
    if {*run.strays}.difference(*(trace.strays for trace in traces)):
        return OTHER_CALLS
    return OPENED_AGAIN if run.opened_again else None


def _moved_its_bytes(facts: Facts, traced: RunDone, again: RunDone) -> bool:
    """Return whether the repeated run read as much as the traced one, and has calls for what it read and wrote."""
    trace, totals = traced.trace, again.accounting
    if trace is None or trace.stdin is None or totals is None or not again.stdout.size_bytes:
        return False
    patterns = facts.lab.spec.calls_of(*program_and_case(traced.step))
    reads, writes = (
        -(-moved // pattern.nbyte) if isinstance(pattern, ExactCalls) else 0
        for pattern, moved in ((patterns.stdin, trace.stdin.bytes), (patterns.stdout, again.stdout.size_bytes))
    )
    return totals.read_bytes >= trace.stdin.bytes and totals.reads >= reads and totals.writes >= writes


def unrepeated(facts: Facts, program: str, case: str, traced: RunDone) -> str | None:
    """Return why a run could not be repeated without a tracer; None if it was, or did not have to be."""
    trace = traced.trace
    if trace is None or not trace.strays or not facts.lab.spec.repeats_untraced(program, case):
        return None
    return f"{UNRELIABLE}: it also calls {' and '.join(trace.strays)}"


def _difference(direction: Direction, trace: Trace, totals: Accounting, how: str, more: range) -> str | None:
    seen = totals.reads if direction == "reads" else totals.writes
    logged = list(_named(trace, COUNTED[direction]))
    most = sum(count.calls for count in logged)
    least = most - sum(count.errors for count in logged)
    most += sum(count.calls for count in _named(trace, COUNTED_BY_THE_KERNEL))
    if direction == "reads":
        # The first execve started the program.
        execs = sum(count.calls - count.errors for count in _named(trace, ("execve", "execveat")))
        most += EXEC_READS * max(execs - 1, 0)
    if not least + more[0] <= seen <= most + more[-1]:
        difference = f"{how} it makes {counted(most, direction[:-1])}, and {seen:,} when nothing traces it"
        if more == _NO_MORE:
            return difference
        return f"{difference}: too {'few' if seen < least + more[0] else 'many'} for the bytes that it moves then"
    if most - least > MOST_UNCERTAIN:
        return (
            f"{how} {most - least:,} of its {direction} fail or may not have been counted, so they cannot be compared"
            " with those that it makes when nothing traces it"
        )
    return None


def _named(trace: Trace, names: Iterable[str]) -> Iterable[CallCount]:
    return (trace.calls[name] for name in names if name in trace.calls)
