from __future__ import annotations

from pathlib import Path

import pytest
from corpus.known_bugs import Shipped

from grader.cache.entries import Cache, store_cached
from grader.grading.known_bugs import SHIPPED, signatures_json, signatures_key
from grader.lab.load import read_spec
from grader.model.spec.lab import Spec

from .programs import hostile_lab


@pytest.fixture(scope="session")
def lab_file(cache: Cache, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the lab, whose known bugs are taken as they are with little input; measuring them takes minutes."""
    folder = tmp_path_factory.mktemp("hostile-lab")
    path = folder / "lab.yaml"
    path.write_text(hostile_lab(folder).model_dump_json(), encoding="utf-8")
    known = Shipped().get()
    files = {SHIPPED: signatures_json(known.signatures)}
    store_cached(cache, signatures_key(read_spec(path), known.mutants), "the known bugs", files, print)
    return path


@pytest.fixture(scope="session")
def lab(lab_file: Path) -> Spec:
    return read_spec(lab_file)
