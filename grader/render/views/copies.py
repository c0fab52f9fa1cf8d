"""Whether a program copied an input correctly: only then do its time and its calls say something about the lab."""

from __future__ import annotations

from grader.model.report import CaseResult, CasesEvidence, Report


def why_not_copied(report: Report, program: str, input_name: str) -> str:
    """Return why a program is not known to copy an input to a file correctly, as words after its name, or ""."""
    if any(build.program == program and not build.ok for build in report.builds):
        return "does not compile"
    results = _results(report, program, input_name)
    if not results:
        return f"was not judged on {input_name}"
    if all(result.ending is None for result in results):
        return f"was not run on {input_name}"
    return "" if all(result.passed for result in results) else f"does not copy {input_name} correctly"


def _results(report: Report, program: str, input_name: str) -> list[CaseResult]:
    return [
        case
        for check in report.checks
        if check.program == program and isinstance(check.evidence, CasesEvidence)
        for case in check.evidence.cases
        if (case.input, case.sink) == (input_name, "file")
    ]
