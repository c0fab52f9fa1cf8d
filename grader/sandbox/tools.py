"""Running tools of this machine that start others, as gcc does; if we are interrupted, all of them end."""

from __future__ import annotations

import os
import signal
import subprocess
from collections.abc import Mapping, Sequence
from contextlib import suppress


def run_tool(
    command: Sequence[str], timeout_s: float, *, stdin: str = "", variables: Mapping[str, str] | None = None
) -> subprocess.CompletedProcess[str]:
    """Run a tool to its end with `stdin` as standard input; return its exit status and both outputs.

    It has its own process group. If it takes too long, or we are interrupted, the whole group is killed: gcc alone
    would leave its compiler and its assembler running.

    Raises:
        OSError: it cannot be started.
        subprocess.TimeoutExpired: it took longer, and was killed.
    """
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, errors="replace",
        env={**os.environ, "LC_ALL": "C", **(variables or {})}, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            out, err = process.communicate(stdin, timeout_s)
        except BaseException:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            # The end of its output says that the whole group is gone.
            process.communicate()
            raise
    return subprocess.CompletedProcess(command, process.returncode, out, err)
