"""Read the notebook next to the programs, and compare it with their report; no verdict depends on it."""

from __future__ import annotations

from dataclasses import replace

from grader.model.notebook import CoverageItem, Notebook, NotebookFinding
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import NotebookItem
from grader.model.submission import NotebookFile, Submission, UnusableSource
from grader.sandbox.confined_process import LimitReachedError, ask

CPU_S = 10
"""Seconds of processor time for a notebook; one of the largest size takes a third."""


def read_for_checks(
    submission: Submission, spec: Spec, selected_checks: frozenset[str] | None
) -> tuple[Submission, tuple[CoverageItem, ...]]:
    """Return what a notebook has of what the lab asks for, if a check judges it.

    The submission is returned too: if its notebook takes too much to read, without the notebook's bytes.

    Raises:
        GraderError: the machine is too busy to read it, or no process can be started.
        RuntimeError: the reader has a bug.
    """
    file = submission.notebook
    judged = {check for check, (_, item) in spec.checks().items() if isinstance(item, NotebookItem)}
    is_judged = bool(judged if selected_checks is None else judged & selected_checks)
    if not is_judged or file is None or isinstance(file.content, UnusableSource):
        return submission, ()
    try:
        return submission, read_in_child(file.content.data, spec, file=file.path).coverage
    except LimitReachedError as error:
        unread = replace(file, content=UnusableSource(str(error)))
        return replace(submission, notebook=unread), ()


def with_notebook(report: Report, submission: Submission, spec: Spec) -> Report:
    """Add what the notebook contains.

    Raises:
        GraderError: it takes too long to read, or no process can be started.
        RuntimeError: the reader has a bug.
    """
    if submission.notebook is None:
        return report
    return report.model_copy(update={"notebook": _read(submission.notebook, report, spec)})


def _read(file: NotebookFile, report: Report, spec: Spec) -> Notebook:
    if isinstance(file.content, UnusableSource):
        unread = NotebookFinding(kind="unread", weight="problem", lines=(), message=f"{file.content.problem}.")
        notebook = read_in_child(b"", spec, file=file.path)
        return notebook.model_copy(update={"findings": (unread,)})
    return read_in_child(file.content.data, spec, file=file.path, report=report)


def read_in_child(
    data: bytes, spec: Spec, *, file: str, size_bytes: int | None = None, report: Report | None = None
) -> Notebook:
    """Return what a notebook contains, read in a process that can be ended; see `read_notebook`.

    Raises:
        LimitReachedError: it takes too much to read.
        GraderError: the machine is too busy to read it, or no process can be started.
        RuntimeError: the reader has a bug.
        ValidationError: the same.
    """
    question = (data, file, len(data) if size_bytes is None else size_bytes, spec, report)
    (answer,) = ask("grader.grading.notebook_process", [question], CPU_S)
    return Notebook.model_validate_json(answer.whole(file))
