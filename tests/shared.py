"""What the processes of one test run (pytest-xdist) share, and which tests run one after the other in one of them."""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path

import pytest
from filelock import FileLock

TESTS = Path(__file__).parent
LOCK_S = 280.0
"""Seconds that a process waits for another one to make what both need; less than a test may take."""

ONE_BY_ONE = {"docker": "docker", "installed": "installed"}
"""Folders whose tests count or change containers, or need what takes minutes to build, and their groups."""

ANYWHERE = {"tally"}
"""Folders whose tests need nothing of each other and may be divided."""


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


def group_of(item: pytest.Item) -> str | None:
    """Return which tests must run in the same process as this one; None: it does not matter."""
    place = item.path.relative_to(TESTS)
    if place.parts[0] in ANYWHERE:
        return None
    if place.parts[0] in ONE_BY_ONE:
        return ONE_BY_ONE[place.parts[0]]
    # Whatever a file's tests share, they share for each sandbox or for each mutant.
    parameters = item.callspec.params if hasattr(item, "callspec") else {}
    own = (parameters.get("sandbox"), parameters.get("mutant"))
    return "-".join([str(place), *(name for name in own if isinstance(name, str))])
