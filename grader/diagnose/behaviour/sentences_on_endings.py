"""Say how runs ended that a signal or a limit stopped, or that wrote nothing."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from grader.diagnose.behaviour.advice import (
    CALLS,
    ENDS,
    EOF_LOOKED_UP,
    EXAMPLE_BYTES,
    FF_IN_FIRST,
    LONG_OPERANDS,
    LOOPS,
    PIPES,
    SANITIZE,
    SLOW,
    SymptomText,
    end_of_input,
)
from grader.diagnose.behaviour.failures import FEW_OPERANDS, MANY_OPERANDS, Failure
from grader.diagnose.behaviour.group import Group
from grader.diagnose.behaviour.outputs import Kind
from grader.diagnose.behaviour.words import quoted
from grader.model.counted import capital, counted
from grader.model.evidence import LimitReached, Signalled
from grader.model.report import Difference, Fact
from grader.model.signals import signal_words
from grader.model.spelled_bytes import byte_words

STACK_BYTES = 7_500_000
"""More memory than a small program uses, unless its stack, of 8 MB, is full."""

SIGABRT = 6
"""The signal of abort, which assert and the C library call too."""

ABORTED = (
    "What it wrote to standard error says who called abort. An assert names its line. The C library calls it after a"
    " misuse of memory, whose line -g -fsanitize=address,undefined finds."
)

OWN_ABORT = (
    "After a message, end the program with exit(1), not with abort, whose signal means a fault of the program."
)

WAITS_AFTER_COPY = (
    "Find the call after the last write that waits: it sleeps, or it reads or waits for something other than the "
    "input."
)

WAITING_SHARE = 0.1
"""Less computing than this part of the time means that a program was waiting."""

IDLE_SHARE = 0.5
"""More time than this part that a run neither computed nor waited for a CPU is worth a sentence."""


def _crashes(group: Group) -> SymptomText:
    signals = dict.fromkeys(run.ending.signal for run in group.runs() if isinstance(run.ending, Signalled))
    facts: frozenset[Fact] = frozenset({"aborts"}) if SIGABRT in signals else frozenset()
    sentence = f"{group.program} crashes {group.where()}: {' or '.join(map(signal_words, signals))}."
    if group.kind.text == FEW_OPERANDS:
        wrote = any(run.stderr.size_bytes for run in group.runs())
        ending = "A message does not end a program: exit right after it." if wrote else ""
        if SIGABRT in signals and wrote:
            ending = "End the program with exit(1) after its message, not with abort or an assert."
        if Kind("crashes", text=MANY_OPERANDS) in group.others:
            sentence = f"{sentence} It also crashes with too many operands, where none is missing."
            return SymptomText(sentence, SANITIZE, facts)
        uses = " or ".join(f"argv[{number}]" for number in range(1, group.needed_operands + 1)) or "argv"
        missing = f"A missing operand is a null pointer: look at argc before you use {uses}."
        return SymptomText(sentence, ending or missing, facts)
    if all(run.peak_memory_bytes >= STACK_BYTES for run in group.runs()):
        least = min(run.peak_memory_bytes for run in group.runs()) // 1_000_000
        used = f" It used {least} MB of memory before that, as much as a full stack."
        advice = f"Look for a function that calls itself, without end or for each byte. {SANITIZE}"
        return SymptomText(f"{sentence}{used}", advice, facts)
    if {*signals} == {SIGABRT}:
        return SymptomText(sentence, OWN_ABORT if "abort" in group.called else ABORTED, facts)
    return SymptomText(sentence, SANITIZE, facts)


def _cannot_start(group: Group) -> SymptomText:
    return SymptomText(f"{group.program} cannot be started: {group.kind.text}.", "Look at the size of its arrays.")


def _uses_too_much_memory(group: Group) -> SymptomText:
    advice = "Look for memory that a loop allocates, and for a recursion."
    if group.copies() and group.translates:
        advice = (
            "A copy needs the same memory for any input: look for memory that a loop allocates, and for a recursion."
        )
    return SymptomText(
        f"{group.program} used more memory than it may {group.where()}: it was stopped {group.stopped_after()}.",
        f"{advice}{group.more()}",
    )


def _writes_without_end(group: Group) -> SymptomText:
    differences = [failure.difference for failure in group.failures if failure.difference]
    ends = {one.actual.data[-1] for one in differences if _shows_the_end(one)}
    last = f" The last byte that it wrote is {byte_words(next(iter(ends)))}." if len(ends) == 1 else ""
    looks_up_eof = _looks_up_eof(group)
    if differences and all(one.offset >= one.expected_size_bytes for one in differences):
        sentence = (
            f"{group.program} {group.wrote_all} and went on writing {group.where()}, until it was stopped"
            f" {group.stopped_after()}.{last}"
        )
        eof = f"{end_of_input(group.called)} In an unsigned char, EOF is 0xFF and never equal to -1."
        advice = eof if ends == {0xFF} and group.read_bytes != 1 else end_of_input(group.called)
        if looks_up_eof:
            return SymptomText(f"{sentence} {FF_IN_FIRST}", EOF_LOOKED_UP)
        return SymptomText(sentence, advice)
    to_errors = " to standard error" if all(run.writes_mostly_errors for run in group.runs()) else ""
    sentence = f"{group.program} wrote more than it may{to_errors} {group.where()}: it was stopped"
    sentence += f" {group.stopped_after()}."
    if looks_up_eof:
        return SymptomText(f"{sentence}{last} {FF_IN_FIRST}", EOF_LOOKED_UP)
    if to_errors:
        return SymptomText(sentence, "Find the message that it writes again and again, or for each byte.")
    advice = f"Find the loop that writes so much.{group.more()}"
    if differences and group.translates:
        advice = (
            "Find what makes it write several bytes for a byte of input: print to standard error which byte it has"
            " read."
        )
    return SymptomText(f"{sentence}{last}{_first_difference(group)}" if differences else sentence, advice)


def _shows_the_end(difference: Difference) -> bool:
    """Return whether the bytes around a difference are those at the end of the output, too."""
    shown = difference.actual
    return bool(shown.data) and shown.offset + len(shown.data) == difference.actual_size_bytes


def _looks_up_eof(group: Group) -> bool:
    """Return whether a program that uses getchar does not end if the first operand has 0xFF, and only then."""
    others = group.copying - {failure.case for failure in group.failures}
    return bool(
        others and group.read_bytes != 1 and all(b"\xff" in b"".join(one.operands[:1]) for one in group.failures)
    )


def _first_difference(group: Group) -> str:
    """Show what comes and what should come where a first output is wrong that is not available in full."""
    failure = next((failure for failure in group.failures if failure.difference), None)
    if failure is None or failure.difference is None:
        return ""
    where = failure.difference
    expected, actual = (
        window.data[max(where.offset - window.offset, 0) :] for window in (where.expected, where.actual)
    )
    if not expected or not actual:
        return ""
    right, came = quoted(expected, EXAMPLE_BYTES), quoted(actual, EXAMPLE_BYTES)
    operands = capital(group.operands(failure))
    return f" {operands}, from byte {where.offset + 1:,} on {right} is right, and it writes {came}."


def _never_ends(group: Group) -> SymptomText:
    left_out = any(failure.case and failure.run is None for failure in group.failures)
    end = f"did not end {group.where()}{', after which no more were run' if left_out else ''}"
    facts: frozenset[Fact] = frozenset({"no-more-runs"}) if left_out else frozenset()
    stopped = f"It was stopped {group.stopped_after()}"
    if group.runs() and all(_waited(failure) for failure in group.failures if failure.run):
        waits = f"It was waiting, not computing, when it was stopped {group.stopped_after()}."
        if group.kind.text == "all":
            return SymptomText(f"{group.program} {group.wrote_all} and then {end}. {waits}", WAITS_AFTER_COPY, facts)
        asks = f"Find what it waits for: a sleep, or the descriptor or stream that it reads.{group.more()}"
        return SymptomText(f"{group.program} {end}. {waits}", asks, facts)
    match group.kind.text:
        case "all":
            sentence = f"{group.program} {group.wrote_all} and then {end}. {stopped}."
            return SymptomText(sentence, end_of_input(group.called), facts)
        case "more":
            sentence = f"{group.program} {group.wrote_all}, went on writing, and {end}. {stopped}."
            return SymptomText(sentence, end_of_input(group.called), facts)
    advice = f"{LOOPS} {LONG_OPERANDS}" if group.only_long_operands() else LOOPS
    if group.kind.text == "nothing":
        return SymptomText(f"{group.program} wrote nothing and {end}. {stopped}.", f"{advice}{group.more()}", facts)
    failure = group.example()
    if failure is not None and failure.copy is not None:
        size_bytes = len(failure.copy.actual)
        stopped += f", and had written {counted(size_bytes, 'byte')} of {len(failure.copy.expected):,}"
        stopped += f" {group.operands(failure)}"
    elif group.first.operands:
        end += f", {group.operands()} for instance"
    computed = ""
    if group.copies() and all(copy.actual and copy.expected.startswith(copy.actual) for copy in group.copies()):
        # It was on its way, and whether it would have arrived is not known.
        end, advice, computed = f"did not end in time {group.where()}", f"{advice} {SLOW}", _computed(group)
        facts = frozenset()
    return SymptomText(f"{group.program} {end}. {stopped}.{computed}", f"{advice}{group.more()}", facts)


def _computed(group: Group) -> str:
    """Say how little the first run computed that was stopped, if it slept or waited for something else than a CPU."""
    run = next((run for run in group.runs() if run.ending == LimitReached(kind="limit", limit="wall")), None)
    if run is None or (run.slept_s or 0.0) < IDLE_SHARE * run.times.real_s:
        return ""
    cpu_s = run.times.user_s + run.times.sys_s
    return f" In {run.times.real_s:.1f} s it had computed for {cpu_s:.1f} s."


def _waited(failure: Failure) -> bool:
    """Return whether a run that was stopped used the processor for a small part of its time only."""
    run = failure.run
    return (
        run is not None
        and run.ending == LimitReached(kind="limit", limit="wall")
        and run.times.user_s + run.times.sys_s < WAITING_SHARE * run.times.real_s
    )


def _writes_nothing(group: Group) -> SymptomText:
    nothing = "writes nothing to standard output or standard error"
    sentence = f"{group.program} {nothing} {group.where()}; {group.status()}."
    if group.only_pipes:
        return SymptomText(f"{sentence} There its input comes through a pipe, a few bytes at a time.", PIPES)
    if len(group.copies()) > 1 and group.others:
        return SymptomText(sentence, f"Find out whether it comes to the write at all {group.operands()}. {ENDS}")
    return SymptomText(sentence, CALLS)


def _leaves_processes(group: Group) -> SymptomText:
    return SymptomText(
        f"{group.program} ends while a process that it started still runs {group.where()}: what that process has not"
        " done by then is missing.",
        "Wait for each child, with wait or waitpid, before the program ends.",
    )


OF_ENDINGS: Mapping[str, Callable[[Group], SymptomText]] = {
    "cannot-start": _cannot_start,
    "crashes": _crashes,
    "never-ends": _never_ends,
    "writes-without-end": _writes_without_end,
    "uses-too-much-memory": _uses_too_much_memory,
    "writes-nothing": _writes_nothing,
    "leaves-processes": _leaves_processes,
}
"""What to say of runs that did not end as they should, by symptom."""
