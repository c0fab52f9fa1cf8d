"""Waiting in tests, which always has a limit."""

from __future__ import annotations

import os
import subprocess
import threading
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import AnyStr

ENDS_S = STARTS_S = 300.0
"""Seconds to wait for something that should end or start at once: a killed process, a thread with nothing left to do.

The wait is this long because a virtual machine can pause for half a minute, and other tests may use all processors.
"""


@contextmanager
def killed_at_exit(process: subprocess.Popen[AnyStr]) -> Iterator[subprocess.Popen[AnyStr]]:
    """Kill the process when the block ends, if it is still running.

    The context manager of Popen itself would wait for its end, and without a limit.
    """
    with process:
        try:
            yield process
        finally:
            process.kill()
            process.wait(ENDS_S)


@contextmanager
def busy_cpu(processes: int) -> Iterator[str]:
    """Yield the number of a CPU that processes share which never sleep; what runs on others goes on."""
    cpu = str(min(os.sched_getaffinity(0)))
    command = ["taskset", "--cpu-list", cpu, "sh", "-c", "while :; do :; done"]
    with ExitStack() as stack:
        for _ in range(processes):
            # Linux may divide a CPU among sessions first (sched_autogroup_enabled), and a guest has one of its own.
            stack.enter_context(killed_at_exit(subprocess.Popen(command, start_new_session=True)))
        yield cpu


def join(thread: threading.Thread) -> None:
    """Wait for the end of a thread."""
    thread.join(ENDS_S)
    assert not thread.is_alive()
