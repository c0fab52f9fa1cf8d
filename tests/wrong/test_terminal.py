"""What a student reads in the terminal about the most common wrong programs: one screen, and soon what to do."""

from __future__ import annotations

import io
from collections.abc import Callable

import pytest
from rich.console import Console

from grader.lab.find import find_lab
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.options import DEFAULT_OPTIONS
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
    "b-char-getchar", "b-signed-compare-helper", "b-message-stdout", "b-empty-operands-hang",
    "b-unmatched-to-nul-char", "b-getchar-inside-from-loop", "b-duplicates-first-half", "b-missing-semicolon",
    "u-no-duplicate-check", "u-byte-into-int",
]  # fmt: skip
"""Every fourth program with a bug that many submissions of past terms had, the most common ones first."""


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


def test_there_are_ten() -> None:
    assert len(set(COMMON)) == len(COMMON) == 10


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
