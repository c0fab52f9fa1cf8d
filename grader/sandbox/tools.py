"""Tools of this machine that start others, as gcc does: whatever ends us ends all of them."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress


def run_tool(
    command: Sequence[str], timeout_s: float, *, said: str = "", variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end with `said` as standard input; return its exit status and both outputs.

    It has a process group of its own, which is killed as a whole where its end is not waited for: gcc itself would
    leave its compiler and its assembler at work.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it took longer; nothing of it is left.
    """
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        env={**os.environ, "LC_ALL": "C", **(variables or {})}, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(said, timeout_s)
        except BaseException:
            _kill_group(process)
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)


def _kill_group(process: subprocess.Popen[str]) -> None:
    """Kill a process and all that it started, and wait until they are gone, as the end of their output tells."""
    with suppress(ProcessLookupError):
        os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
