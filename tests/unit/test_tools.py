from __future__ import annotations

import signal
import subprocess
from pathlib import Path
from types import FrameType

import pytest

from grader.sandbox.tools import run_tool

# As gcc: a child that does the work, which dies of no signal to its parent.
STARTS_ANOTHER = "sleep 60 & echo $! >{log}; wait"
SOON_S = 20


def runs(pid: int) -> bool:
    """Return whether a process is there; one that is dead and not fetched yet has no command line."""
    try:
        return Path(f"/proc/{pid}/cmdline").read_bytes() != b""
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_what_it_said_comes_back() -> None:
    done = run_tool(["sh", "-c", 'cat; echo "$LC_ALL $MINE" >&2; exit 3'], SOON_S, stdin="x", variables={"MINE": "y"})
    assert (done.returncode, done.stdout, done.stderr) == (3, "x", "C y\n")


def test_who_does_not_listen_is_no_error() -> None:
    assert run_tool(["true"], SOON_S, stdin="x" * 1_000_000).returncode == 0


def test_what_takes_too_long_is_ended_with_its_children(tmp_path: Path) -> None:
    log = tmp_path / "pid"
    with pytest.raises(subprocess.TimeoutExpired):
        run_tool(["sh", "-c", STARTS_ANOTHER.format(log=log)], 3.0)
    assert not runs(int(log.read_text()))


# The alarm is the test's own; pytest-timeout's would be lost.
@pytest.mark.timeout(SOON_S / 2, method="thread")
def test_so_is_what_is_interrupted(tmp_path: Path) -> None:
    def interrupt(_number: int, _frame: FrameType | None) -> None:
        raise KeyboardInterrupt

    log = tmp_path / "pid"
    before = signal.signal(signal.SIGALRM, interrupt)
    try:
        signal.setitimer(signal.ITIMER_REAL, 3.0)
        with pytest.raises(KeyboardInterrupt):
            run_tool(["sh", "-c", STARTS_ANOTHER.format(log=log)], SOON_S)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
    assert not runs(int(log.read_text()))
