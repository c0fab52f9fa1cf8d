"""The outcome of a run, as the student and the instructor would see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from grader.errors import SandboxError
from grader.gradescope.simulator.accepted_results import accept, decoded
from grader.model.base import Base64Bytes, Model

KILLED = "Killed: the container ended as a whole, as it does when its memory is used up"


class HarnessResult(Model):
    """What docker/gradescope/harness.py writes about a run of run_autograder.

    `raw` is results.json, None if there is no such file. `fault` says why run_autograder could not be started.
    `exit_status` is -N after signal N, None if it was not waited for. `oom_kills` and `peak_memory_bytes` are those
    of the container's cgroup, None if the cgroup does not have them; the peak includes files that the kernel caches.
    """

    raw: Base64Bytes | None
    stdout: Base64Bytes
    fault: str
    wall_s: float
    timed_out: bool
    exit_status: int | None
    oom_kills: int | None
    peak_memory_bytes: int | None


@dataclass(frozen=True)
class SimulatedRun:
    """The outcome of a run.

    `results` is what the platform would show, `raw` the bytes of results.json; both are None if the container ended
    as a whole. `problem` is empty if the results are a grade. `mistakes` and `warnings` are those of
    `AcceptedResults`, the other fields those of `HarnessResult`.
    """

    results: Mapping[str, Any] | None
    raw: bytes | None
    stdout: str
    problem: str
    wall_s: float
    mistakes: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    timed_out: bool = False
    exit_status: int | None = None
    oom_kills: int | None = None
    peak_memory_bytes: int | None = None


def outcome(written: bytes, errors: str, wall_s: float) -> SimulatedRun:
    """Return the outcome of a run of so many seconds, from the harness's standard output and standard error.

    Raises:
        SandboxError: the harness broke.
    """
    if errors:
        raise SandboxError(f"the harness broke: {errors}")
    if not written:
        return SimulatedRun(None, None, "", KILLED, wall_s)
    try:
        harness = HarnessResult.model_validate_json(written)
    except ValidationError as error:
        raise SandboxError(f"the harness was cut short: {error}") from error
    accepted = accept(harness.raw)
    late = "timed out, and whatever results there were are lost" if harness.timed_out else ""
    problem = harness.fault or late or accepted.problem
    if problem and harness.oom_kills:
        problem = f"{problem}; and the kernel ended {harness.oom_kills} of its processes for lack of memory"
    return SimulatedRun(
        results=accepted.results,
        raw=harness.raw,
        stdout=decoded(harness.stdout),
        problem=problem,
        wall_s=harness.wall_s,
        mistakes=accepted.mistakes,
        warnings=accepted.warnings,
        timed_out=harness.timed_out,
        exit_status=harness.exit_status,
        oom_kills=harness.oom_kills,
        peak_memory_bytes=harness.peak_memory_bytes,
    )
