"""Do the system calls on standard input and output follow the pattern that the lab is about?"""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.judge.streams import Observation, RunCalls, from_accounting, from_trace, judge_stream
from grader.model.evidence import Evidence, Exited, trace_id
from grader.model.report import CallsEvidence, StreamJudgement
from grader.model.spec import CallPatternItem, ExactCalls


def judge_calls(facts: Facts, program: str, item: CallPatternItem) -> Outcome:
    """Judge the slice's log, call by call, and the totals of a full-size run.

    A pattern of exact nbyte needs both: only the log shows nbyte. A batched pattern is a matter of full size, and
    is judged on the slice only where no full-size run ended. A log that is not complete decides nothing, and where
    a full-size run could not be counted, the slice alone passes nobody.
    """
    short = from_trace(item.slice, facts.evidence.traced(program, item.slice))
    full = _full_size(facts, program, item)
    on_slice = short is not None and (full is None or _exact(facts, program))
    runs = [run for run in (short if on_slice else None, full) if run is not None]
    judged = [stream for run in runs for stream in _judge_run(facts, program, run, whole=run is full)]
    evidence = CallsEvidence(streams=tuple(judged), excerpt=_excerpt(facts, program, item))
    problems = [f"{stream.problem} (input {stream.input})" for stream in judged if not stream.passed]
    if problems:
        return Outcome("failed", "; ".join(dict.fromkeys(problems)), evidence)
    if short is None:
        return _without_log(facts, program, item, evidence)
    if full is None and any(_ended(facts, program, case) for case in item.full):
        return Outcome("skipped", "the kernel keeps no I/O accounting here, so full size cannot be counted", evidence)
    return Outcome("passed", _passed(judged), evidence)


def _ended(facts: Facts, program: str, case: str) -> bool:
    run = facts.evidence.run(program, case)
    return run is not None and isinstance(run.ending, Exited)


def _exact(facts: Facts, program: str) -> bool:
    declared = facts.spec.programs[program]
    return isinstance(declared.stdin, ExactCalls) or isinstance(declared.stdout, ExactCalls)


def _full_size(facts: Facts, program: str, item: CallPatternItem) -> RunCalls | None:
    """Return the calls of the first full-size run that read all of its input, else of the last that ended."""
    last = None
    for case in item.full:
        run = facts.evidence.run(program, case)
        calls = full_size_calls(facts.evidence, program, case, item.slice)
        if run is None or calls is None or not isinstance(run.ending, Exited):
            continue
        last = calls
        if calls.stdin.bytes >= len(facts.inputs[facts.spec.cases[case].input]):
            break
    return last


def full_size_calls(evidence: Evidence, program: str, case: str, slice_case: str) -> RunCalls | None:
    """Return a full-size run's calls from its own log where there is one, else from the kernel's totals."""
    traced = from_trace(case, evidence.traced(program, case))
    run = evidence.run(program, case)
    if traced is not None or run is None:
        return traced
    return from_accounting(case, run, evidence.traced(program, slice_case))


def _judge_run(facts: Facts, program: str, run: RunCalls, *, whole: bool) -> list[StreamJudgement]:
    """Judge both streams; a `whole` run has to have read all of its input, another what it wrote at least.

    So a program that stops early for some byte of a short input is not failed here for that, and one that copies
    nothing, or by other ways than these calls, is.
    """
    declared, case = facts.spec.programs[program], facts.spec.cases[run.case]
    wrote = _wrote(facts, program, run.case)
    read = len(facts.inputs[case.input]) if whole else min(len(facts.inputs[case.input]), wrote)
    return [
        judge_stream(declared.stdin, Observation(case.input, case.sink, "stdin", run.engine, run.stdin, read)),
        judge_stream(declared.stdout, Observation(case.input, case.sink, "stdout", run.engine, run.stdout, wrote)),
    ]


def _wrote(facts: Facts, program: str, case: str) -> int:
    """Return how much arrived at the sink, by whatever call."""
    runs = (facts.evidence.run(program, case), facts.evidence.traced(program, case))
    return max((run.stdout.size_bytes for run in runs if run is not None), default=0)


def _excerpt(facts: Facts, program: str, item: CallPatternItem) -> str:
    run = facts.evidence.traced(program, item.slice)
    return run.trace.excerpt if run is not None and run.trace is not None else ""


def _passed(judged: list[StreamJudgement]) -> str:
    return "; ".join(f"{one.calls:,} {'reads' if one.stream == 'stdin' else 'writes'}" for one in judged[-2:])


def _without_log(facts: Facts, program: str, item: CallPatternItem, evidence: CallsEvidence) -> Outcome:
    step = trace_id(program, item.slice)
    not_run = facts.not_run(step)
    if not_run is not None:
        return Outcome("failed", not_run, evidence)
    left_out = facts.evidence.left_out.get(step)
    if left_out is not None and left_out.why == "no-strace":
        return Outcome("skipped", "strace is not installed where this ran, so single calls cannot be seen", evidence)
    run = facts.evidence.traced(program, item.slice)
    if run is not None and isinstance(run.ending, Exited):
        return Outcome("skipped", "strace could not trace here, so single calls cannot be seen", evidence)
    return Outcome("failed", "it did not end on a short input, so its calls cannot be counted", evidence)
