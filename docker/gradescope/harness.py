# ruff: noqa: INP001 - copied into an image as a plain file
"""A simulated harness of Gradescope: runs run_autograder as the platform does, and writes what happened.

It is process 1 of its container, runs as root, and needs only Python's standard library. Its result is one JSON
object on its standard output, which no other process here has; `grader/gradescope/simulator/outcome.py` reads it.
When its standard input ends, so does the container.

When time is up, the platform's harness ends run_autograder, and the machine right after. This one ends everything at
once. Neither waits for processes that still run when run_autograder has ended; they end with the container.
"""

from __future__ import annotations

import base64
import json
import os
import shutil
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Mapping
from pathlib import Path
from typing import NoReturn

AUTOGRADER = Path("/autograder")
RESULTS = AUTOGRADER / "results"
POLL_S = 0.05
NOT_FOR_AUTOGRADERS = ("AUTHENTICATION_TOKEN", "START_SSHD")
"""Variables that the platform removes from the environment. Root can still read them in that of its harness."""

# For cgroup v2 and v1.
PEAKS = ("/sys/fs/cgroup/memory.peak", "/sys/fs/cgroup/memory/memory.max_usage_in_bytes")
OOM_COUNTERS = ("/sys/fs/cgroup/memory.events", "/sys/fs/cgroup/memory/memory.oom_control")


def main() -> None:
    """Run the autograder, and write what happened."""
    threading.Thread(target=end_with_input, daemon=True).start()
    shutil.rmtree(RESULTS, ignore_errors=True)
    RESULTS.mkdir()
    limit_s = int(os.environ["TIMEOUT_SECONDS"])
    environment = {name: value for name, value in os.environ.items() if name not in NOT_FOR_AUTOGRADERS}
    start = time.monotonic()
    fault = ""
    try:
        status, timed_out = supervised(limit_s, environment)
    except OSError as error:
        status, timed_out, fault = None, False, f"run_autograder could not be started: {error.strerror}"
    wall_s = time.monotonic() - start
    if timed_out:
        write_timed_out(limit_s, wall_s)
    result = {
        "raw": content(RESULTS / "results.json"),
        "stdout": content(RESULTS / "stdout") or "",
        "fault": fault,
        "wall_s": wall_s,
        "timed_out": timed_out,
        "exit_status": status,
        "oom_kills": oom_kills(),
        "peak_memory_bytes": peak_memory(),
    }
    sys.stdout.write(json.dumps(result))
    sys.stdout.flush()


def end_with_input() -> NoReturn:
    """End the container when the process that started it is gone."""
    while os.read(0, 1024):
        pass
    os._exit(1)


def supervised(limit_s: float, environment: Mapping[str, str]) -> tuple[int | None, bool]:
    """Run run_autograder for so many seconds at most; return its exit status (-N: signal N) and whether time ran out.

    Raises:
        OSError: it cannot be started.
    """
    deadline = time.monotonic() + limit_s
    with (RESULTS / "stdout").open("wb") as output:
        process = subprocess.Popen(
            ["./run_autograder"],
            cwd=AUTOGRADER,
            env=environment,
            stdin=subprocess.DEVNULL,
            stdout=output,
            stderr=subprocess.STDOUT,
        )
    while time.monotonic() < deadline:
        # Orphans become children of process 1, which must reap them.
        pid, status = os.waitpid(-1, os.WNOHANG)
        if pid == process.pid:
            process.returncode = os.waitstatus_to_exitcode(status)  # it was not waited for by its own object
            return process.returncode, False
        if pid == 0:
            time.sleep(POLL_S)
    end_all()
    return None, True


def end_all() -> None:
    """End every process except this one."""
    try:
        while True:
            os.kill(-1, signal.SIGKILL)
            os.waitpid(-1, 0)
    except (ProcessLookupError, ChildProcessError):
        return


def write_timed_out(limit_s: int, wall_s: float) -> None:
    """Replace any results with the platform's own."""
    words = f"Your submission timed out. It took longer than {limit_s} seconds to run."
    RESULTS.mkdir(exist_ok=True)
    results = {"score": 0, "output": words, "execution_time": wall_s}
    (RESULTS / "results.json").write_text(json.dumps(results), encoding="utf-8")


def content(path: Path) -> str | None:
    """Return a file in base64, None if there is none."""
    return base64.b64encode(path.read_bytes()).decode("ascii") if path.is_file() else None


def peak_memory() -> int | None:
    """Return the most bytes that the container used, including files that the kernel caches for it."""
    text = first_of(PEAKS)
    return int(text) if text else None


def oom_kills() -> int | None:
    """Return how many processes of the container the kernel has ended for lack of memory."""
    text = first_of(OOM_COUNTERS)
    counters = dict(line.split() for line in text.splitlines()) if text else {}
    return int(counters["oom_kill"]) if "oom_kill" in counters else None


def first_of(paths: tuple[str, ...]) -> str | None:
    """Return the content of the first file that exists, None if none does."""
    path = next((path for path in map(Path, paths) if path.is_file()), None)
    return None if path is None else path.read_text(encoding="ascii")


if __name__ == "__main__":
    main()
