"""What docker/gradescope/harness.py says of a run."""

from __future__ import annotations

from grader.model.base import Base64Bytes, Model


class HarnessResult(Model):
    """A run of run_autograder: what it left, how long it took and how it ended.

    `raw` is results.json, None where it left none. `fault`: why it could not be started. `exit_status` is -N after
    signal N, None where it was not waited for. `oom_kills` and `peak_memory_bytes` are of the container's cgroup,
    None where that does not tell; the kernel's cache of files is in the peak.
    """

    raw: Base64Bytes | None
    stdout: Base64Bytes
    fault: str
    wall_s: float
    timed_out: bool
    exit_status: int | None
    oom_kills: int | None
    peak_memory_bytes: int | None
