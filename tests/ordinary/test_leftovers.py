"""Programs of an ordinary user that start others: nothing of them stays, and the machine is still that person's."""

from __future__ import annotations

import json
import signal
import threading
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from typing_extensions import Self

from grader.model.report import Report
from grader.model.spec.lab import Spec
from tests.contract.containers import wait_until
from tests.waits import ENDS_S, STARTS_S, join, killed_at_exit

from .person import PROCESSES, Person

pytestmark = pytest.mark.slow

PROGRAMS = Path(__file__).parent / "programs"
FAILED, INTERRUPTED = 1, 130
OF_THE_GRADER = 12
"""The grader, its guest, tally, strace, and what a moment's look may see twice; not the program's."""

OTHERS = 40


@dataclass
class Watch:
    """Counts what a person has running, all the time."""

    person: Person
    most: int = 0
    _over: threading.Event = field(default_factory=threading.Event)

    def __enter__(self) -> Self:
        self._thread = threading.Thread(target=self._count, daemon=True)
        self._thread.start()
        return self

    def __exit__(self, *_error: object) -> None:
        self._over.set()
        join(self._thread)

    def _count(self) -> None:
        while not self._over.wait(0.05):
            self.most = max(self.most, len(self.person.processes()))


@pytest.fixture
def handing_in(person: Person, mine: Path) -> Callable[[str], Path]:
    """Replace tr2b by one of the programs."""

    def put(name: str) -> Path:
        (mine / "tr2b.c").write_bytes((PROGRAMS / f"{name}.c").read_bytes())
        return person.owns(mine)

    return put


def test_a_fork_bomb_is_limited_to_what_the_lab_allows(
    person: Person, handing_in: Callable[[str], Path], tiny_file: Path, spec: Spec
) -> None:
    folder = handing_in("bombs")
    sleepers = [person.start(["/bin/sleep", "100"]) for _ in range(OTHERS)]
    try:
        with Watch(person) as watch:
            done = person.grader("check", folder, "--lab", tiny_file, "--json")
        assert [sleeper.poll() for sleeper in sleepers] == [None] * OTHERS, "what else runs goes on"
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.communicate(timeout=ENDS_S)
    assert done.returncode == FAILED, done.stderr
    checks = {check.id: check for check in Report.model_validate_json(done.stdout).checks}
    assert checks["tr2b.text"].status == "failed"
    assert "it did not end" in checks["tr2b.text"].message
    assert checks["tr2u.text"].status == "passed"
    allowed = spec.limits.processes
    # It did bomb; and neither this machine's limit nor that of the person's account had to hold it.
    assert allowed / 2 < watch.most - OTHERS < allowed + OF_THE_GRADER < PROCESSES - OTHERS
    person.assert_nothing_is_left()


def test_a_child_that_stays_is_ended(person: Person, handing_in: Callable[[str], Path], tiny_file: Path) -> None:
    done = person.grader("check", handing_in("stays"), "--lab", tiny_file)
    assert done.returncode == FAILED, done.stderr
    person.assert_nothing_is_left()


def test_a_signal_to_a_child_that_was_not_made_ends_nobody(
    person: Person, handing_in: Callable[[str], Path], tiny_file: Path
) -> None:
    with killed_at_exit(person.start(["/bin/sleep", "100"])) as sleeper:
        done = person.grader("check", handing_in("mistakes"), "--lab", tiny_file)
        alive = sleeper.poll() is None
    assert alive, "kill(-1) is to everything of a user"
    assert done.returncode == FAILED, done.stderr
    person.assert_nothing_is_left()


@pytest.mark.parametrize(("name", "number"), [("bombs", signal.SIGINT), ("stays", signal.SIGTERM)])
def test_an_interruption_ends_all_of_it(
    name: str, number: signal.Signals, person: Person, handing_in: Callable[[str], Path], tiny_file: Path
) -> None:
    # However busy the machine is, the run must not reach a limit before it is interrupted.
    lab = json.loads(tiny_file.read_text(encoding="utf-8"))
    lab["limits"]["small"].update(cpu_s=300, wall_s=300)
    endless_file = tiny_file.with_name("endless.yaml")
    endless_file.write_text(json.dumps(lab), encoding="utf-8")
    folder = handing_in(name)
    if name == "stays":
        source = folder / "tr2b.c"
        source.write_text(source.read_text(encoding="ascii").replace("return 0;", "(void)pause();"), encoding="ascii")
    with killed_at_exit(
        person.start(person.command("-m", "grader", "check", folder, "--lab", endless_file))
    ) as process:
        # Those of the student's: the guest copies programs to a folder of its own.
        assert wait_until(lambda: programs_of(person), STARTS_S)
        # What is in it is nobody else's to see, not even by a name that was guessed.
        [folder] = person.temporary.glob("iolab-grader-*")
        assert folder.stat().st_mode & 0o077 == 0
        process.send_signal(number)
        said, complained = process.communicate(timeout=ENDS_S)
    assert process.returncode == INTERRUPTED, complained
    assert complained.splitlines()[-1] == "interrupted"
    assert "tr2b.text" not in said, "of a check that was interrupted nothing is told"
    person.assert_nothing_is_left()


def programs_of(person: Person) -> list[int]:
    """Return which processes run a student's program."""
    return [pid for pid in person.processes() if command_line(pid).partition(b"\0")[0] == b"./tr2b"]


def command_line(pid: int) -> bytes:
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes()
    except (FileNotFoundError, ProcessLookupError):
        return b""
