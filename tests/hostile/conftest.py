from __future__ import annotations

from pathlib import Path

import pytest

from grader.lab.load import read_spec
from grader.model.spec.lab import Spec
from tests.corpus.known_bugs import write_lab

from .programs import hostile_lab


@pytest.fixture(scope="session")
def lab_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the lab, whose known bugs are taken as they are with little input; measuring them takes minutes."""
    folder = tmp_path_factory.mktemp("hostile-lab")
    return write_lab(hostile_lab(tmp_path_factory.mktemp("whole-lab")), folder)


@pytest.fixture(scope="session")
def lab(lab_file: Path) -> Spec:
    return read_spec(lab_file)


@pytest.fixture(scope="session")
def open_lab_file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The file of the same lab without hidden checks."""
    return write_lab(hostile_lab(None), tmp_path_factory.mktemp("open-lab"))


@pytest.fixture(scope="session")
def open_lab(open_lab_file: Path) -> Spec:
    return read_spec(open_lab_file)
