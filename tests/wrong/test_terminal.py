"""What a student reads in the terminal about the most common wrong programs: one screen, and soon what to do."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from grader.grading.options import DEFAULT_OPTIONS
from grader.lab.find import find_lab
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.render.terminal.summary import summary
from grader.resources import resource
from grader.sandbox.base import Sandbox
from grader.selfcheck.own_work import OwnGrader

from .test_corpus import PROGRAMS

COLUMNS = 80
SCREEN_LINES = 40
BEGINNING_LINES = 12
LINES_BEFORE = 2
"""Lines that `grader check` prints before the summary: what it checks, and how programs are isolated."""

COMMON = [
    "b-char-getchar", "b-char-map", "b-chained-with-char", "b-signed-compare", "b-signed-compare-helper",
    "b-no-operand-count", "b-argc-two", "b-argc-not-two", "b-message-stdout", "b-message-stdout-status-0",
    "b-plain-char-index", "b-int-table-char-index", "b-empty-operands-hang", "b-no-duplicate-check",
    "b-repeats-in-to-refused", "b-newline-and-char", "b-unmatched-to-nul-char", "b-first-pair-only",
    "b-table-unused", "b-duplicate-itself", "b-getchar-inside-from-loop", "b-message-goes-on-eof",
    "b-translated-compared-with-eof", "b-ff-dropped", "b-duplicates-first-half", "b-duplicates-adjacent",
    "b-uchar-endless", "b-two-getchars", "b-missing-semicolon", "u-signed-compare", "u-no-operand-count",
    "u-chained", "u-no-duplicate-check", "u-message-to-fd-1", "u-printf-and-status-0",
    "u-repeats-in-to-refused", "u-byte-into-int", "u-write-in-from-loop", "u-zero-is-not-the-end",
    "u-table-unused",
]  # fmt: skip
"""The programs with the bugs that most submissions of past terms had, the most common ones first."""


@pytest.fixture(scope="module")
def graded(spec: Spec, local_sandbox: Sandbox) -> Callable[[str], Report]:
    """Check a wrong program, with `--quick`, next to a right one."""
    grader = OwnGrader(spec, find_lab(spec.lab), local_sandbox, lambda _message: None, quick=True)
    solution = resource("reference", "tr2", "solution")

    def grade(name: str) -> Report:
        sources = {program: (solution / f"{program}.c").read_bytes() for program in spec.programs}
        sources[f"tr2{name[0]}"] = PROGRAMS[name].read_bytes()
        submission = Submission(name, {program: Source(data) for program, data in sources.items()})
        return grader.grade(submission, DEFAULT_OPTIONS)

    return grade


def test_there_are_forty() -> None:
    assert len(set(COMMON)) == len(COMMON) == 40


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMON)
def test_a_common_wrong_program_takes_one_screen(name: str, graded: Callable[[str], Report]) -> None:
    out = io.StringIO()
    Console(file=out, width=COLUMNS).print(summary(graded(name)), crop=False)
    lines = out.getvalue().splitlines()
    text = out.getvalue()
    assert len(lines) <= SCREEN_LINES - LINES_BEFORE, text
    assert [line for line in lines if line != line.rstrip()] == []
    # Commands are not wrapped, so that they can be pasted.
    assert [line for line in lines if len(line) > COLUMNS and not line.startswith("    ")] == []
    beginning = lines[: BEGINNING_LINES - LINES_BEFORE]
    problem = next(number for number, line in enumerate(beginning) if number > lines.index("") and line)
    assert any(line.startswith("    gcc ") for line in beginning[problem:]), text
