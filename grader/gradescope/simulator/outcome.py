"""What came of a run, as the student and the instructor would see it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from pydantic import ValidationError

from grader.errors import SandboxError
from grader.gradescope.simulator.harness_result import HarnessResult
from grader.gradescope.simulator.platform import accept, cut, readable

KILLED = "Killed: the container ended as a whole, as it does when its memory is used up"


@dataclass(frozen=True)
class Outcome:
    """What came of a run.

    `results` is what the platform takes and would show, `raw` the bytes of results.json; both are None where the
    container ended as a whole, or there is no such file. `problem` is empty where the results are a grade; `mistakes`
    and `warnings` are those of `Taken`, the rest is as in `Ran`.
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


def outcome(said: bytes, last_words: str, wall_s: float) -> Outcome:
    """Return what came of a run from what the harness said, on standard error too, in so many seconds.

    Raises:
        SandboxError: the harness broke.
    """
    if last_words:
        raise SandboxError(f"the harness broke: {last_words}")
    if not said:
        return Outcome(None, None, "", KILLED, wall_s)
    try:
        ran = HarnessResult.model_validate_json(said)
    except ValidationError as error:
        raise SandboxError(f"the harness was cut short: {error}") from error
    taken = accept(ran.raw)
    return Outcome(
        results=taken.results,
        raw=ran.raw,
        stdout=cut(readable(ran.stdout) + taken.notice),
        problem=_problem(ran, taken.problem),
        wall_s=ran.wall_s,
        mistakes=taken.mistakes,
        warnings=taken.warnings,
        timed_out=ran.timed_out,
        exit_status=ran.exit_status,
        oom_kills=ran.oom_kills,
        peak_memory_bytes=ran.peak_memory_bytes,
    )


def _problem(ran: HarnessResult, of_results: str) -> str:
    late = "timed out, and whatever results there were are lost" if ran.timed_out else ""
    problem = ran.fault or late or of_results
    if problem and ran.oom_kills:
        return f"{problem}; and the kernel ended {ran.oom_kills} of its processes for lack of memory"
    return problem
