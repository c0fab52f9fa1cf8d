"""Read the notebook next to the programs, and compare it with their report; no verdict depends on it."""

from __future__ import annotations

import logging

from grader.model.notebook import Notebook, NotebookFinding
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import NotebookFile, Submission, UnusableSource

log = logging.getLogger(__name__)


def with_notebook(report: Report, submission: Submission, spec: Spec) -> Report:
    """Add what the notebook contains. If the reader has a bug, a note says so and the verdicts remain valid."""
    if submission.notebook is None:
        return report
    try:
        return report.model_copy(update={"notebook": _read(submission.notebook, report, spec)})
    except Exception as error:
        log.exception("reading the notebook of %s failed", submission.name)
        note = f"the notebook could not be read, because the grader has a bug: {type(error).__name__}"
        return report.model_copy(update={"notes": (*report.notes, note)})


def _read(file: NotebookFile, report: Report, spec: Spec) -> Notebook:
    # Most submissions have no notebook, and its expressions take a while to compile.
    from grader.notebook.comparison import compared  # noqa: PLC0415
    from grader.notebook.reader import read_notebook  # noqa: PLC0415

    if isinstance(file.content, UnusableSource):
        unread = NotebookFinding(kind="unread", weight="problem", lines=(), message=f"{file.content.problem}.")
        notebook = read_notebook(b"", spec, file=file.path)
        return notebook.model_copy(update={"findings": (unread,)})
    notebook = read_notebook(file.content.data, spec, file=file.path)
    return notebook.model_copy(update={"findings": (*notebook.findings, *compared(notebook, report, spec))})
