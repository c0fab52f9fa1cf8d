"""Read the notebook next to the programs, and compare it with their report; no verdict depends on it."""

from __future__ import annotations

import pickle
import subprocess
import sys
from dataclasses import replace

from pydantic import ValidationError

from grader.errors import GraderError
from grader.model.notebook import CoverageItem, Notebook, NotebookFinding
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import NotebookItem
from grader.model.submission import NotebookFile, Submission, UnusableSource

WALL_S = 60.0
"""Only a machine that is busy with other work reaches this: the process has a limit of processor time."""

# The child sees the same packages, wherever these were found.
_CHILD = "import sys; sys.path[:] = {path!r}; from grader.grading.notebook_process import main; main()"


class NotebookTooLargeError(GraderError):
    """A notebook takes more processor time or memory than any honest one."""


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
    except NotebookTooLargeError as error:
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
        NotebookTooLargeError: it takes too much to read.
        GraderError: the machine is too busy to read it, or no process can be started.
        RuntimeError: the reader has a bug.
    """
    question = (data, file, len(data) if size_bytes is None else size_bytes, spec, report)
    command = [sys.executable, "-I", "-c", _CHILD.format(path=[path for path in sys.path if path])]
    try:
        done = subprocess.run(
            command, input=pickle.dumps(question), capture_output=True, timeout=WALL_S, env={}, check=False
        )
    except subprocess.TimeoutExpired as error:
        raise GraderError(f"the notebook could not be read within {WALL_S:.0f} s") from error
    except OSError as error:
        raise GraderError(f"no process can be started: {error}") from error
    if done.returncode < 0:
        raise NotebookTooLargeError(f"{file} takes too much time or memory to read")
    if done.returncode:
        raise RuntimeError(done.stderr.decode("utf-8", "replace").strip())
    try:
        return Notebook.model_validate_json(done.stdout)
    except ValidationError as error:
        raise NotebookTooLargeError(f"{file} takes too much memory to read") from error
