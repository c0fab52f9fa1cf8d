"""How a run ended, in words for the student."""

from __future__ import annotations

import signal

from typing_extensions import assert_never

from grader.model.evidence import Ending, Exited, LimitReached, NotStarted, Signalled
from grader.model.spec import RunLimits


def abnormal(ending: Ending, limits: RunLimits) -> str | None:
    """Return what was abnormal about an ending, None where the program ended by itself."""
    match ending:
        case Exited():
            return None
        case Signalled():
            return f"it crashed: killed by {signal_name(ending.signal)}"
        case NotStarted():
            return f"it could not be started: {ending.message}"
        case LimitReached():
            return _limit(ending, limits)
        case _ as unreachable:
            assert_never(unreachable)


def signal_name(number: int) -> str:
    """Return `SIGSEGV (segmentation fault)` and the like; a number that has no name stays a number."""
    try:
        name = signal.Signals(number).name
    except ValueError:
        return f"signal {number}"
    described = {"SIGSEGV": "segmentation fault", "SIGABRT": "abort", "SIGFPE": "arithmetic error"}.get(name)
    return f"{name} ({described})" if described else name


def _limit(ending: LimitReached, limits: RunLimits) -> str:
    match ending.limit:
        case "cpu":
            return f"it did not end: stopped after {limits.cpu_s} s of computing"
        case "wall":
            return f"it did not end: stopped after {limits.wall_s:g} s"
        case "output":
            return f"it wrote without end: stopped after {limits.output_bytes:,} bytes"
        case "memory":
            return "it used more memory than it may, and was stopped"
        case _ as unreachable:
            assert_never(unreachable)
