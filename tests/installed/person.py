"""Somebody who is not root, with an empty home, and a Python that this person may run."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from grader.cache.secret import VARIABLE
from grader.gradescope.bundle.vendor import PYTHONS
from grader.model.spec.draws import PUBLIC

UID = 47_311
"""Nobody's on any system that we know of."""

TIMEOUT_S = 240.0
PATH = "/usr/local/bin:/usr/bin:/bin"


@dataclass(frozen=True)
class Person:
    """`home` is where they are, empty at first; `uid` None is the user who runs the tests."""

    home: Path
    uid: int | None

    def run(
        self, *command: str | Path, cwd: Path | None = None, **environment: str
    ) -> subprocess.CompletedProcess[str]:
        """Run a command to its end, with nothing of our environment but the public draw."""
        own = {"HOME": str(self.home), "PATH": PATH, "COLUMNS": "200", "LC_ALL": "C.UTF-8", VARIABLE: PUBLIC}
        return subprocess.run(
            [*map(str, command)],
            env={**own, **environment},
            cwd=cwd or self.home,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=TIMEOUT_S,
            check=False,
            user=self.uid,
            group=self.uid,
            extra_groups=None if self.uid is None else (),
        )

    def owns(self, folder: Path) -> Path:
        """Make a folder that is theirs."""
        folder.mkdir()
        if self.uid is not None:
            os.chown(folder, self.uid, self.uid)
        return folder

    def version_of(self, python: Path) -> str | None:
        """Return such as 3.11, None of what this person cannot run."""
        question = "import sys, venv; print('%d.%d' % sys.version_info[:2])"
        try:
            done = self.run(python, "-I", "-c", question)
        except OSError:
            return None
        return done.stdout.strip() if done.returncode == 0 else None


def somebody(home: Path) -> Person:
    """Return a person who is not root, whose home is made."""
    person = Person(home, UID if os.geteuid() == 0 else None)
    person.owns(home)
    return person


def interpreters() -> Iterator[Path]:
    """Yield where Pythons may be: what runs this, what the system has, what pyenv made."""
    yield Path(sys.executable).resolve()
    yield Path("/usr/bin/python3")
    for version in PYTHONS:
        yield from (Path(folder) / f"python{version}" for folder in ("/usr/local/bin", "/usr/bin"))
        for root in (os.environ.get("PYENV_ROOT"), Path.home() / ".pyenv"):
            yield from sorted(Path(root or "/nonexistent").glob(f"versions/{version}.*/bin/python3"))


def pythons(person: Person) -> dict[str, Path]:
    """Return a Python that this person may run for each version that there is one of; fail where there is none."""
    found: dict[str, Path] = {}
    for path in interpreters():
        version = person.version_of(path) if path.name.startswith("python") else None
        if version in PYTHONS:
            found.setdefault(version, path)
    if not found:
        pytest.fail(f"no Python {PYTHONS[0]} to {PYTHONS[-1]} here that an ordinary user may run: install python3")
    return found
