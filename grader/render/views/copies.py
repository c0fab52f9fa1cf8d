"""Whether a program copied an input correctly: only then do its time and its calls say something about the lab."""

from __future__ import annotations

from grader.model.report import CaseResult, CasesEvidence, OfRun, Report, Timing


def why_not_copied(report: Report, program: str, timed: Timing) -> str:
    """Return why a program is not known to copy correctly in a run that was timed, as words after its name, or ""."""
    if any(build.program == program and not build.ok for build in report.builds):
        return "does not compile"
    results = results_of_run(report, program, timed)
    if not results:
        return f"was not judged on {timed.name}"
    if all(result.ending is None for result in results):
        return f"was not run on {timed.name}"
    return "" if all(result.passed for result in results) else f"does not copy {timed.name} correctly"


def programs_with_figures(report: Report, run: str) -> list[str]:
    """Return the programs that the run is of: a case may leave some out. All of them if no reference tells which."""
    programs = {check.program: None for check in report.checks}
    if report.reference is None or not report.reference.timing:
        return [*programs]
    figures = (*report.timing, *report.reference.timing)
    measured = {figure.program for figure in figures if figure.run == run}
    return [program for program in programs if program in measured]


def results_of_run(report: Report, program: str, measured: OfRun) -> list[CaseResult]:
    """Return what checks found in a run that was measured."""
    return [
        case
        for check in report.checks
        if check.program == program and isinstance(check.evidence, CasesEvidence)
        for case in check.evidence.cases
        if (case.case == measured.case if measured.case else (case.input, case.sink) == (measured.input, "file"))
    ]
