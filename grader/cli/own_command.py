"""The shell lines of a report with the command by which the grader was started.

The terminal shows these, and so does the page of `grader check`: the student reads both where the grader runs. Files
of `grader grade` keep `grader`, because others read them.
"""

from __future__ import annotations

from grader.cli.started_as import started_as
from grader.model.report import CallsEvidence, CasesEvidence, Check, Report

_COMMAND = "grader "


def with_own_command(report: Report) -> Report:
    """Return a report whose shell lines start the grader as it was started now."""
    command = started_as()
    if command == _COMMAND.strip():
        return report
    return report.model_copy(
        update={
            "checks": tuple(_check_with(check, command) for check in report.checks),
            "findings": tuple(
                finding.model_copy(update={"repeat": _lines_with(finding.repeat, command)})
                for finding in report.findings
            ),
        }
    )


def _check_with(check: Check, command: str) -> Check:
    match check.evidence:
        case CasesEvidence(cases=cases):
            changed = tuple(case.model_copy(update={"repeat": _lines_with(case.repeat, command)}) for case in cases)
            return check.model_copy(update={"evidence": check.evidence.model_copy(update={"cases": changed})})
        case CallsEvidence(repeat=repeat):
            update = {"repeat": _lines_with(repeat, command)}
            return check.model_copy(update={"evidence": check.evidence.model_copy(update=update)})
        case _:
            return check


def _lines_with(shell: str, command: str) -> str:
    return "\n".join(
        f"{command} {line.removeprefix(_COMMAND)}" if line.startswith(_COMMAND) else line
        for line in shell.split("\n")
    )
