"""The process that reads a student's notebook; grading/notebook.py starts it."""

from __future__ import annotations

from collections.abc import Iterator

from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.notebook.comparison import compared
from grader.notebook.reader import read_notebook
from grader.sandbox.confined_process import serve


def main() -> None:
    """Write the notebook as JSON, compared with a report if there is one."""
    serve(_answers)


def _answers(question: tuple[bytes, str, int, Spec, Report | None]) -> Iterator[bytes]:
    data, file, size_bytes, spec, report = question
    notebook = read_notebook(data, spec, file=file, size_bytes=size_bytes)
    if report is not None:
        findings = compared(notebook, report, spec)
        notebook = notebook.model_copy(update={"findings": (*notebook.findings, *findings)})
    yield notebook.model_dump_json().encode("utf-8")
