"""What the tests of ordinary users share."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NoReturn

import pytest

from grader.model.spec.lab import Spec
from tests.corpus.test_bad_input import tiny_lab

from .person import CHECKOUT, Person, environment_for_others, new_person, python_for_others


def impossible(reason: str) -> NoReturn:
    """Skip what cannot be tried here, or fail where it has to be."""
    if os.environ.get("GRADER_REQUIRE_DOCKER") == "1":
        pytest.fail(f"this run has to try everything, and {reason}")
    pytest.skip(reason)


@pytest.fixture(scope="session")
def python_of_others() -> Sequence[str]:
    if os.geteuid() != 0:
        pytest.skip("only root can become somebody else; the local sandbox has been tried as the user that this is")
    command = python_for_others(environment_for_others("/nonexistent"))
    if command is None:
        impossible("another user may read neither this Python's installation nor this checkout")
    return command


@pytest.fixture
def person(python_of_others: Sequence[str]) -> Iterator[Person]:
    with new_person(python_of_others) as somebody:
        yield somebody


@pytest.fixture(scope="session")
def tiny_file(spec: Spec) -> Iterator[Path]:
    """The lab with two checks and one case, where everybody can read it."""
    with tempfile.TemporaryDirectory(prefix="lab-") as name:
        Path(name).chmod(0o755)
        path = Path(name) / "tiny.yaml"
        path.write_text(tiny_lab(spec).model_dump_json(by_alias=True), encoding="utf-8")
        yield path


@pytest.fixture
def mine(person: Person) -> Path:
    """The right submission, in a folder of this person."""
    return person.owns(Path(shutil.copytree(CHECKOUT / "examples" / "right", person.folder / "mine")))
