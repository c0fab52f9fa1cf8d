from __future__ import annotations

from pathlib import Path

import pytest

from grader.batch.output_folder import OutputFolder

from .batches import Class, make_submissions


@pytest.fixture
def students(tmp_path: Path) -> Class:
    results = OutputFolder(tmp_path / "out")
    results.prepare(0)
    return Class(make_submissions(tmp_path / "in"), results)
