"""The grader as people get it: a wheel in a virtual environment, and one file. Built once; both take the index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import zipfile
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

import pytest

from tests.corpus.test_examples import EXAMPLES

from .person import Person, pythons, somebody

CHECKOUT = EXAMPLES.parent
BUILD_TIMEOUT_S = 900.0


@dataclass(frozen=True)
class Installation:
    """A way to have the grader: how it is started, and by whom."""

    name: str
    command: Sequence[str | Path]
    person: Person

    def grader(
        self, *arguments: str | Path, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command line to its end."""
        return self.person.run(*self.command, *arguments, cwd=cwd, **environment)


def build(*command: str | Path, **environment: str) -> None:
    """Run what builds or installs; its failure is ours, and says why."""
    done = subprocess.run(
        [*map(str, command)], env={**os.environ, **environment}, cwd=CHECKOUT, stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, timeout=BUILD_TIMEOUT_S, check=False,
    )  # fmt: skip
    if done.returncode:
        pytest.fail(f"{' '.join(map(str, command))} failed (it needs a package index):\n{done.stdout[-4000:]}")


def packed_wheels(pyz: Path) -> set[str]:
    """Return the file names of the wheels in the one file."""
    with zipfile.ZipFile(pyz) as archive:
        return {name.split("/")[1] for name in archive.namelist() if name.startswith(".deps/")} - {""}


@pytest.fixture(scope="session")
def place() -> Iterator[Path]:
    """A folder that everybody may enter and read, as pytest's are not."""
    with tempfile.TemporaryDirectory(prefix="installed-") as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder


@pytest.fixture(scope="session")
def person(place: Path) -> Person:
    """Somebody whose home is empty."""
    return somebody(place / "home")


@pytest.fixture(scope="session")
def wheel(place: Path) -> Path:
    """The wheel that `make wheel` builds."""
    build(sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", place / "wheel", CHECKOUT)
    (found,) = (place / "wheel").iterdir()
    return found


@pytest.fixture(scope="session")
def venv(place: Path, wheel: Path, person: Person) -> Path:
    """A virtual environment with the wheel at the tested versions, on a Python that everybody may run."""
    folder = place / "venv"
    python = next(iter(pythons(person).values()))
    build(python, "-m", "venv", "--without-pip", folder)
    install = (
        sys.executable,
        "-m",
        "pip",
        "--python",
        folder / "bin" / "python",
        "install",
        "--quiet",
        "--no-compile",
    )
    build(*install, "--constraint", CHECKOUT / "constraints.txt", wheel, PIP_DISABLE_PIP_VERSION_CHECK="1")
    return folder


@pytest.fixture(scope="session")
def wheels(place: Path) -> Path:
    """Where the packages of the one file are once it is built."""
    return place / "wheels"


@pytest.fixture(scope="session")
def pyz(place: Path, wheels: Path) -> Path:
    """The file that `make pyz` builds."""
    path = place / "grader.pyz"
    build(sys.executable, "scripts/make_pyz.py", "--out", path, "--wheels", wheels)
    return path


@pytest.fixture(scope="session", params=["wheel", "pyz"])
def installation(request: pytest.FixtureRequest, person: Person) -> Installation:
    """Each way to have the grader in turn."""
    if request.param == "wheel":
        return Installation("wheel", [request.getfixturevalue("venv") / "bin" / "grader"], person)
    python = next(iter(pythons(person).values()))
    return Installation("pyz", [python, request.getfixturevalue("pyz")], person)


@pytest.fixture(scope="session")
def examples(place: Path) -> Path:
    """The examples where everybody may read them, and nobody write."""
    return Path(shutil.copytree(EXAMPLES, place / "examples"))
