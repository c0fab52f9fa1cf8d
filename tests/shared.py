"""What the processes of one test run (pytest-xdist) share, and which tests run one after the other in one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock
from xdist.scheduler import LoadScopeScheduling

from grader.model.report import Report

LOCK_S = 840.0
"""Seconds that a process waits for another one to make what both need; less than a test may take."""

ONE_BY_ONE = {"docker", "installed"}
"""Folders whose tests count or change containers, or need what takes minutes to build."""

APART = {"tests/docker/test_autograder_zip.py", "tests/installed/test_bundle.py"}
"""Files in such a folder that need nothing of what its other tests share, count or change."""

ANYWHERE = {"tally"}
"""Folders whose tests share nothing that is costly."""

BY_PARAMETER = {"tests/corpus/test_mutants.py"}
"""Files whose tests share something for each parameter: a mutant is graded once."""

SANDBOXES = {"local", "docker"}
"""Parameters for which the tests of a file share something: what they run in one session."""


def run_folder(factory: pytest.TempPathFactory) -> Path:
    """Return the folder for temporary files of this test run, whichever of its processes asks."""
    own = factory.getbasetemp()
    return own.parent if "PYTEST_XDIST_WORKER" in os.environ else own


def locked(path: Path) -> FileLock:
    """Return a lock on something that must be made only once."""
    return FileLock(f"{path}.lock", timeout=LOCK_S)


def made_once(folder: Path, make: Callable[[Path], object]) -> Path:
    """Have a folder filled by the first process that asks for it."""
    done = folder.with_name(f"{folder.name}.done")
    with locked(folder):
        if not done.exists():
            folder.mkdir(exist_ok=True)
            make(folder)
            done.touch()
    return folder


def graded_once(folder: Path, grade: Callable[[], Report]) -> Report:
    """Return the report of the first process that asks for it; the folder keeps it for the others."""
    made_once(folder, lambda made: (made / "report.json").write_text(grade().model_dump_json(by_alias=True), "utf-8"))
    return Report.model_validate_json((folder / "report.json").read_bytes())


class Groups(LoadScopeScheduling):  # type: ignore[misc] # it has no annotations
    """Hands out tests in groups; a group is run by one process.

    The marks of `--dist=loadgroup` would say the same, but pytest-xdist 3.8 loses them with pytest 9.2.
    """

    def _split_scope(self, nodeid: str) -> str:
        return group_of(nodeid)


def group_of(nodeid: str) -> str:
    """Return the group of a test: a folder, a file, what a file's tests share for a parameter, or the test alone."""
    path, _, name = nodeid.partition("::")
    folder = path.split("/")[1]
    if path in APART:
        return path
    if folder in ONE_BY_ONE:
        return folder
    if folder in ANYWHERE:
        return nodeid
    _, _, parameters = name.rstrip("]").partition("[")
    if path in BY_PARAMETER:
        return f"{path}[{parameters}]"
    sandboxes = SANDBOXES.intersection(parameters.split("-"))
    return f"{path}[{''.join(sandboxes)}]"
