"""The adapter of docs/other-systems.md, run in a folder like PrairieLearn's."""

from __future__ import annotations

import os
import shlex
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path

import pytest

from tests.prairielearn import ADAPTER, Results, accepted

EXAMPLES = Path(__file__).parents[2] / "examples"


@pytest.fixture
def grade(command_line: list[str], whole_file: Path, tmp_path: Path) -> Path:
    """PrairieLearn's folder, with a `grader` next to it whose lab is the small one."""
    folder = tmp_path / "grade"
    (folder / "student").mkdir(parents=True)
    installed = tmp_path / "grader"
    installed.write_text(f'#!/bin/sh\nexec {shlex.join(command_line)} "$@" --lab {shlex.quote(str(whole_file))}\n')
    installed.chmod(0o755)
    return folder


def run(grade: Path, environment: Mapping[str, str]) -> Results:
    done = subprocess.run(
        [sys.executable, ADAPTER, "--grade", grade],
        env={**environment, "PATH": f"{grade.parent}:{environment['PATH']}"},
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    return accepted((grade / "results" / "results.json").read_text(encoding="utf-8"))


@pytest.mark.skipif(os.geteuid() != 0, reason="needs root, to run student code as another user")
def test_points_and_known_bugs_arrive(grade: Path, environment: Mapping[str, str]) -> None:
    shutil.copytree(EXAMPLES / "stops-at-0xff", grade / "student", dirs_exist_ok=True)
    results = run(grade, environment)
    lost = {test.name for test in results.tests if test.points < test.max_points}
    assert lost == {"tr2b.byte-ff", "tr2b.random-5m"}
    assert results.score == pytest.approx(sum(test.points for test in results.tests) / 100)
    assert "0xFF" in results.message
    assert all("$" not in test.output or test.name in lost for test in results.tests)


def test_an_empty_hand_in_costs_no_attempt(grade: Path, environment: Mapping[str, str]) -> None:
    results = run(grade, environment)
    assert not results.gradable
    assert "tr2b.c and tr2u.c should be in it" in results.format_errors[0]
