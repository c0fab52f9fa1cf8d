"""Say after what a limit stopped a run, in words for the student."""

from __future__ import annotations

from typing import NamedTuple

from grader.model.evidence import LimitReached, RunDone
from grader.model.spec.lab import Spec
from grader.model.spec.programs import RunLimits, limit_words

EARLY_SHARE = 0.9
"""Share of a limit below which a run was stopped before it reached the limit: other runs had shown enough."""

EARLY_OUTPUT_BYTES = 20_000
"""Least bytes that a run may write before it is stopped early. If less arrived, the program wrote elsewhere."""


class Stop(NamedTuple):
    """What a run had used when it was stopped, and the key of the limit; "" if it was stopped before that limit."""

    used: str
    key: str

    @property
    def words(self) -> str:
        """`1 s of computing (limits.small.cpu_s)`."""
        return f"{self.used} ({self.key})" if self.key else self.used


def stop_of(ending: LimitReached, limits: RunLimits, place: str, real_s: float, wrote_bytes: int | None) -> Stop:
    """Return after what a run was stopped. `place` is where the spec has these limits."""
    key, value = limit_words(limits, place, ending.limit)
    if ending.limit == "wall" and real_s < EARLY_SHARE * limits.wall_s:
        return Stop(f"{real_s:.1f} s", "")
    # A pipe may hold some bytes back.
    least, most = EARLY_SHARE * EARLY_OUTPUT_BYTES, EARLY_SHARE * limits.output_bytes
    if ending.limit == "output" and wrote_bytes is not None and least <= wrote_bytes < most:
        return Stop(f"{wrote_bytes:,} bytes", "")
    return Stop(value, key)


def stop_of_run(run: RunDone, spec: Spec, case: str) -> Stop | None:
    """Return after what a run of a case was stopped, None if no limit stopped it."""
    if not isinstance(run.ending, LimitReached):
        return None
    limits, place = spec.limits_for(case, run.engine), spec.limits_place(case, run.engine)
    wrote_bytes = max(run.stdout.size_bytes, run.stderr.size_bytes)
    return stop_of(run.ending, limits, place, run.times.real_s, wrote_bytes)
