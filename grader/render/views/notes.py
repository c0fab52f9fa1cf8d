"""The notes under a report."""

from __future__ import annotations

from collections.abc import Sequence

from grader.model.report import Report


def shown_notes(report: Report) -> Sequence[str]:
    """Return the notes, also on sources that were searched in part if a failed check has no proven fix."""
    proofs = (*(cause.proof for cause in report.causes), *(symptom.proof for symptom in report.symptoms))
    proven = {check for proof in proofs if proof is not None for check in proof.checks}
    failed = {check.program for check in report.checks if check.status == "failed" and check.id not in proven}
    unsearched = (
        f"the explanation is incomplete (the source of {program}): {reason}"
        for program, reason in report.unsearched.items()
        if program in failed
    )
    return (*report.notes, *unsearched)
