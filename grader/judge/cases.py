"""Judge whether every case ended as expected: with the reference's output, or with an operand error."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

from typing_extensions import assert_never

from grader.judge.difference import nothing_written
from grader.judge.endings import abnormal_run, exit_and_stderr_words, exit_words, stderr_words
from grader.judge.facts import Facts, Outcome
from grader.judge.repeat import repeat_case
from grader.judge.stated import UNSEEN, Compared, Mismatch, differs_otherwise, file_mismatches, mismatches
from grader.model.counted import counted, listed_up_to
from grader.model.evidence import LOG_FULL, Exited, RunDone, program_and_case, run_id
from grader.model.report import CaseResult, CasesEvidence, Difference
from grader.model.spec.cases import Case
from grader.model.spec.expectations import Expected
from grader.model.spec.programs import RunLimits
from grader.model.spec.rubric import CasesItem

OTHER_OUTPUT = "stdout=other"
"""The part of a case whose standard output may differ from the reference's, and does."""

UNWANTED_BYTES = 400
"""Most bytes shown of an output that should be empty."""

NAMED_CASES = 4
"""Most failed cases that a message names; the report lists all."""


def judge_cases(facts: Facts, program: str, item: CasesItem) -> Outcome:
    """Pass if every case ended as it expects."""
    return outcome_of(tuple(case_result(facts, program, name) for name in item.cases))


def outcome_of(results: tuple[CaseResult, ...]) -> Outcome:
    """Return the outcome of a check with these results of its cases, without those that nobody knows."""
    unknown = [result for result in results if is_unknown(result)]
    results = tuple(result for result in results if result not in unknown)
    failed = [result for result in results if not result.passed]
    if failed:
        # How the cases failed decides which hint helps: see diagnose/behaviour/symptoms.py.
        return Outcome("failed", _failed_message(failed, len(results)), CasesEvidence(cases=results), hint="")
    if unknown:
        return Outcome("skipped", f"the case {unknown[0].case} cannot be judged: {unknown[0].problem}")
    notes = [f"{result.case}: {result.problem}" for result in results if result.problem]
    return Outcome("passed", "; ".join(notes), CasesEvidence(cases=results))


def is_unknown(result: CaseResult) -> bool:
    """Return whether a case failed for no other reason than that a part of its output is not kept."""
    parts = {*result.wrong} - {OTHER_OUTPUT}
    return bool(parts) and all(part.endswith(f"={UNSEEN}") for part in parts)


def _failed_message(failed: list[CaseResult], total: int) -> str:
    if total == 1:
        return failed[0].problem
    wrong = [result.case for result in failed if result.ending is not None]
    not_run = len(failed) - len(wrong)
    were = "was" if not_run == 1 else "were"
    if not wrong:
        return f"{not_run} of {total} cases {were} not run: {failed[0].problem.removeprefix('not run: ')}"
    others = f", {not_run} {were} not run" if not_run else ""
    names = listed_up_to(NAMED_CASES, wrong)
    return f"{len(wrong)} of {total} cases went wrong ({names}){others}; the first: {failed[0].problem}"


@dataclass(frozen=True)
class CaseVerdict:
    """The verdict on one case; `text` says what is wrong, or what else is worth mentioning."""

    passed: bool
    text: str = ""
    difference: Difference | None = None
    differs_in: str = ""
    wrong: tuple[str, ...] = ()


def case_result(facts: Facts, program: str, name: str) -> CaseResult:
    """Compare one untraced run with what its case expects."""
    case = facts.lab.spec.cases[name]
    run = facts.evidence.run(program, name)
    verdict = _verdict(facts, program, name, run)
    result = CaseResult(
        case=name,
        operands=case.arguments,
        input=case.input,
        input_size_bytes=len(facts.lab.inputs[case.input]),
        sink=case.sink,
        passed=verdict.passed,
        problem=verdict.text,
        ending=run.ending if run else None,
        stderr=(run.stderr.data or b"") if run else b"",
        stdout=(run.stdout.data or b"")[:UNWANTED_BYTES] if run and _shows_stdout(case, verdict) else b"",
        difference=verdict.difference,
        differs_in=verdict.differs_in,
        wrong=verdict.wrong,
        hidden=case.hidden,
        expect="stated" if isinstance(case.expect, Expected) else case.expect,
        expected_status=_expected_status(case),
        left_processes=run.left_processes if run else 0,
    )
    if verdict.passed:
        return result
    return result.model_copy(update={"repeat": repeat_case(facts.lab.spec, program, result, run)})


def _expected_status(case: Case) -> int | None:
    status = case.expect.status if isinstance(case.expect, Expected) else None
    return status if isinstance(status, int) else None


def _shows_stdout(case: Case, verdict: CaseVerdict) -> bool:
    """Return whether the beginning of standard output shows what is wrong: a difference shows it better."""
    is_judged = isinstance(case.expect, Expected) and case.expect.stdout != "any"
    return case.expect == "operand-error" or (is_judged and verdict.difference is None)


def _verdict(facts: Facts, program: str, name: str, run: RunDone | None) -> CaseVerdict:
    if run is None:
        return CaseVerdict(passed=False, text=facts.left_out_by_own_fault(run_id(program, name)) or "not run")
    verdict = _verdict_on_streams(facts, name, run)
    compared = Compared(run, facts.lab.reference.run(program, name), facts.differences)
    wrong = [*file_mismatches(facts.lab.spec.cases[name].expected_files, compared)]
    return _with_mismatches(verdict, wrong) if wrong else verdict


def _with_mismatches(verdict: CaseVerdict, wrong: Sequence[Mismatch]) -> CaseVerdict:
    """Return a verdict with everything else that is wrong; it shows the first difference."""
    texts = [] if verdict.passed or not verdict.text else [verdict.text]
    first = next((one for one in wrong if one.difference is not None), Mismatch(""))
    if verdict.difference is not None:
        first = Mismatch("", verdict.difference, verdict.differs_in)
    return CaseVerdict(
        passed=False,
        text="; ".join([*texts, *(one.text for one in wrong)]),
        difference=first.difference,
        differs_in=first.of,
        wrong=(*verdict.wrong, *(one.part for one in wrong)),
    )


def _verdict_on_streams(facts: Facts, name: str, run: RunDone) -> CaseVerdict:
    limits, place = facts.lab.spec.limits_for(name, run.engine), facts.lab.spec.limits_place(name, run.engine)
    expect = facts.lab.spec.cases[name].expect
    match expect:
        case "reference-output":
            problem, difference = output_problem(facts, name, run)
            return CaseVerdict(passed=problem is None, text=problem or "", difference=difference)
        case "operand-error":
            problem = operand_error_problem(run, limits, place)
            return CaseVerdict(passed=problem is None, text=problem or "")
        case "either":
            problem = abnormal_run(run, limits, place)
            size_bytes = run.stdout.size_bytes
            wrote = f"wrote {counted(size_bytes, 'byte') if size_bytes else 'nothing'} to standard output"
            return CaseVerdict(passed=problem is None, text=problem or f"{wrote}, {exit_words(run)}")
        case Expected():
            problem = abnormal_run(run, limits, place)
            program, _ = program_and_case(run.step)
            compared = Compared(run, facts.lab.reference.run(program, name), facts.differences)
            # A run that was stopped fails, whatever its output may have had.
            wrong = [one for one in mismatches(expect, compared) if not (problem and one.part.endswith(UNSEEN))]
            verdict = CaseVerdict(passed=problem is None, text=problem or "")
            if not wrong:
                return verdict
            verdict = _with_mismatches(verdict, wrong)
            is_named = any(part.startswith("stdout=") for part in verdict.wrong)
            if is_named or not differs_otherwise(expect, compared):
                return verdict
            return replace(verdict, wrong=(*verdict.wrong, OTHER_OUTPUT))
        case _ as unreachable:
            assert_never(unreachable)


def output_problem(facts: Facts, name: str, run: RunDone) -> tuple[str | None, Difference | None]:
    """Return what is wrong with a run, and where its output differs from the reference's (None if nowhere).

    The exit status of a run that copied does not count, because the lab's instructions do not mention it.
    """
    difference = facts.differences.get(run.step)
    spec = facts.lab.spec
    problem = abnormal_run(run, spec.limits_for(name, run.engine), spec.limits_place(name, run.engine))
    if difference is None or run.ending == LOG_FULL:
        return problem, None
    if run.stdout.size_bytes:
        return f"{problem}; its output: {difference.summary}" if problem else difference.summary, difference
    # There may be a message on the other stream.
    summary = nothing_written(difference.expected_size_bytes, " to standard output")
    # A program that wrote nothing may have refused correct operands.
    return f"{problem}; {summary}" if problem else f"{summary}; {exit_and_stderr_words(run)}", difference


def operand_error_problem(run: RunDone, limits: RunLimits, place: str) -> str | None:
    """Return what is wrong with the way a run refused its operands, None if it refused them properly.

    `place` is where the spec has the limits.
    """
    problem = abnormal_run(run, limits, place)
    silent = run.stderr.size_bytes == 0
    if problem:
        return f"the operands should be refused, but {problem}, {stderr_words(run)}"
    accepted = isinstance(run.ending, Exited) and run.ending.code == 0
    wrote = run.stdout.size_bytes
    if accepted and silent:
        wrote_words = f", {counted(wrote, 'byte')} on standard output" if wrote else ""
        return f"the operands were not refused: {exit_and_stderr_words(run)}{wrote_words}"
    problems = []
    if accepted:
        problems.append("the exit status is 0, which means success, though there is a message on standard error")
    if silent:
        problems.append(f"there is no message on standard error, only {exit_words(run)}")
    if wrote:
        problems.append(f"something was written to standard output ({counted(wrote, 'byte')}), which should be empty")
    return "; ".join(problems) or None
