"""Describe how a run ended, in words for the student."""

from __future__ import annotations

import math

from typing_extensions import assert_never

from grader.model.evidence import Ending, Exited, LimitReached, NotStarted, RunDone, Signalled
from grader.model.signals import signal_words
from grader.model.spec.programs import RunLimits

EARLY_SHARE = 0.9
"""Share of the limit on its output below which a program was stopped before it reached the limit."""


def abnormal(
    ending: Ending, limits: RunLimits, real_s: float = math.inf, wrote_bytes: int | None = None, to: str = ""
) -> str | None:
    """Return what was abnormal about an ending, None if the program ended by itself.

    `real_s` is how long the run took, and `wrote_bytes` how much it wrote: it may have been stopped before it reached
    its limit. `to` is where it wrote that, if not to standard output.
    """
    match ending:
        case Exited():
            return None
        case Signalled():
            return f"it crashed: killed by {signal_words(ending.signal)}"
        case NotStarted():
            return f"it could not be started: {ending.message}"
        case LimitReached():
            return _limit_words(ending, limits, real_s, wrote_bytes, to)
        case _ as unreachable:
            assert_never(unreachable)


def abnormal_run(run: RunDone, limits: RunLimits) -> str | None:
    """Return what was abnormal about the ending of a run, None if the program ended by itself."""
    to = " to standard error" if run.writes_mostly_errors else ""
    return abnormal(run.ending, limits, run.times.real_s, max(run.stdout.size_bytes, run.stderr.size_bytes), to)


def exit_and_stderr_words(run: RunDone) -> str:
    """Describe how a run ended by itself: `exit status 0, nothing on standard error`."""
    return f"{exit_words(run)}, {stderr_words(run)}"


def exit_words(run: RunDone) -> str:
    """Describe the exit status of a run that ended by itself."""
    return f"exit status {run.ending.code if isinstance(run.ending, Exited) else None}"


def stderr_words(run: RunDone) -> str:
    """Describe whether a run wrote a message to standard error."""
    return f"{'a message' if run.stderr.size_bytes else 'nothing'} on standard error"


def _limit_words(ending: LimitReached, limits: RunLimits, real_s: float, wrote_bytes: int | None, to: str) -> str:
    match ending.limit:
        case "cpu":
            return f"it did not end: stopped after {limits.cpu_s} s of computing"
        case "wall":
            return f"it did not end: stopped after {min(round(real_s, 1), limits.wall_s):g} s"
        case "output":
            # It may have written elsewhere, and a pipe may hold some bytes back.
            is_early = wrote_bytes and wrote_bytes < EARLY_SHARE * limits.output_bytes
            stopped_bytes = wrote_bytes if is_early else limits.output_bytes
            return f"it wrote far too much{to}: stopped after {stopped_bytes:,} bytes"
        case "memory":
            return "it used more memory than allowed, and was stopped"
        case _ as unreachable:
            assert_never(unreachable)
