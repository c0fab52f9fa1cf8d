"""The time of day jumps while the grader works: nothing depends on it."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.model.spec.lab import Spec
from tests.corpus.test_bad_input import tiny_lab

from .harness import GCC

SOURCE = Path(__file__).parent / "programs" / "jumping_clock.c"
EXAMPLE = Path(__file__).parents[2] / "examples" / "right"
Grader = Callable[..., "subprocess.CompletedProcess[str]"]

pytestmark = pytest.mark.slow


@pytest.fixture
def jumping(tmp_path: Path) -> dict[str, str]:
    library = tmp_path / "clock.so"
    subprocess.run([*GCC, "-Werror", "-shared", "-fPIC", "-o", library, SOURCE], check=True, timeout=60)
    return {"LD_PRELOAD": str(library)}


def test_a_clock_that_jumps_changes_nothing(
    grader: Grader, jumping: dict[str, str], spec: Spec, tmp_path: Path
) -> None:
    lab = tmp_path / "tiny.yaml"
    lab.write_text(tiny_lab(spec).model_dump_json(by_alias=True), encoding="utf-8")
    out = tmp_path / "out"
    command = ("grade", EXAMPLE, "--lab", lab, "--sandbox", "local", "--out", out)
    first = grader(*command, **jumping)
    assert first.returncode == 0, first.stderr
    report = json.loads((out / "right" / "report.json").read_bytes())
    assert (report["status"], report["score"]) == ("graded", report["max_score"])
    assert all(0 <= timing["real_s"] < 60 for timing in report["timing"])
    again = grader(*command, **jumping)
    assert again.returncode == 0, again.stderr
    assert "1 unchanged since graded" in again.stdout
