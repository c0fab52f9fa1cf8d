from __future__ import annotations

from pathlib import Path

import pytest

from grader.batch import Output
from grader.intake.folder import Found

from .batches import hand_in


@pytest.fixture
def found(tmp_path: Path) -> list[Found]:
    return hand_in(tmp_path / "in")


@pytest.fixture
def output(tmp_path: Path) -> Output:
    output = Output(tmp_path / "out")
    output.prepare()
    return output
