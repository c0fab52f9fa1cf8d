"""Common wrong programs, checked as a student does: once a test run, for the terminal and for the page."""

from __future__ import annotations

from pathlib import Path

from grader.grading.options import DEFAULT_OPTIONS
from grader.lab.find import find_lab
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.resources import resource
from grader.sandbox.base import Sandbox
from grader.selfcheck.own_work import OwnGrader
from tests.shared import graded_once

from .test_corpus import PROGRAMS

COMMON = [
    "b-char-getchar", "b-signed-compare-helper", "b-message-stdout", "b-empty-operands-hang",
    "b-unmatched-to-nul-char", "b-getchar-inside-from-loop", "b-duplicates-first-half", "b-missing-semicolon",
    "u-no-duplicate-check", "u-byte-into-int",
]  # fmt: skip
"""Every fourth program with a bug that many submissions of past terms had, the most common ones first."""


class Checked:
    """The reports of wrong programs, each next to a right one, with `--quick`."""

    def __init__(self, spec: Spec, sandbox: Sandbox, folder: Path) -> None:
        """Keep the reports in a folder that all processes share."""
        self._spec = spec
        self._grader = OwnGrader(spec, find_lab(spec.lab), sandbox, lambda _message: None, quick=True)
        self._folder = folder

    def report(self, name: str) -> Report:
        """Return the report of a program of tests/wrong."""
        solution = resource("reference", "tr2", "solution")
        sources = {program: (solution / f"{program}.c").read_bytes() for program in self._spec.programs}
        sources[f"tr2{name[0]}"] = PROGRAMS[name].read_bytes()
        submission = Submission(name, {program: Source(data) for program, data in sources.items()})
        return graded_once(self._folder / f"checked-{name}", lambda: self._grader.grade(submission, DEFAULT_OPTIONS))
