"""What a small change must not do, although it repairs checks: refuse less, or report that a copy failed."""

from __future__ import annotations

from collections.abc import Iterator

from grader.diagnose.edits import LOSS
from grader.grading.change_trials import Choice
from grader.grading.fix_trials import Tried
from grader.model.evidence import Exited, program_and_case
from grader.model.lab import Lab
from grader.model.report import CaseResult, CasesEvidence, Check, Report


def harms(lab: Lab, tried: Tried, report: Report, choice: Choice) -> bool:
    """Return whether changes do what no repair does, as far as their runs show."""
    is_loss = any(change.rank == LOSS for change in choice)
    return (
        (is_loss and _accepts(lab, tried, report))
        or _refuses_less(lab, tried, report)
        or _fails_after_copy(lab, tried, report)
        or _complains(lab, tried, report)
    )


def visible_results(check: Check) -> Iterator[CaseResult]:
    """Yield the results of the cases of a check that students see."""
    if isinstance(check.evidence, CasesEvidence) and check.visibility == "visible":
        yield from (result for result in check.evidence.cases if not result.hidden)


def _accepts(lab: Lab, tried: Tried, report: Report) -> bool:
    """Return whether the program still accepts what it should refuse, so that a removed check was needed.

    It refuses what it writes only a message for, whatever else is wrong.
    """
    return any(
        lab.spec.cases[result.case].is_refusal and not result.passed and not _refuses(tried, result.case)
        for check in report.checks
        if check.id in tried.run and check.id not in tried.passed
        for result in visible_results(check)
    )


def _refuses_less(lab: Lab, tried: Tried, report: Report) -> bool:
    """Return whether the program copies with wrong operands for which it wrote only a message before."""
    for check in report.checks:
        for result in visible_results(check) if check.id in tried.run else ():
            run = None if tried.evidence is None else tried.evidence.run(tried.fix.program, result.case)
            refused = lab.spec.cases[result.case].is_refusal and bool(result.stderr) and not result.stdout
            if refused and run is not None and run.stdout.size_bytes:
                return True
    return False


def _refuses(tried: Tried, case: str) -> bool:
    run = None if tried.evidence is None else tried.evidence.run(tried.fix.program, case)
    return run is not None and run.stderr.size_bytes > 0 and run.stdout.size_bytes == 0


def _complains(lab: Lab, tried: Tried, report: Report) -> bool:
    """Return whether a program copies and still writes its message in repaired cases, and none in another copy.

    Then the change only made it go on after its message.
    """
    copies = [
        (check.id in tried.passed, result)
        for check in report.checks
        if check.program == tried.fix.program
        for result in visible_results(check)
        if lab.spec.cases[result.case].wants_output
    ]
    is_quiet = any(result.passed and not result.stderr for _, result in copies)
    repaired = [result.case for is_repaired, result in copies if is_repaired and result.stderr and not result.passed]
    runs = [] if tried.evidence is None else [tried.evidence.run(tried.fix.program, case) for case in repaired]
    return is_quiet and any(run is not None and run.stderr.size_bytes > 0 for run in runs)


def _fails_after_copy(lab: Lab, tried: Tried, report: Report) -> bool:
    """Return whether a program says with its exit status that a copy failed, which it did not say before."""
    said = {
        result.case
        for check in report.checks
        if check.program == tried.fix.program
        for result in visible_results(check)
        if isinstance(result.ending, Exited) and result.ending.code
    }
    runs = () if tried.evidence is None else tried.evidence.runs.values()
    for run in runs:
        case = program_and_case(run.step)[1]
        copies = case in lab.spec.cases and lab.spec.cases[case].wants_output
        if copies and case not in said and isinstance(run.ending, Exited) and run.ending.code:
            return True
    return False
