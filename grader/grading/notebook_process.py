"""The process that reads a student's notebook; grading/notebook.py starts it.

A regular expression holds Python's lock while it searches a line, so a thread that reads a notebook cannot be ended.
"""

from __future__ import annotations

import pickle
import sys
import time
from typing import NamedTuple

from grader.grading.pattern_process import confine
from grader.model.notebook import Notebook
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.notebook.comparison import compared
from grader.notebook.reader import read_notebook

CPU_S = 10
"""Seconds of processor time for a notebook; one of the largest size takes a third."""


class NotebookQuestion(NamedTuple):
    """The beginning of a notebook, the file's name and size, the lab, and the report to compare it with."""

    data: bytes
    file: str
    size_bytes: int
    spec: Spec
    report: Report | None


def main() -> None:
    """Read a pickled question, whose bytes of a student are not objects, and write the notebook as JSON."""
    question = NotebookQuestion(*pickle.loads(sys.stdin.buffer.read()))  # noqa: S301 - written by the grader itself
    confine(CPU_S + int(time.process_time()))
    sys.stdout.buffer.write(answer(question).model_dump_json().encode("utf-8"))


def answer(question: NotebookQuestion) -> Notebook:
    """Return what a notebook contains."""
    notebook = read_notebook(question.data, question.spec, file=question.file, size_bytes=question.size_bytes)
    if question.report is None:
        return notebook
    findings = compared(notebook, question.report, question.spec)
    return notebook.model_copy(update={"findings": (*notebook.findings, *findings)})
