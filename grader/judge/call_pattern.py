"""Judge whether the system calls on standard input and output follow the pattern that the lab is about."""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.judge.repeat import repeat_calls
from grader.judge.streams import Observation, RunCalls, from_accounting, from_trace, judge_stream
from grader.model.evidence import Evidence, Exited, trace_id
from grader.model.report import CallsEvidence, StreamJudgement
from grader.model.spec.programs import ExactCalls
from grader.model.spec.rubric import CallPatternItem


def judge_call_pattern(facts: Facts, program: str, item: CallPatternItem) -> Outcome:
    """Judge the log of the slice, call by call, and the counts of the full-size runs.

    A pattern of exact nbyte needs both, because the kernel's totals do not show nbyte. A batched pattern is judged at
    full size; the slice is judged only if no full-size run ended. An incomplete log decides nothing. If no full-size
    run could be counted, the slice alone is not enough to pass.
    """
    slice_run = facts.evidence.traced(program, item.slice)
    slice_calls = from_trace(item.slice, slice_run)
    # None for a run that ended but could not be counted.
    full_size = {
        case: full_size_calls(facts.evidence, program, case, item.slice)
        for case in item.full
        if _ended(facts, program, case)
    }
    counted = _worth_judging(facts, program, [calls for calls in full_size.values() if calls is not None])
    judged: list[StreamJudgement] = []
    if slice_calls is not None and (not counted or _is_exact(facts, program)):
        judged += _judge_run(facts, program, slice_calls, whole=False)
    judged += [stream for calls in counted for stream in _judge_run(facts, program, calls, whole=True)]
    problems = [f"{stream.problem} (input {stream.input})" for stream in judged if not stream.passed]
    evidence = CallsEvidence(
        streams=tuple(judged),
        excerpt=slice_run.trace.excerpt if slice_run is not None and slice_run.trace is not None else "",
        repeat=repeat_calls(facts.lab.spec, program, item.slice) if problems else "",
    )
    if problems:
        return Outcome("failed", "; ".join(dict.fromkeys(problems)), evidence)
    if slice_calls is None:
        return _without_log(facts, program, item, evidence)
    uncounted = [case for case, calls in full_size.items() if calls is None]
    if uncounted and facts.can_count:
        source = facts.lab.spec.cases[uncounted[0]].input
        return Outcome(
            "failed", f"its calls cannot be counted: it does other things than usual (input {source})", evidence
        )
    if uncounted and not counted:
        return Outcome("skipped", "the kernel keeps no I/O accounting here, so full size cannot be counted", evidence)
    counts = [f"{stream.calls:,} {'reads' if stream.stream == 'stdin' else 'writes'}" for stream in judged[-2:]]
    return Outcome("passed", "; ".join(counts), evidence)


def _ended(facts: Facts, program: str, case: str) -> bool:
    run = facts.evidence.run(program, case)
    return run is not None and isinstance(run.ending, Exited)


def _is_exact(facts: Facts, program: str) -> bool:
    declared = facts.lab.spec.programs[program]
    return isinstance(declared.stdin, ExactCalls) or isinstance(declared.stdout, ExactCalls)


def _worth_judging(facts: Facts, program: str, ended: list[RunCalls]) -> list[RunCalls]:
    """Return the calls of the full-size runs that read all of their input, or else those of the last run that ended.

    A program that stops early at some byte of one input is judged on the other: it has already lost points for that.
    A program that wrote all of its input but read little did not stop early: it moved the bytes in another way.
    """
    whole = [
        run
        for run in ended
        if max(run.stdin.bytes, _written_bytes(facts, program, run.case))
        >= len(facts.lab.inputs[facts.lab.spec.cases[run.case].input])
    ]
    return whole or ended[-1:]


def full_size_calls(evidence: Evidence, program: str, case: str, slice_case: str) -> RunCalls | None:
    """Return the calls of a full-size run as strace or tally saw them, or else from the kernel's totals."""
    run = evidence.run(program, case)
    seen = from_trace(case, evidence.traced(program, case)) or from_trace(case, run)
    if seen is not None or run is None:
        return seen
    return from_accounting(case, run, evidence.traced(program, slice_case))


def _judge_run(facts: Facts, program: str, run: RunCalls, *, whole: bool) -> list[StreamJudgement]:
    """Judge both streams. A `whole` run must have read all of its input, any other at least as much as it wrote.

    So a program that stops early at some byte of a short input does not fail here for that. A program does fail if it
    copies nothing, or copies without these calls.
    """
    declared, case = facts.lab.spec.programs[program], facts.lab.spec.cases[run.case]
    input_size, written = len(facts.lab.inputs[case.input]), _written_bytes(facts, program, run.case)
    read = input_size if whole else min(input_size, written)
    reference = facts.lab.reference.run(program, run.case)
    expected = reference.stdout.size_bytes if reference is not None else written
    stdin = Observation(case.input, case.sink, "stdin", run.engine, run.stdin, read, input_size)
    stdout = Observation(case.input, case.sink, "stdout", run.engine, run.stdout, written, expected)
    return [judge_stream(declared.stdin, stdin), judge_stream(declared.stdout, stdout)]


def _written_bytes(facts: Facts, program: str, case: str) -> int:
    """Return how much arrived at the sink, through any call."""
    runs = (facts.evidence.run(program, case), facts.evidence.traced(program, case))
    return max((run.stdout.size_bytes for run in runs if run is not None), default=0)


def _without_log(facts: Facts, program: str, item: CallPatternItem, evidence: CallsEvidence) -> Outcome:
    step = trace_id(program, item.slice)
    not_run = facts.not_run(step)
    if not_run is not None:
        return Outcome("failed", not_run, evidence)
    left_out = facts.evidence.left_out.get(step)
    if left_out is not None and left_out.why == "no-tracer":
        return Outcome("skipped", "where this ran neither strace nor tally can look at single calls", evidence)
    run = facts.evidence.traced(program, item.slice)
    if run is not None and isinstance(run.ending, Exited):
        return Outcome("skipped", "strace could not trace here, so single calls cannot be seen", evidence)
    return Outcome("failed", "it did not end on a short input, so its calls cannot be counted", evidence)
