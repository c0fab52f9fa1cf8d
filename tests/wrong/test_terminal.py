"""What a student reads in the terminal about the most common wrong programs: one screen, and soon what to do."""

from __future__ import annotations

import io
from pathlib import Path

import pytest
from rich.console import Console

from grader.model.spec.lab import Spec
from grader.render.terminal.summary import summary
from grader.sandbox.base import Sandbox

from .checked import COMMON, Checked

COLUMNS = 80
SCREEN_LINES = 40
BEGINNING_LINES = 12
LINES_BEFORE = 2
"""Lines that `grader check` prints before the summary: what it checks, and how programs are isolated."""


@pytest.fixture(scope="module")
def checked(spec: Spec, local_sandbox: Sandbox, shared_folder: Path) -> Checked:
    return Checked(spec, local_sandbox, shared_folder)


def test_there_are_ten() -> None:
    assert len(set(COMMON)) == len(COMMON) == 10


@pytest.mark.slow
@pytest.mark.parametrize("name", COMMON)
def test_a_common_wrong_program_takes_one_screen(name: str, checked: Checked) -> None:
    out = io.StringIO()
    Console(file=out, width=COLUMNS).print(summary(checked.report(name)), crop=False)
    lines = out.getvalue().splitlines()
    text = out.getvalue()
    assert len(lines) <= SCREEN_LINES - LINES_BEFORE, text
    assert [line for line in lines if line != line.rstrip()] == []
    # Commands are not wrapped, so that they can be pasted.
    assert [line for line in lines if len(line) > COLUMNS and not line.startswith("    ")] == []
    beginning = lines[: BEGINNING_LINES - LINES_BEFORE]
    problem = next(number for number, line in enumerate(beginning) if number > lines.index("") and line)
    assert any(line.startswith("    gcc ") for line in beginning[problem:]), text
