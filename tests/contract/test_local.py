"""The folders of the local sandbox, for every user who starts the grader."""

from __future__ import annotations

import os
import stat
import subprocess
import sys
import threading
import time
from collections.abc import Iterator
from contextlib import closing, suppress
from pathlib import Path

import pytest

from grader import guest
from grader.errors import SandboxError
from grader.machine_folders import NoTemporaryFolderError
from grader.sandbox.guest_files import guest_command
from grader.sandbox.local import LocalSandbox
from tests.waits import ENDS_S, STARTS_S, killed_at_exit

from .harness import SUCCESS, Exercise, source, step


@pytest.fixture
def generous_umask() -> Iterator[None]:
    """The umask of somebody who lets others write to everything."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("generous_umask")
def test_nobody_else_can_write_to_what_works_with_our_rights(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TMPDIR", str(temporary))
    with closing(LocalSandbox()) as sandbox:
        assert Exercise((step("exit", "actor", "exit", "0"),)).done_in(sandbox).run("exit").ending == SUCCESS
        (home,) = temporary.iterdir()
        found = [home, *home.rglob("*")]
        assert home / "lib" / "guest" / "main.py" in found
        assert [path for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o022] == []
    assert list(temporary.iterdir()) == []


def test_a_folder_for_temporary_files_may_have_any_name_that_is_text(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    odd = temporary / "a b\n'\"$(id)ü"
    odd.mkdir()
    monkeypatch.setenv("TMPDIR", str(odd))
    with closing(LocalSandbox()) as sandbox:
        assert Exercise((step("exit", "actor", "exit", "0"),)).done_in(sandbox).run("exit").ending == SUCCESS


def test_a_folder_for_temporary_files_whose_name_is_not_text_is_refused(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Guests get paths as JSON, which cannot contain such a name."""
    odd = temporary / "a\udcff\n"
    odd.mkdir()
    monkeypatch.setenv("TMPDIR", str(odd))
    with pytest.raises(NoTemporaryFolderError, match=r"a\\xff\\n, whose name is not UTF-8; set TMPDIR to"):
        LocalSandbox()
    assert list(odd.iterdir()) == []


def test_a_guest_in_somebody_else_s_process_group_ends_nobody_else() -> None:
    command = guest_command(sys.executable, str(Path(guest.__file__).parents[1]))
    with killed_at_exit(subprocess.Popen([sys.executable, "-c", "import time; time.sleep(600)"])) as other:
        done = subprocess.run(
            command, check=False, stdin=subprocess.DEVNULL, capture_output=True, text=True, timeout=ENDS_S
        )
        assert (done.returncode, "no request has come" in done.stdout, done.stderr) == (1, True, "")
        assert other.poll() is None


def processes_in_session(leader: int) -> list[int]:
    """Return the processes of a session that have not ended."""
    found = []
    for entry in Path("/proc").glob("[0-9]*"):
        with suppress(OSError):
            fields = (entry / "stat").read_text(encoding="latin-1").rpartition(")")[2].split()
            if int(fields[3]) == leader and fields[0] not in "ZX":
                found.append(int(entry.name))
    return found


def working_guest(home: Path) -> int:
    """Wait for the guest to have started something, and return its process."""
    deadline = time.monotonic() + STARTS_S
    while time.monotonic() < deadline:
        for entry in Path("/proc").glob("[0-9]*"):
            with suppress(OSError):
                if os.fsencode(home / "lib") in (entry / "cmdline").read_bytes():
                    leader = int(entry.name)
                    if len(processes_in_session(leader)) > 1:
                        return leader
        time.sleep(0.001)
    pytest.fail("the guest has started nothing")


# From a compilation to a run that sleeps, with the moments between them.
@pytest.mark.parametrize("delay_s", [0, 0.01, 0.02, 0.04, 0.06, 0.1, 0.2, 0.4, 1])
def test_an_interrupted_guest_leaves_no_process(
    temporary: Path, monkeypatch: pytest.MonkeyPatch, delay_s: float
) -> None:
    monkeypatch.setenv("TMPDIR", str(temporary))
    left: list[int] = []

    def interrupt() -> None:
        leader = working_guest(home)
        left.append(leader)
        time.sleep(delay_s)
        sandbox.interrupt()

    with closing(LocalSandbox()) as sandbox:
        (home,) = temporary.iterdir()
        interruption = threading.Thread(target=interrupt)
        interruption.start()
        with pytest.raises(SandboxError, match="ended before its work was done"):
            Exercise((step("asleep", "rogue", "sleep"),), {"rogue": source("rogue")}).done_in(sandbox)
        interruption.join(STARTS_S)
        assert processes_in_session(*left) == []
