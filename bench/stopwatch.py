"""Start programs one after the other and measure each: a line of JSON in, a line of JSON out.

This is a separate process, on this machine or in a container, and needs only the standard library. It is small,
because the peak memory of a program that it starts includes the memory of the process that forked it.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from contextlib import ExitStack
from typing import Any

REPORT_FD = "REPORT_FD"
"""Placeholder in a command for the number of the descriptor for its report."""

STDERR_BYTES = 2000


def measure(job: dict[str, Any]) -> dict[str, Any]:
    """Run a job's command; return its times in seconds, its exit status and its output.

    A job has command, environment, cwd, the paths stdin, stdout, stderr and report, and uid, gid and cpu (null:
    unchanged).
    """
    with ExitStack() as stack:

        def opened(path: str, flags: int) -> int:
            fd = os.open(path, flags | os.O_CLOEXEC, 0o600)
            stack.callback(os.close, fd)
            return fd

        new = os.O_WRONLY | os.O_CREAT | os.O_TRUNC
        report = opened(job["report"], new)
        command = [str(report) if word == REPORT_FD else word for word in job["command"]]
        options = {
            "stdin": opened(job["stdin"], os.O_RDONLY),
            "stdout": opened(job["stdout"], new),
            "stderr": opened(job["stderr"], new),
            "env": job["environment"],
            "cwd": job["cwd"],
            "pass_fds": (report,),
        }
        if job["uid"] is not None:
            options |= {"user": job["uid"], "group": job["gid"], "extra_groups": []}
        ours = os.sched_getaffinity(0)
        if job["cpu"] is not None:
            os.sched_setaffinity(0, {job["cpu"]})
        try:
            return {**_timed(command, options), **_left(job)}
        finally:
            os.sched_setaffinity(0, ours)


def _timed(command: list[str], options: dict[str, Any]) -> dict[str, Any]:
    start = time.monotonic()
    process = subprocess.Popen(command, **options)
    _, status, usage = os.wait4(process.pid, 0)
    wall_s = time.monotonic() - start
    process.returncode = os.waitstatus_to_exitcode(status)
    return {
        "wall_s": wall_s,
        "cpu_s": usage.ru_utime + usage.ru_stime,
        "peak_memory_bytes": usage.ru_maxrss * 1024,
        "status": process.returncode,
    }


def _left(job: dict[str, Any]) -> dict[str, Any]:
    texts = {}
    for name in ("stderr", "report"):
        with open(job[name], encoding="utf-8", errors="replace") as file:  # noqa: PTH123 - importing pathlib takes time
            texts[name] = file.read(STDERR_BYTES)
    return {"stdout_bytes": os.stat(job["stdout"]).st_size, **texts}  # noqa: PTH116 - the same


def main() -> None:
    """Answer jobs until the end of input."""
    _answer({})  # ready
    for line in sys.stdin:
        _answer(measure(json.loads(line)))


def _answer(answer: dict[str, Any]) -> None:
    sys.stdout.write(json.dumps(answer) + "\n")
    sys.stdout.flush()


if __name__ == "__main__":
    main()
