"""Do the system calls on standard input and output follow the pattern that the lab is about?"""

from __future__ import annotations

from grader.judge.facts import Facts, Outcome
from grader.judge.repeat import repeat_calls
from grader.judge.streams import Observation, RunCalls, from_accounting, from_trace, judge_stream
from grader.model.evidence import Evidence, Exited, trace_id
from grader.model.report import CallsEvidence, StreamJudgement
from grader.model.spec.programs import ExactCalls
from grader.model.spec.rubric import CallPatternItem


def judge_calls(facts: Facts, program: str, item: CallPatternItem) -> Outcome:
    """Judge the slice's log, call by call, and the counts of the full-size runs.

    A pattern of exact nbyte needs both: the kernel's totals do not show nbyte. A batched pattern is a matter of full
    size, and is judged on the slice only where no full-size run ended. A log that is not complete decides nothing,
    and where no full-size run could be counted, the slice alone passes nobody.
    """
    short = from_trace(item.slice, facts.evidence.traced(program, item.slice))
    counted = _full_size(facts, program, item)
    full = _worth_judging(facts, program, [calls for calls in counted.values() if calls is not None])
    on_slice = short is not None and (not full or _exact(facts, program))
    judged = _judge_run(facts, program, short, whole=False) if short is not None and on_slice else []
    judged += [stream for run in full for stream in _judge_run(facts, program, run, whole=True)]
    problems = [f"{stream.problem} (input {stream.input})" for stream in judged if not stream.passed]
    evidence = CallsEvidence(
        streams=tuple(judged),
        excerpt=_excerpt(facts, program, item),
        repeat=repeat_calls(facts.spec, program, item.slice) if problems else "",
    )
    if problems:
        return Outcome("failed", "; ".join(dict.fromkeys(problems)), evidence)
    if short is None:
        return _without_log(facts, program, item, evidence)
    uncounted = [case for case, calls in counted.items() if calls is None]
    if uncounted and facts.can_count:
        source = facts.spec.cases[uncounted[0]].input
        return Outcome(
            "failed", f"its calls cannot be counted: it does other things than usual (input {source})", evidence
        )
    if uncounted and not full:
        return Outcome("skipped", "the kernel keeps no I/O accounting here, so full size cannot be counted", evidence)
    return Outcome("passed", _passed(judged), evidence)


def _ended(facts: Facts, program: str, case: str) -> bool:
    run = facts.evidence.run(program, case)
    return run is not None and isinstance(run.ending, Exited)


def _exact(facts: Facts, program: str) -> bool:
    declared = facts.spec.programs[program]
    return isinstance(declared.stdin, ExactCalls) or isinstance(declared.stdout, ExactCalls)


def _full_size(facts: Facts, program: str, item: CallPatternItem) -> dict[str, RunCalls | None]:
    """Return the calls of each full-size run that ended, None for one that could not be counted."""
    return {
        case: full_size_calls(facts.evidence, program, case, item.slice)
        for case in item.full
        if _ended(facts, program, case)
    }


def _worth_judging(facts: Facts, program: str, ended: list[RunCalls]) -> list[RunCalls]:
    """Return the calls of the full-size runs that read all of their input, else of the last that ended.

    A program that stops early for some byte of one input is judged on the other; it has lost points for that already.
    One that wrote all of it and read little did not stop early: it went another way.
    """
    whole = [
        run
        for run in ended
        if max(run.stdin.bytes, _wrote(facts, program, run.case))
        >= len(facts.inputs[facts.spec.cases[run.case].input])
    ]
    return whole or ended[-1:]


def full_size_calls(evidence: Evidence, program: str, case: str, slice_case: str) -> RunCalls | None:
    """Return a full-size run's calls as strace or tally saw them, else from the kernel's totals."""
    run = evidence.run(program, case)
    seen = from_trace(case, evidence.traced(program, case)) or from_trace(case, run)
    if seen is not None or run is None:
        return seen
    return from_accounting(case, run, evidence.traced(program, slice_case))


def _judge_run(facts: Facts, program: str, run: RunCalls, *, whole: bool) -> list[StreamJudgement]:
    """Judge both streams; a `whole` run has to have read all of its input, another what it wrote at least.

    So a program that stops early for some byte of a short input is not failed here for that, and one that copies
    nothing, or by other ways than these calls, is.
    """
    declared, case = facts.spec.programs[program], facts.spec.cases[run.case]
    size, wrote = len(facts.inputs[case.input]), _wrote(facts, program, run.case)
    read = size if whole else min(size, wrote)
    right = facts.reference.run(program, run.case)
    due = right.stdout.size_bytes if right is not None else wrote
    return [
        judge_stream(declared.stdin, Observation(case.input, case.sink, "stdin", run.engine, run.stdin, read, size)),
        judge_stream(
            declared.stdout, Observation(case.input, case.sink, "stdout", run.engine, run.stdout, wrote, due)
        ),
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
    if left_out is not None and left_out.why == "no-tracer":
        return Outcome("skipped", "where this ran neither strace nor tally can look at single calls", evidence)
    run = facts.evidence.traced(program, item.slice)
    if run is not None and isinstance(run.ending, Exited):
        return Outcome("skipped", "strace could not trace here, so single calls cannot be seen", evidence)
    return Outcome("failed", "it did not end on a short input, so its calls cannot be counted", evidence)
