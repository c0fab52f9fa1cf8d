"""Describe how a run ended, in words for the student."""

from __future__ import annotations

import math

from typing_extensions import assert_never

from grader.model.evidence import Ending, Exited, LimitReached, NotStarted, RunDone, Signalled
from grader.model.signals import signal_words
from grader.model.spec.programs import RunLimits
from grader.model.stopped import stop_of


def abnormal(  # noqa: PLR0913, PLR0917 - everything that is known of an ending
    ending: Ending,
    limits: RunLimits,
    place: str,
    real_s: float = math.inf,
    wrote_bytes: int | None = None,
    to: str = "",
) -> str | None:
    """Return what was abnormal about an ending, None if the program ended by itself.

    `place` is where the spec has these limits: a limit that was reached is named with its key. `real_s` is how long
    the run took, and `wrote_bytes` how much it wrote: it may have been stopped before it reached its limit. `to` is
    where it wrote that, if not to standard output.
    """
    match ending:
        case Exited():
            return None
        case Signalled():
            return f"it crashed: killed by {signal_words(ending.signal)}"
        case NotStarted():
            return f"it could not be started: {ending.message}"
        case LimitReached():
            return _limit_words(ending, limits, place, real_s, wrote_bytes, to)
        case _ as unreachable:
            assert_never(unreachable)


def abnormal_run(run: RunDone, limits: RunLimits, place: str) -> str | None:
    """Return what was abnormal about the ending of a run, None if the program ended by itself; see `abnormal`."""
    to = " to standard error" if run.writes_mostly_errors else ""
    wrote_bytes = max(run.stdout.size_bytes, run.stderr.size_bytes)
    return abnormal(run.ending, limits, place, run.times.real_s, wrote_bytes, to)


def exit_and_stderr_words(run: RunDone) -> str:
    """Describe how a run ended by itself: `exit status 0, nothing on standard error`."""
    return f"{exit_words(run)}, {stderr_words(run)}"


def exit_words(run: RunDone) -> str:
    """Describe the exit status of a run that ended by itself."""
    return f"exit status {run.ending.code if isinstance(run.ending, Exited) else None}"


def stderr_words(run: RunDone) -> str:
    """Describe whether a run wrote a message to standard error."""
    return f"{'a message' if run.stderr.size_bytes else 'nothing'} on standard error"


def _limit_words(  # noqa: PLR0913, PLR0917 - as `abnormal`
    ending: LimitReached, limits: RunLimits, place: str, real_s: float, wrote_bytes: int | None, to: str
) -> str:
    stop = stop_of(ending, limits, place, real_s, wrote_bytes)
    match ending.limit:
        case "cpu" | "wall":
            return f"it did not end: stopped after {stop.words}"
        case "output":
            return f"it wrote more than allowed{to}: stopped after {stop.words}"
        case "log":
            return (
                f"its calls cannot be counted: it makes more of them than their log holds ({stop.key}: {stop.used})"
            )
        case "memory":
            return f"it used more memory than allowed, and was stopped ({stop.key}: {stop.used})"
        case _ as unreachable:
            assert_never(unreachable)
