"""Judge whether the system calls on standard input and output follow the pattern that the lab is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

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
from grader.judge.endings import abnormal_run
from grader.judge.facts import Facts, Outcome
from grader.judge.repeat import ShownCalls, repeat_calls
from grader.judge.streams import (
    MAPS_ITS_INPUT,
    MOST_ELSEWHERE_BYTES,
    Messages,
    Observation,
    RunCalls,
    call_names,
    from_accounting,
    from_trace,
    judge_stream,
    only_conforming,
    other_calls,
    verb_of,
    wrong_nbyte,
)
from grader.model.counted import counted as counted_words
from grader.model.counted import listed
from grader.model.evidence import Exited, RunDone, Trace, program_and_case, trace_id
from grader.model.report import (
    STREAM_NAMES,
    CallsEvidence,
    Stream,
    StreamJudgement,
)
from grader.model.spec.cases import PipeSource
from grader.model.spec.lab import Spec
from grader.model.spec.programs import CallPattern, ExactCalls
from grader.model.spec.rubric import CallPatternItem

OTHER_TRANSFERS = frozenset({*COUNTED_BY_THE_KERNEL, *UNCOUNTED_BY_THE_KERNEL})
"""Calls that move bytes between descriptors."""

OTHER_THINGS = "its calls cannot be counted: it does other things than usual"
MESSAGES_TOO = "its calls cannot be counted: it also writes to standard error"

MOVES_WITH = "it also moves bytes with {}"

ONLY_LARGE = "No short run shows this: look for what it does otherwise with a large input."
"""What to do next if calls are wrong at full size only."""

DESCRIPTOR_CALLS = ("fcntl", "ioctl", "dup", "dup2", "dup3", "close_range", "splice", "poll", "select", "pselect6")
"""Calls that change what a descriptor is, or how it reads."""


def judge_call_pattern(facts: Facts, program: str, item: CallPatternItem) -> Outcome:
    """Judge the log of the slice, call by call, and the counts of the other runs.

    A pattern of exact nbyte is judged in the slice and at full size, because the kernel's totals do not show nbyte. A
    batched pattern is judged at full size. If no full-size run ended, the slice decides: other checks fail for that.
    An incomplete log decides nothing. If no full-size run could be counted, the slice alone is not enough to pass. If
    two engines saw the same run, both have to show the same.
    """
    slice_run = facts.evidence.traced(program, item.slice)
    slice_calls = from_trace(item.slice, slice_run)
    # None for a run that ended but could not be counted.
    full_size = {
        case: full_size_calls(facts, program, case, item.slice) for case in item.full if _ended(facts, program, case)
    }
    counted = _worth_judging(facts, program, [calls for calls in full_size.values() if calls is not None])
    judged: list[StreamJudgement] = []
    if slice_calls is not None and (not counted or _is_exact(facts, program, item.slice)):
        judged += _judge_run(facts, program, slice_calls, whole=False)
    judged += [stream for calls in counted for stream in _judge_run(facts, program, calls, whole=True)]
    if all(stream.passed for stream in judged):
        # Other sizes are only worth showing if they alone are wrong, and one of them is enough.
        judged = [*_first_wrong_small_run(facts, program, item), *judged]
    spec = facts.lab.spec
    problems = [f"{stream.problem} ({stream.words})" for stream in judged if not stream.passed]
    unproven = [*_unproven(facts, program, item)]
    # Mostly these calls are wrong themselves, and have been named.
    unproven = unproven or ([] if problems else [*_unrepeated_runs(facts, program, item)])
    unproven = unproven or ([] if problems else [*_unlike_traced_runs(facts, program, item)])
    cases_of: dict[str, list[str]] = {}
    for unproven_run in unproven:
        cases_of.setdefault(unproven_run.why, []).append(unproven_run.case)
    problems += [f"{why} ({run_words(spec, cases)})" for why, cases in cases_of.items()]
    shown, of_shown = _shown_calls(facts, program, item, judged, unproven) if problems else (None, [])
    evidence = CallsEvidence(
        streams=(*judged, *of_shown),
        excerpt=slice_run.trace.excerpt if slice_run is not None and slice_run.trace is not None else "",
        repeat=repeat_calls(spec, program, *shown) if shown else "",
        other_calls=tuple(dict.fromkeys(name for one in unproven for name in one.uncounted)),
        also_to_errors=any(one.also_to_errors for one in unproven),
    )
    if problems:
        hint = _hint_about_shown(spec, *shown) if shown else None
        hint = hint_about_calls(judged) if hint is None else hint
        return Outcome("failed", "; ".join(dict.fromkeys(problems)), evidence, hint)
    if slice_calls is None:
        return _without_log(facts, program, item, evidence)
    uncounted = [case for case, calls in full_size.items() if calls is None]
    if uncounted and facts.can_count:
        run = facts.evidence.run(program, uncounted[0])
        also_to_errors = run is not None and bool(run.stderr.size_bytes)
        evidence = evidence.model_copy(update={"also_to_errors": also_to_errors})
        problem = MESSAGES_TOO if also_to_errors else OTHER_THINGS
        return Outcome("failed", f"{problem} ({run_words(spec, uncounted[:1])})", evidence)
    if uncounted and not counted:
        return Outcome("skipped", "the kernel keeps no I/O accounting here, so full size cannot be counted", evidence)
    counts = [f"{counted_words(one.calls, verb_of(one.stream))} {one.where}" for one in judged[-2:]]
    return Outcome("passed", "; ".join(counts), evidence)


def run_words(spec: Spec, cases: Sequence[str]) -> str:
    """Name the inputs of cases, or the cases themselves if the input of one does not tell which case it is."""
    is_clear = all(map(spec.is_told_by_input, cases))
    names = [*dict.fromkeys(spec.cases[case].judged_input if is_clear else case for case in cases)]
    kind = "input" if is_clear else "case"
    return f"{kind if len(names) == 1 else f'{kind}s'} {', '.join(names)}"


def hint_about_calls(judged: Sequence[StreamJudgement]) -> str | None:
    """Return None for the rubric's hint, which is about nbyte and the number of calls, or "" if these are right."""
    return None if any(stream.deviation in ("nbyte", "count") for stream in judged) else ""


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


def _shown_calls(
    facts: Facts,
    program: str,
    item: CallPatternItem,
    judged: Sequence[StreamJudgement],
    unproven: Sequence[Unproven],
) -> tuple[tuple[str, ShownCalls] | None, list[StreamJudgement]]:
    """Return a case in which the calls were wrong, a short one if there is one, and how to show them.

    Its wrong streams are returned too unless they are among those that were judged: the command shows their numbers.
    Without a case that everybody may see, there is none.
    """
    spec = facts.lab.spec
    wrong = [stream for stream in judged if not stream.passed]
    streams = {stream.stream for stream in wrong} or {"stdin", "stdout"}
    shown = ShownCalls(streams, is_related=any(stream.deviation == "elsewhere" for stream in wrong))
    for case in (item.slice, *_small_cases(facts, program, item)) if wrong else ():
        # The totals of short runs do not show through which descriptor or call the bytes went.
        is_listed = case == item.slice or not any(stream.went_elsewhere for stream in wrong)
        if not is_listed or isinstance(spec.cases[case].source, PipeSource) or spec.cases[case].hidden:
            continue
        found = [stream for stream in _judge_short(facts, program, case, item.slice) if not stream.passed]
        if found:
            is_untraced = case != item.slice and _is_from_totals(facts, program, case)
            of_case = [stream for stream in found if stream not in judged]
            return (case, replace(shown, is_untraced=is_untraced)), of_case
    for stream in wrong:
        if not spec.cases[stream.case].hidden:
            patterns = spec.calls_of(program, stream.case)
            pattern = patterns.stdin if stream.stream == "stdin" else patterns.stdout
            nbyte = pattern.nbyte if isinstance(pattern, ExactCalls) and stream.deviation == "nbyte" else 0
            is_untraced = _is_from_totals(facts, program, stream.case)
            return (stream.case, replace(shown, right_nbyte=nbyte, is_untraced=is_untraced)), []
    for run in unproven:
        if not spec.cases[run.case].hidden:
            return (run.case, replace(shown, also=run.calls, is_untraced=run.is_untraced)), []
    return None, []


def _judge_short(facts: Facts, program: str, case: str, slice_case: str) -> list[StreamJudgement]:
    calls = from_trace(case, facts.evidence.traced(program, case)) if case == slice_case else None
    if calls is not None:
        return _judge_run(facts, program, calls, whole=False)
    return _judge_small(facts, program, case, slice_case)


def _is_from_totals(facts: Facts, program: str, case: str) -> bool:
    """Return whether only the kernel's totals show the calls of a case, without a tracer."""
    runs = (facts.evidence.traced(program, case), facts.evidence.run(program, case))
    return all(from_trace(case, run) is None for run in runs)


def _hint_about_shown(spec: Spec, case: str, shown: ShownCalls) -> str | None:
    """Return what to do next if a short run under strace shows nothing wrong, None if it does."""
    if shown.also:
        traced, names = ",".join(["read", "write", *shown.also]), listed(shown.also)
        hint = f"Run it under strace -f -e trace={traced}, and look for what calls {names}."
        # A program can find out whether strace traces it.
        untraced = f" It called {names} when nothing traced it: if strace shows no such call, search the source."
        return f"{hint}{untraced if shown.is_untraced else ''}"
    if shown.is_untraced:
        return (
            "The kernel counted these calls without strace: syscr are reads and syscw are writes, with some dozens of"
            " the shell and the loader. Look for what it only does with this input, or if nothing traces it."
        )
    return ONLY_LARGE if spec.cases[case].limits == "full" else None


def _unproven(facts: Facts, program: str, item: CallPatternItem) -> Iterator[Unproven]:
    """Yield why runs do not show what they should, although the engines worked."""
    cases = (item.slice, *item.full, *_small_cases(facts, program, item))
    runs = [run for run in (facts.evidence.run(program, case) for case in cases) if run is not None]
    for case in cases:
        run, traced = facts.evidence.run(program, case), facts.evidence.traced(program, case)
        if run is None:
            continue
        yield from _uncounted_calls(facts, case, run)
        if not isinstance(run.ending, Exited):
            continue
        if traced is not None and (why := disagreement(facts, case, traced, run)) is not None:
            yield Unproven(why, case, is_untraced=True)
        if (why := unlike_untraced(facts, run, runs)) is not None:
            yield Unproven(why, case, is_untraced=True)
        if case in item.full and (why := _elsewhere(facts, case, traced or run)) is not None:
            yield Unproven(why, case)
        if case in item.small and _is_uncounted(facts, program, run, case, item.slice):
            yield Unproven(OTHER_THINGS, case, is_untraced=True)
        if _is_exact(facts, program, case) and (name := _other_transfer(run, traced)) is not None:
            yield Unproven(MOVES_WITH.format(name), case, (name,))
        if facts.works("filter") and _was_to_be_filtered(facts, program, case, item) and not _was_seen(run, traced):
            yield _unseen(facts, program, case, run, item)


def _uncounted_calls(facts: Facts, case: str, run: RunDone) -> Iterator[Unproven]:
    """Yield the ways of bytes past the kernel's totals. They take time, so that the run may not have ended."""
    if (name := uncounted(run)) is not None:
        yield Unproven(MOVES_WITH.format(name), case, (name,), is_untraced=True)
    if maps_its_input(facts, run):
        yield Unproven(MAPS_ITS_INPUT, case, (MAPPING,), is_untraced=True)


def _unrepeated_runs(facts: Facts, program: str, item: CallPatternItem) -> Iterator[Unproven]:
    """Yield why runs could not be repeated without a tracer."""
    for case in (*item.full, *_small_cases(facts, program, item)):
        run = facts.evidence.run(program, case)
        if run is not None and (why := unrepeated(facts, program, case, run)) is not None:
            strays = run.trace.strays if run.trace is not None else ()
            yield Unproven(why, case, strays, uncounted=strays)


def _unlike_traced_runs(facts: Facts, program: str, item: CallPatternItem) -> Iterator[Unproven]:
    """Yield what runs without a tracer do that others do not."""
    cases = (item.slice, *item.full, *_small_cases(facts, program, item))
    runs = [(case, run) for case in cases if (run := facts.evidence.run(program, case)) is not None]
    traced = [run for _, run in runs if run.engine == "filter"]
    for case, run in runs:
        if _is_exact(facts, program, case) and (why := unlike_traced(traced, run)) is not None:
            yield Unproven(why, case, is_untraced=True)


def _elsewhere(facts: Facts, case: str, run: RunDone) -> str | None:
    """Say that a run moved many bytes on other descriptors, where copies of the standard ones may be; else None."""
    trace, declared = run.trace, facts.lab.spec.cases[case]
    if (
        trace is None
        or not trace.complete
        or trace.other_reads is None
        or trace.other_writes is None
        or declared.files
    ):
        return None
    # Messages arrived on standard error.
    written = trace.other_writes.bytes - run.stderr.size_bytes
    for verb, place, size_bytes in (("reads", "from", trace.other_reads.bytes), ("writes", "to", written)):
        if size_bytes > MOST_ELSEWHERE_BYTES:
            return f"it also {verb} {size_bytes:,} bytes {place} other descriptors than the standard ones"
    return None


def _is_uncounted(facts: Facts, program: str, run: RunDone, case: str, slice_case: str) -> bool:
    """Return whether a short run's totals are known, and so is the slice, but they do not fit together."""
    short_run = facts.evidence.traced(program, slice_case)
    if run.accounting is None or short_run is None or short_run.trace is None or not short_run.trace.complete:
        return False
    return not _is_exact(facts, program, case) and _small_calls(facts, program, run, case, slice_case) is None


def _other_transfer(*runs: RunDone | None) -> str | None:
    """Return the name of a call that moved bytes besides reads and writes, which may then be for show."""
    for run in runs:
        calls = run.trace.calls if run is not None and run.trace is not None else {}
        for name in sorted(OTHER_TRANSFERS & calls.keys()):
            if calls[name].calls > calls[name].errors:
                return name
    return None


def _was_to_be_filtered(facts: Facts, program: str, case: str, item: CallPatternItem) -> bool:
    return _is_exact(facts, program, case) and (case in item.small or facts.lab.spec.cases[case].engine == "filter")


def _was_seen(run: RunDone, traced: RunDone | None) -> bool:
    return any(one is not None and one.trace is not None and one.trace.complete for one in (run, traced))


def _unseen(facts: Facts, program: str, case: str, run: RunDone, item: CallPatternItem) -> Unproven:
    """Return why the filter did not see a run of an exact pattern call by call."""
    patterns = facts.lab.spec.calls_of(program, case)
    unusual = _unusual_calls(facts, program, run, item)
    for pattern, stream, verb, names in _streams(patterns.stdin, patterns.stdout, run):
        if names:
            place = STREAM_NAMES["stdin" if verb == "read" else "stdout"]
            return Unproven(other_calls(verb, place, names), case, unusual)
        for nbyte in stream:
            if nbyte not in (None, pattern.nbyte):
                return Unproven(wrong_nbyte(verb, nbyte, pattern), case, unusual)
    if run.stderr.size_bytes:
        return Unproven(MESSAGES_TOO, case, unusual, also_to_errors=True)
    if run.engine == "account" and run.trace is not None and _others_dominate(run.trace):
        return Unproven(f"{UNRELIABLE}: it makes too many other reads and writes", case, unusual)
    if unusual:
        return Unproven(f"{UNRELIABLE}: it calls {' and '.join(unusual)}", case, unusual, uncounted=unusual)
    return Unproven(OTHER_THINGS, case, unusual)


def _others_dominate(trace: Trace) -> bool:
    """Return whether most calls that were seen are on other descriptors than the standard streams."""
    streams = sum(stream.calls for stream in (trace.stdin, trace.stdout) if stream is not None)
    others = sum(stream.calls for stream in (trace.other_reads, trace.other_writes) if stream is not None)
    return others > streams


def _unusual_calls(facts: Facts, program: str, run: RunDone, item: CallPatternItem) -> tuple[str, ...]:
    """Return the calls on descriptors that the reference does not make."""
    usual = facts.lab.reference.evidence.traced(program, item.slice)
    if usual is None or usual.trace is None or run.trace is None:
        return ()
    return tuple(name for name in DESCRIPTOR_CALLS if name in run.trace.calls and name not in usual.trace.calls)


def _streams(
    stdin: CallPattern, stdout: CallPattern, run: RunDone
) -> Iterator[tuple[ExactCalls, tuple[int | None, int | None], str, list[str]]]:
    """Yield each exact pattern with the nbyte, and the other calls, seen before a run was no longer looked at."""
    if run.trace is None:
        return
    for pattern, stream, verb in ((stdin, run.trace.stdin, "read"), (stdout, run.trace.stdout, "write")):
        if isinstance(pattern, ExactCalls) and stream is not None:
            names = call_names(run.trace, stream, "stdin" if verb == "read" else "stdout")
            yield pattern, (stream.nbyte_max, stream.nbyte_min), verb, [name for name in names if name != verb]


def _ended(facts: Facts, program: str, case: str) -> bool:
    run = facts.evidence.run(program, case)
    return run is not None and isinstance(run.ending, Exited)


def _is_exact(facts: Facts, program: str, case: str) -> bool:
    return facts.lab.spec.calls_of(program, case).is_exact


def _worth_judging(facts: Facts, program: str, ended: list[RunCalls]) -> list[RunCalls]:
    """Return the calls of the full-size runs that read all of their input, or else those of the last run that ended.

    A program that stops early at some byte of one input is judged on the other: it has already lost points for that.
    A program that wrote all of its input but read little did not stop early: it moved the bytes in another way.
    """
    whole = [
        run
        for run in ended
        if max(run.stdin.bytes, _written_bytes(facts, program, run.case))
        >= len(facts.lab.inputs[facts.lab.spec.cases[run.case].judged_input])
    ]
    return whole or ended[-1:]


def full_size_calls(facts: Facts, program: str, case: str, slice_case: str) -> RunCalls | None:
    """Return the calls of a full-size run as strace or tally saw them, or else from the kernel's totals."""
    run = facts.evidence.run(program, case)
    seen = from_trace(case, facts.evidence.traced(program, case)) or from_trace(case, run)
    if seen is not None or run is None:
        return seen
    calls = _from_totals(facts, run, slice_case)
    return calls if calls is None else _with_nbyte(facts, program, run, calls)


def _with_nbyte(facts: Facts, program: str, run: RunDone, calls: RunCalls) -> RunCalls:
    """Return the calls of a run with an exact pattern whose nbyte is known, because no other calls were noticed."""
    case = facts.lab.spec.cases[calls.case]
    patterns = facts.lab.spec.calls_of(program, calls.case)
    pair = (patterns.stdin, patterns.stdout)
    if run.strays != () or run.opened_again or case.judges_files:
        return calls
    if not isinstance(pair[0], ExactCalls) or not isinstance(pair[1], ExactCalls):
        return calls
    moved_bytes: dict[Stream, int] = {
        "stdin": len(facts.lab.inputs[case.judged_input]),
        "stdout": run.stdout.size_bytes,
    }
    return only_conforming(calls, moved_bytes, {"stdin": pair[0].nbyte, "stdout": pair[1].nbyte})


def _from_totals(facts: Facts, run: RunDone, slice_case: str, messages: Messages = "few writes") -> RunCalls | None:
    """Return the calls of a run as the kernel's totals show them."""
    program, case = program_and_case(run.step)
    if facts.lab.spec.cases[case].files:
        # Some of its writes are to other files.
        run = run.model_copy(update={"message_writes": None})
    reference = facts.lab.reference.evidence.traced(program, slice_case)
    usual = reference.trace.other_reads if reference is not None and reference.trace is not None else None
    return from_accounting(
        case,
        run,
        facts.evidence.traced(program, slice_case),
        messages,
        output_file=facts.lab.spec.cases[case].streams.output,
        usual_reads=usual.calls if usual is not None else None,
    )


def _first_wrong_small_run(facts: Facts, program: str, item: CallPatternItem) -> list[StreamJudgement]:
    for case in _small_cases(facts, program, item):
        wrong = [stream for stream in _judge_small(facts, program, case, item.slice) if not stream.passed]
        if wrong:
            return wrong
    return []


def _small_cases(facts: Facts, program: str, item: CallPatternItem) -> Iterator[str]:
    """Yield the short cases of an item that ended and wrote what they should.

    A wrong output has lost its points already, and may be something other than a copy.
    """
    for case in facts.lab.spec.small_cases(item):
        run = facts.evidence.run(program, case)
        if run is not None and isinstance(run.ending, Exited) and facts.lab.expected(run) is None:
            yield case


def _judge_small(facts: Facts, program: str, case: str, slice_case: str) -> list[StreamJudgement]:
    """Judge a short run if it was counted. Nothing is claimed that its counts do not show.

    A batched stream may be flushed at each newline and after each read, and a pipe gives no more than its chunk.
    """
    run = facts.evidence.run(program, case)
    # A program that writes nothing (it refuses its operands, or stops at the first byte) has no calls to judge.
    if run is None or not run.written_bytes(facts.lab.spec.cases[case].streams.output):
        return []
    calls = _small_calls(facts, program, run, case, slice_case)
    if calls is None:
        return []
    return _judge_run(facts, program, calls, whole=False, is_small=True)


def _small_calls(facts: Facts, program: str, run: RunDone, case: str, slice_case: str) -> RunCalls | None:
    """Return the calls of a short run; if messages were not counted, their writes do not count against it."""
    is_exact = isinstance(facts.lab.spec.calls_of(program, case).stdout, ExactCalls)
    messages: Messages = "few writes" if is_exact else "many writes"
    return from_trace(case, run) or _from_totals(facts, run, slice_case, messages)


def _judge_run(
    facts: Facts, program: str, run: RunCalls, *, whole: bool, is_small: bool = False
) -> list[StreamJudgement]:
    """Judge both streams. A `whole` run must have read all of its input, any other at least as much as it wrote.

    So a program that stops early at some byte of a short input does not fail here for that. A program does fail if it
    copies nothing, or copies without these calls.
    """
    patterns, case = facts.lab.spec.calls_of(program, run.case), facts.lab.spec.cases[run.case]
    files = case.streams
    input_size, written = len(facts.lab.inputs[case.judged_input]), _moved_bytes(facts, program, run)
    read = input_size if whole else min(input_size, written)
    reference = facts.lab.reference.run(program, run.case)
    is_expected = files.output is not None or case.copies_reference
    expected = reference.written_bytes(files.output) if reference is not None and is_expected else written
    chunk = case.source.chunk_bytes if isinstance(case.source, PipeSource) else None
    spare_reads = -(-input_size // chunk) if chunk and is_small else 0
    spare_writes = spare_reads + _lines(facts, program, run.case) if is_small else 0
    name = case.judged_input
    stdin = Observation(name, case.sink, "stdin", run.engine, run.stdin, read, input_size, file=files.input)
    stdout = Observation(name, case.sink, "stdout", run.engine, run.stdout, written, expected, file=files.output)
    by_case = not facts.lab.spec.is_told_by_input(run.case)
    stdin, stdout = (
        replace(stream, case=run.case, by_case=by_case, is_lower_bound=run.is_lower_bound)
        for stream in (stdin, stdout)
    )
    return [
        judge_stream(
            patterns.stdin,
            replace(
                stdin,
                spare_calls=spare_reads,
                mappings=run.input_mappings,
                names=run.stdin_names,
                failed=run.stdin_failed,
            ),
        ),
        judge_stream(
            patterns.stdout,
            replace(stdout, spare_calls=spare_writes, names=run.stdout_names, failed=run.stdout_failed),
        ),
    ]


def _lines(facts: Facts, program: str, case: str) -> int:
    """Return how many newlines a short run's input and output have, at most: after each, a program may flush."""
    run = facts.evidence.run(program, case)
    newlines = facts.lab.inputs[facts.lab.spec.cases[case].judged_input].count(b"\n")
    if run is None:
        return newlines
    return newlines + (run.stdout.size_bytes if run.stdout.data is None else run.stdout.data.count(b"\n"))


def _moved_bytes(facts: Facts, program: str, calls: RunCalls) -> int:
    """Return how much the counted calls must have written.

    If the output may vary, and the calls of each run were counted, it is what arrived in that very run.
    """
    untraced = facts.evidence.run(program, calls.case)
    if untraced is None or untraced.accounting is None or not facts.may_vary(untraced):
        return _written_bytes(facts, program, calls.case)
    return facts.evidence.runs[calls.step].written_bytes(facts.lab.spec.cases[calls.case].streams.output)


def _written_bytes(facts: Facts, program: str, case: str) -> int:
    """Return how much arrived at the sink, through any call."""
    runs = (facts.evidence.run(program, case), facts.evidence.traced(program, case))
    output_file = facts.lab.spec.cases[case].streams.output
    return max((run.written_bytes(output_file) for run in runs if run is not None), default=0)


def _without_log(facts: Facts, program: str, item: CallPatternItem, evidence: CallsEvidence) -> Outcome:
    step = trace_id(program, item.slice)
    by_own_fault = facts.left_out_by_own_fault(step)
    if by_own_fault is not None:
        return Outcome("failed", by_own_fault, evidence)
    left_out = facts.evidence.left_out.get(step)
    if left_out is not None and left_out.why == "no-tracer":
        return Outcome("skipped", "where this ran neither strace nor tally can look at single calls", evidence)
    run = facts.evidence.traced(program, item.slice)
    if run is not None and isinstance(run.ending, Exited):
        return Outcome("skipped", "strace could not trace here, so single calls cannot be seen", evidence)
    spec = facts.lab.spec
    how = run and abnormal_run(
        run, spec.limits_for(item.slice, run.engine), spec.limits_place(item.slice, run.engine)
    )
    how = f"{how}, on a short input" if how else "it did not end in time on a short input"
    return Outcome("failed", f"{how}, so its calls cannot be counted", evidence)
