"""Somebody who is not root: with a uid of its own, an empty home, and nothing of ours but Python and the grader."""

from __future__ import annotations

import os
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from grader.cache.secret import VARIABLE
from grader.model.spec.draws import PUBLIC
from tests.waits import killed_at_exit

CHECKOUT = Path(__file__).parents[2]
UID = 41_000 + os.getpid() % 5_000
"""Nobody's on any system that we know of, and of no other test run: its processes are looked for in the end."""

PROCESSES = 300
"""No more than these, whatever a program does: what protects this machine where the grader should not."""

TIMEOUT_S = 120.0


def environment_for_others(home: str) -> dict[str, str]:
    """Return what another user's processes find in their environment."""
    return {
        "HOME": home,
        "PATH": "/usr/local/bin:/usr/bin:/bin",
        "COLUMNS": "200",
        "LC_ALL": "C.UTF-8",
        "PYTHONPATH": f"{CHECKOUT}:{sysconfig.get_path('platlib')}",
        "PYTHONDONTWRITEBYTECODE": "1",
        VARIABLE: PUBLIC,
    }


def python_for_others(environment: dict[str, str]) -> list[str] | None:
    """Return a Python that another user can start the grader with: ours, or the system's with our packages."""
    for python in (sys.executable, "/usr/bin/python3"):
        try:
            tried = subprocess.run(
                [python, "-m", "grader", "grade", "--help"], env=environment, cwd="/",
                user=UID, group=UID, extra_groups=(), capture_output=True, timeout=600, check=False,
            )  # fmt: skip
        except PermissionError:
            continue
        if tried.returncode == 0:
            return [python]
    return None


def owner(pid: int) -> int | None:
    """Return whose a process is, None if it is gone."""
    try:
        return Path(f"/proc/{pid}").stat().st_uid
    except FileNotFoundError:
        return None


@dataclass(frozen=True)
class Person:
    """An ordinary user at the command line, in a folder that holds nothing but `home` and `tmp`."""

    folder: Path
    python: Sequence[str]
    uid: int = UID
    variables: dict[str, str] = field(default_factory=dict)

    @property
    def home(self) -> Path:
        return self.folder / "home"

    @property
    def temporary(self) -> Path:
        return self.folder / "tmp"

    def owns(self, path: Path) -> Path:
        """Give a file, or a folder with its content, to this person."""
        for part in (path, *path.rglob("*")):
            os.chown(part, self.uid, self.uid)
        return path

    def command(self, *arguments: str | Path) -> list[str]:
        """Return a command line of Python, with the limit that protects this machine."""
        return ["prlimit", f"--nproc={PROCESSES}", "--", *self.python, *map(str, arguments)]

    def environment(self) -> dict[str, str]:
        usual = {**environment_for_others(str(self.home)), "TMPDIR": str(self.temporary)}
        chosen = {**usual, **self.variables}
        return {name: value for name, value in chosen.items() if value}

    def start(self, command: Sequence[str], *, umask: int = 0o022, cwd: str | Path = "/") -> subprocess.Popen[str]:
        """Start a command line as this person."""
        return subprocess.Popen(
            command, env=self.environment(), user=self.uid, group=self.uid, extra_groups=(), umask=umask, cwd=cwd,
            stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip

    def run(
        self, *arguments: str | Path, umask: int = 0o022, cwd: str | Path = "/"
    ) -> subprocess.CompletedProcess[str]:
        """Run Python with arguments to its end."""
        command = self.command(*arguments)
        with killed_at_exit(self.start(command, umask=umask, cwd=cwd)) as process:
            out, err = process.communicate(timeout=TIMEOUT_S)
        return subprocess.CompletedProcess(command, process.returncode, out, err)

    def grader(
        self, *arguments: str | Path, umask: int = 0o022, cwd: str | Path = "/"
    ) -> subprocess.CompletedProcess[str]:
        """Run the grader's command line to its end."""
        return self.run("-m", "grader", *arguments, umask=umask, cwd=cwd)

    def processes(self) -> list[int]:
        """Return what this person has running."""
        running = (int(entry.name) for entry in Path("/proc").glob("[0-9]*"))
        return [pid for pid in running if owner(pid) == self.uid]

    def assert_nothing_is_left(self) -> None:
        assert self.processes() == []
        assert list(self.temporary.iterdir()) == []


@contextmanager
def new_person(python: Sequence[str]) -> Iterator[Person]:
    """Make an ordinary user, with home and files."""
    # Not tmp_path, which others cannot enter.
    with tempfile.TemporaryDirectory(prefix="person-") as name:
        person = Person(Path(name), python)
        person.folder.chmod(0o755)
        for folder in (person.home, person.temporary):
            folder.mkdir(mode=0o700)
            person.owns(folder)
        yield person
