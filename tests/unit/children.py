"""Children of confined_process.py that do something else than what was asked."""

from __future__ import annotations

import textwrap

import pytest

from grader.sandbox import confined_process

BEGIN = """\
import sys
sys.path[:] = {path!r}
import os, resource, signal, time
from grader.sandbox.confined_process import LimitReachedError, serve
"""


def let_children(monkeypatch: pytest.MonkeyPatch, answer: str, prepare: str = "pass") -> None:
    """Have the children of this test run this code for each `question`, which may yield lines."""
    answers = f"def answers(question):\n{textwrap.indent(answer, '    ')}\n    return\n    yield\n"
    start = f"{BEGIN}def prepare(_):\n    {prepare}\n{answers}serve(answers, prepare)\n"
    monkeypatch.setattr(confined_process, "_START", start)
