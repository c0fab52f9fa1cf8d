"""Did every case end as it should: the reference's output, or an operand error?"""

from __future__ import annotations

from dataclasses import dataclass

from typing_extensions import assert_never

from grader.judge.endings import abnormal, exit_words, last_words, stderr_words
from grader.judge.facts import Facts, Outcome
from grader.judge.hints import ENDLESS, hint_for
from grader.judge.repeat import repeat_case
from grader.model.evidence import Exited, RunDone, run_id
from grader.model.report import CaseResult, CasesEvidence, Difference
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import CasesItem

UNWANTED_BYTES = 400
NAMED_CASES = 4
"""So many failed cases are named in a message; the report lists all."""


def judge_cases(facts: Facts, program: str, item: CasesItem) -> Outcome:
    """Pass where every case ended as it expects."""
    results = tuple(case_result(facts, program, name) for name in item.cases)
    failed = [result for result in results if not result.passed]
    if failed:
        evidence = CasesEvidence(cases=results)
        endless = facts.does_not_end(run_id(program, failed[0].case))
        hint = ENDLESS if endless else hint_for(failed[0])
        return Outcome("failed", _failed_message(failed, len(results)), evidence, hint)
    notes = [f"{result.case}: {result.problem}" for result in results if result.problem]
    return Outcome("passed", "; ".join(notes), CasesEvidence(cases=results))


def _failed_message(failed: list[CaseResult], total: int) -> str:
    if total == 1:
        return failed[0].problem
    wrong = [result.case for result in failed if result.ending is not None]
    not_run = len(failed) - len(wrong)
    were = "was" if not_run == 1 else "were"
    if not wrong:
        return f"{not_run} of {total} cases {were} not run: {failed[0].problem.removeprefix('not run: ')}"
    more = f" and {len(wrong) - NAMED_CASES} more" if len(wrong) > NAMED_CASES else ""
    others = f", {not_run} {were} not run" if not_run else ""
    names = ", ".join(wrong[:NAMED_CASES])
    return f"{len(wrong)} of {total} cases went wrong ({names}{more}){others}; the first: {failed[0].problem}"


@dataclass(frozen=True)
class CaseVerdict:
    """What was found of one case; `text` says what is wrong, or what else is worth saying."""

    passed: bool
    text: str = ""
    where: Difference | None = None


def case_result(facts: Facts, program: str, name: str) -> CaseResult:
    """Compare one untraced run with what its case expects."""
    case = facts.spec.cases[name]
    run = facts.evidence.run(program, name)
    found = _finding(facts, program, name, run)
    result = CaseResult(
        case=name,
        operands=case.operands,
        input=case.input,
        input_size_bytes=len(facts.inputs[case.input]),
        sink=case.sink,
        passed=found.passed,
        problem=found.text,
        ending=run.ending if run else None,
        stderr=(run.stderr.data or b"") if run else b"",
        stdout=_unwanted(run) if run and case.expect == "operand-error" else b"",
        difference=found.where,
        hidden=case.hidden,
    )
    if found.passed:
        return result
    return result.model_copy(update={"repeat": repeat_case(facts.spec, program, result)})


def _finding(facts: Facts, program: str, name: str, run: RunDone | None) -> CaseVerdict:
    if run is None:
        return CaseVerdict(passed=False, text=facts.not_run(run_id(program, name)) or "not run")
    limits = _limits(facts, run, name)
    expect = facts.spec.cases[name].expect
    match expect:
        case "reference-output":
            problem, where = output_problem(facts, name, run)
            return CaseVerdict(passed=problem is None, text=problem or "", where=where)
        case "operand-error":
            problem = operand_error_problem(run, limits)
            return CaseVerdict(passed=problem is None, text=problem or "")
        case "either":
            trouble = abnormal(run.ending, limits)
            return CaseVerdict(passed=trouble is None, text=trouble or _what_it_did(run))
        case _ as unreachable:
            assert_never(unreachable)


def output_problem(facts: Facts, name: str, run: RunDone) -> tuple[str | None, Difference | None]:
    """Return what is wrong with a run's output, and where; (None, None) where it is the reference's.

    The exit status of a run that copied does not count: the lab's statement is silent on it.
    """
    where = facts.differences.get(run.step)
    trouble = abnormal(run.ending, _limits(facts, run, name))
    if where is None:
        return trouble, None
    if trouble:
        return f"{trouble}; its output: {where.summary}", where
    # Who wrote nothing may have refused what is right.
    return (where.summary if run.stdout.size_bytes else f"{where.summary}; {last_words(run)}"), where


def _limits(facts: Facts, run: RunDone, name: str) -> RunLimits:
    limits, full = facts.spec.limits, facts.spec.cases[name].limits == "full"
    match run.engine:
        case "strace-count":
            return limits.strace_full
        case "strace":
            return limits.strace if full else limits.strace_small
        case _:
            return limits.full if full else limits.small


def operand_error_problem(run: RunDone, limits: RunLimits) -> str | None:
    """Return what is wrong with how wrong operands were refused, None where it was done right."""
    trouble = abnormal(run.ending, limits)
    silent = run.stderr.size_bytes == 0
    if trouble:
        return f"the operands should be refused, but {trouble}, {stderr_words(run)}"
    accepted = isinstance(run.ending, Exited) and run.ending.code == 0
    wrote = run.stdout.size_bytes
    if accepted and silent:
        return f"the operands were accepted: {last_words(run)}"
    problems = []
    if accepted:
        problems.append("the exit status is 0, which means success, though there is a message on standard error")
    if silent:
        problems.append(f"there is no message on standard error, only {exit_words(run)}")
    if wrote:
        problems.append(f"something was written to standard output ({wrote:,} bytes), where nothing may be")
    return "; ".join(problems) or None


def _unwanted(run: RunDone) -> bytes:
    return (run.stdout.data or b"")[:UNWANTED_BYTES]


def _what_it_did(run: RunDone) -> str:
    wrote = f"wrote {run.stdout.size_bytes:,} bytes" if run.stdout.size_bytes else "wrote nothing"
    return f"{wrote}, {exit_words(run)}"
