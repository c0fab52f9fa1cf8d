"""A grader whose starter ignores signals still sees how its children end."""

from __future__ import annotations

import subprocess
import sys
from pathlib import Path

import pytest

from tests.waits import ENDS_S

STATUS = 7
CHECKOUT = Path(__file__).parents[2]
CHILD = f"import subprocess, sys; end = lambda: sys.exit(subprocess.run(['sh', '-c', 'exit {STATUS}']).returncode)"
MAINS = {
    "grader": "from grader.cli import entry, main; main.run = end; entry.main()",
    # There is no request, so it ends at once.
    "guest": "from grader.guest import main; main.main(); end()",
}
IGNORING = """
import os, signal, sys
signal.signal(signal.SIGCHLD, signal.SIG_IGN)
os.execv(sys.executable, [sys.executable, "-c", sys.argv[1]])
"""


@pytest.mark.parametrize("main", MAINS)
def test_how_a_child_ends_is_known_though_its_signal_was_ignored(main: str) -> None:
    command = [sys.executable, "-c", IGNORING, f"{CHILD}; {MAINS[main]}"]
    done = subprocess.run(
        command,
        stdin=subprocess.DEVNULL,
        capture_output=True,
        check=False,
        timeout=ENDS_S,
        cwd=Path(__file__).parents[2],
    )
    assert done.returncode == STATUS, done.stderr
