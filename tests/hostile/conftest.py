from __future__ import annotations

from pathlib import Path

import pytest
from corpus.known_bugs import store_shipped

from grader.cache.entries import Cache
from grader.lab.load import read_spec
from grader.model.spec.lab import Spec

from .programs import hostile_lab


@pytest.fixture(scope="session")
def lab_file(cache: Cache, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the lab."""
    folder = tmp_path_factory.mktemp("hostile-lab")
    path = folder / "lab.yaml"
    path.write_text(hostile_lab(folder).model_dump_json(), encoding="utf-8")
    store_shipped(read_spec(path), cache)
    return path


@pytest.fixture(scope="session")
def lab(lab_file: Path) -> Spec:
    return read_spec(lab_file)
