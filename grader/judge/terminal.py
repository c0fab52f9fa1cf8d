"""Judge whether a program writes the right output to a terminal, in the right number of writes."""

from __future__ import annotations

from grader.judge.call_pattern import hint_about_calls, run_words
from grader.judge.cases import output_problem
from grader.judge.facts import Facts, Outcome
from grader.judge.repeat import repeat_calls
from grader.judge.streams import Observation, from_trace, judge_stream
from grader.model.counted import counted
from grader.model.evidence import RunDone, run_id, trace_id
from grader.model.report import CallsEvidence, StreamJudgement
from grader.model.spec.rubric import TerminalItem


def judge_terminal(facts: Facts, program: str, item: TerminalItem) -> Outcome:
    """Pass if every judged run to a terminal wrote the reference's output, with writes that follow the pattern.

    A run that was left out, or whose log is incomplete, is not judged: other checks fail for what such a run does.

    Only writes are judged: reads do not depend on where the output goes.
    """
    problems: list[str] = []
    wrong: list[str] = []
    judged: list[StreamJudgement] = []
    for case in item.cases:
        for run in (facts.evidence.run(program, case), facts.evidence.traced(program, case)):
            # A case that the reference did not run is shown in the tables, but not judged.
            if run is None or facts.lab.reference.run(program, case) is None:
                continue
            problem, _ = output_problem(facts, case, run)
            if problem is not None:
                problems.append(f"{problem} ({run_words(facts.lab.spec, [case])}, to a terminal)")
                wrong.append(case)
            elif (judgement := _judge_writes(facts, program, case, run)) is not None:
                judged.append(judgement)
    problems += [f"{stream.problem} ({stream.words}, to a terminal)" for stream in judged if not stream.passed]
    wrong += [stream.case for stream in judged if not stream.passed]
    # The first ones are short.
    repeat = repeat_calls(facts.lab.spec, program, min(wrong, key=item.cases.index)) if wrong else ""
    evidence = CallsEvidence(streams=tuple(judged), repeat=repeat)
    if problems:
        return Outcome("failed", "; ".join(dict.fromkeys(problems)), evidence, hint_about_calls(judged))
    steps = [name(program, case) for case in item.cases for name in (run_id, trace_id)]
    by_own_fault = next(filter(None, map(facts.left_out_by_own_fault, steps)), None)
    if not judged and by_own_fault is not None:
        return Outcome("failed", by_own_fault, evidence)
    if not judged:
        return Outcome("skipped", "no run to a terminal could be traced, so single writes cannot be seen", evidence)
    writes = ", ".join(f"{counted(stream.calls, 'write')} of {counted(stream.bytes, 'byte')}" for stream in judged)
    return Outcome("passed", writes, evidence)


def _judge_writes(facts: Facts, program: str, case: str, run: RunDone) -> StreamJudgement | None:
    calls, expected = from_trace(case, run), facts.lab.reference.run(program, case)
    if calls is None or expected is None:
        return None
    # The output equals the reference's, so its bytes are available even if the run did not send them.
    output = facts.lab.reference.output(expected)
    input_name = facts.lab.spec.cases[case].input
    size_bytes = len(output)
    observed = Observation(
        input_name,
        "terminal",
        "stdout",
        calls.engine,
        calls.stdout,
        size_bytes,
        size_bytes,
        output,
        case=case,
        by_case=not facts.lab.spec.is_told_by_input(case),
    )
    return judge_stream(facts.lab.spec.calls_of(program, case).terminal, observed)
