"""Judge whether the system calls on standard input and output follow the pattern that the lab is about."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace

from grader.judge.endings import abnormal_run
from grader.judge.facts import Facts, Outcome
from grader.judge.program_calls import ProgramCalls, wrong
from grader.judge.repeat import ShownCalls, repeat_calls
from grader.judge.streams import verb_of
from grader.judge.unproven_calls import MESSAGES_TOO, OTHER_THINGS, Unproven, unproven_runs
from grader.model.counted import counted as counted_words
from grader.model.counted import listed
from grader.model.evidence import Exited, trace_id
from grader.model.report import CallsEvidence, Stream, StreamJudgement
from grader.model.spec.cases import PipeSource
from grader.model.spec.lab import Spec
from grader.model.spec.programs import ExactCalls
from grader.model.spec.rubric import CallPatternItem

ONLY_LARGE = "No short run shows this: look for what it does otherwise with a large input."
"""What to do next if calls are wrong at full size only."""

UNWATCHED = (
    "the kernel gives no inotify watch (fs.inotify.max_user_instances and max_user_watches), so nobody saw whether"
    " the program opened its input again"
)

Shown = tuple[str, ShownCalls]
"""A case in which calls were wrong, and how to show them."""


def judge_call_pattern(facts: Facts, program: str, item: CallPatternItem) -> Outcome:
    """Judge the log of the slice, call by call, and the counts of the other runs.

    An incomplete log decides nothing. If no full-size run could be counted, the slice alone is not enough to pass. If
    two engines saw the same run, both have to show the same.
    """
    calls = ProgramCalls(facts, program, item)
    judged = calls.judged()
    unproven = unproven_runs(calls, is_wrong=bool(wrong(judged)))
    if (undecided := _on_unknown_files(calls, wrong(judged), unproven)) is not None:
        return Outcome("skipped", undecided, _evidence(calls, judged))
    if wrong(judged) or unproven:
        return _failed(calls, judged, unproven)
    evidence = _evidence(calls, judged)
    if calls.slice is None:
        return _without_log(calls, evidence)
    if (incomplete := _not_counted(calls, evidence)) is not None:
        return incomplete
    counts = [f"{counted_words(one.calls, verb_of(one.stream))} {one.where}" for one in judged[-2:]]
    return Outcome("passed", "; ".join(counts), evidence)


def _not_counted(calls: ProgramCalls, evidence: CallsEvidence) -> Outcome | None:
    """Return the verdict if calls of runs could not be counted, or not all of them; None if they were."""
    uncounted = [case for case, of_case in calls.full_size.items() if of_case is None]
    if uncounted and calls.facts.can_count:
        run = calls.run(uncounted[0])
        also_to_errors = run is not None and bool(run.stderr.size_bytes)
        evidence = evidence.model_copy(update={"also_to_errors": also_to_errors})
        problem = MESSAGES_TOO if also_to_errors else OTHER_THINGS
        return Outcome("failed", f"{problem} ({run_words(calls.spec, uncounted[:1])})", evidence)
    if uncounted and not calls.worth_judging:
        return Outcome("skipped", "the kernel keeps no I/O accounting here, so full size cannot be counted", evidence)
    return Outcome("skipped", UNWATCHED, evidence) if calls.is_unwatched else None


def _on_unknown_files(
    calls: ProgramCalls, wrong_streams: Sequence[StreamJudgement], unproven: Sequence[Unproven]
) -> str | None:
    """Say that calls that are missing may be those on files that are not known, None if these decide nothing.

    Such calls never help a program to pass, and do not excuse what is seen to be wrong in others.
    """
    cases = (calls.item.slice, *calls.item.full)
    traces = [run.trace for case in cases if (run := calls.traced(case)) is not None and run.trace is not None]
    unknown: dict[Stream, int] = {
        "stdin": max((trace.unknown_reads for trace in traces), default=0),
        "stdout": max((trace.unknown_writes for trace in traces), default=0),
    }
    is_decided = any(_is_seen(stream) or not unknown[stream.stream] for stream in wrong_streams)
    if is_decided or not any(unknown.values()) or any(run.why != OTHER_THINGS for run in unproven):
        return None
    is_uncounted = calls.facts.can_count and None in calls.full_size.values()
    if not wrong_streams and not unproven and not is_uncounted:
        return None
    names = [verb_of(stream) for stream, times in unknown.items() if times]
    return f"its calls of {listed(names)} are on files whose names the log does not show, so they cannot be counted"


def _is_seen(stream: StreamJudgement) -> bool:
    """Return whether something is wrong with the calls that were seen, whatever others there are."""
    too_many = stream.deviation == "count" and stream.calls > (stream.expected_calls or stream.calls)
    return stream.deviation == "nbyte" or bool(stream.instead) or too_many


def _failed(calls: ProgramCalls, judged: list[StreamJudgement], unproven: Sequence[Unproven]) -> Outcome:
    problems = [f"{stream.problem} ({stream.words})" for stream in wrong(judged)]
    cases_of: dict[str, list[str]] = {}
    for run in unproven:
        cases_of.setdefault(run.why, []).append(run.case)
    problems += [f"{why} ({run_words(calls.spec, cases)})" for why, cases in cases_of.items()]
    shown, of_shown = _shown_calls(calls, judged, unproven)
    evidence = _evidence(calls, [*judged, *of_shown]).model_copy(
        update={
            "repeat": repeat_calls(calls.spec, calls.program, *shown) if shown else "",
            "other_calls": tuple(dict.fromkeys(name for run in unproven for name in run.uncounted)),
            "also_to_errors": any(run.also_to_errors for run in unproven),
        }
    )
    hint = _hint_about_shown(calls.spec, *shown) if shown else None
    hint = hint_about_calls(judged) if hint is None else hint
    return Outcome("failed", "; ".join(dict.fromkeys(problems)), evidence, hint)


def _evidence(calls: ProgramCalls, streams: Sequence[StreamJudgement]) -> CallsEvidence:
    logged = calls.traced(calls.item.slice)
    trace = None if logged is None else logged.trace
    return CallsEvidence(streams=tuple(streams), excerpt="" if trace is None else trace.excerpt)


def run_words(spec: Spec, cases: Sequence[str]) -> str:
    """Name the inputs of cases, or the cases themselves if the input of one does not tell which case it is."""
    is_clear = all(map(spec.is_told_by_input, cases))
    names = [*dict.fromkeys(spec.cases[case].judged_input if is_clear else case for case in cases)]
    kind = "input" if is_clear else "case"
    return f"{kind if len(names) == 1 else f'{kind}s'} {', '.join(names)}"


def hint_about_calls(judged: Sequence[StreamJudgement]) -> str | None:
    """Return None for the rubric's hint, which is about nbyte and the number of calls, or "" if these are right."""
    return None if any(stream.deviation in ("nbyte", "count") for stream in judged) else ""


def _shown_calls(
    calls: ProgramCalls, judged: list[StreamJudgement], unproven: Sequence[Unproven]
) -> tuple[Shown | None, list[StreamJudgement]]:
    """Return a case in which the calls were wrong, a short one if there is one, and how to show them.

    Its wrong streams are returned too unless they are among those that were judged: the command shows their numbers.
    Without a case that everybody may see, there is none.
    """
    for shown, of_case in _shown_short(calls, wrong(judged)):
        return shown, [stream for stream in of_case if stream not in judged]
    large = (*_shown_large(calls, wrong(judged)), *_shown_unproven(unproven, wrong(judged)))
    return next((shown for shown in large if not calls.spec.cases[shown[0]].hidden), None), []


def _shown_short(calls: ProgramCalls, judged: list[StreamJudgement]) -> Iterator[tuple[Shown, list[StreamJudgement]]]:
    """Yield the short cases that show one of these wrong streams, with what is wrong in them."""
    went_elsewhere = any(stream.went_elsewhere for stream in judged)
    shown = _shown_streams(judged)
    for case in (calls.item.slice, *calls.small_cases) if judged else ():
        declared, is_slice = calls.spec.cases[case], case == calls.item.slice
        # The totals of short runs do not show through which descriptor or call the bytes went.
        is_listed = is_slice or not went_elsewhere
        if not is_listed or isinstance(declared.source, PipeSource) or declared.hidden:
            continue
        if found := calls.wrong_in_short_run(case):
            is_untraced = not is_slice and calls.is_from_totals(case)
            yield (case, replace(shown, is_untraced=is_untraced)), found


def _shown_large(calls: ProgramCalls, judged: list[StreamJudgement]) -> Iterator[Shown]:
    """Yield the cases of these wrong streams."""
    for stream in judged:
        patterns = calls.spec.calls_of(calls.program, stream.case)
        pattern = patterns.stdin if stream.stream == "stdin" else patterns.stdout
        nbyte = pattern.nbyte if isinstance(pattern, ExactCalls) and stream.deviation == "nbyte" else 0
        is_untraced = calls.is_from_totals(stream.case)
        yield stream.case, replace(_shown_streams(judged), right_nbyte=nbyte, is_untraced=is_untraced)


def _shown_unproven(unproven: Sequence[Unproven], judged: list[StreamJudgement]) -> Iterator[Shown]:
    """Yield the cases of runs that do not show what they should."""
    for run in unproven:
        yield run.case, replace(_shown_streams(judged), also=run.calls, is_untraced=run.is_untraced)


def _shown_streams(judged: Sequence[StreamJudgement]) -> ShownCalls:
    """Return which calls to show of these wrong streams, of both if there are none."""
    streams = {stream.stream for stream in judged} or {"stdin", "stdout"}
    return ShownCalls(streams, is_related=any(stream.deviation == "elsewhere" for stream in judged))


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


def _without_log(calls: ProgramCalls, evidence: CallsEvidence) -> Outcome:
    """Return the verdict if single calls could not be seen although nothing else was wrong."""
    spec, case = calls.spec, calls.item.slice
    step = trace_id(calls.program, case)
    by_own_fault = calls.facts.left_out_by_own_fault(step)
    if by_own_fault is not None:
        return Outcome("failed", by_own_fault, evidence)
    left_out = calls.facts.evidence.left_out.get(step)
    if left_out is not None and left_out.why == "no-tracer":
        return Outcome("skipped", "where this ran neither strace nor tally can look at single calls", evidence)
    run = calls.traced(case)
    if run is not None and isinstance(run.ending, Exited):
        return Outcome("skipped", "strace could not trace here, so single calls cannot be seen", evidence)
    how = run and abnormal_run(run, spec.limits_for(case, run.engine), spec.limits_place(case, run.engine))
    how = f"{how}, on a short input" if how else "it did not end in time on a short input"
    return Outcome("failed", f"{how}, so its calls cannot be counted", evidence)
