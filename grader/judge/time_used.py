"""Tell whether a submission used up the time itself, or there was too little of it."""

from __future__ import annotations

from dataclasses import dataclass

from grader.model.evidence import Evidence, RunDone, StepLeftOut

SLOW_TIMES = 5.0
"""How many times as much CPU time as the reference a submission may take before that is its own fault.

With half a processor, or on a slower one, correct programs take two or three times as much time as the reference did.
"""

SLOW_SPARE_S = 20.0
"""Seconds that a submission may take in addition, where only the time of its steps is known."""

IDLE_SPARE_S = 1.0
"""Seconds of sleep that prove nothing: programs wait for the other end of a pipe, and while tally stops them."""


@dataclass(frozen=True)
class _Used:
    """The time that a step took: on a CPU, in the queue for one (None: not known), and altogether."""

    took_s: float
    real_s: float
    cpu_s: float
    waited_s: float | None

    @property
    def idle_s(self) -> float:
        """The time in which the program neither ran nor wanted to, 0 if that is not known."""
        return 0.0 if self.waited_s is None else max(self.real_s - self.cpu_s - self.waited_s, 0.0)


def _of_run(run: RunDone) -> _Used:
    return _Used(run.took_s, run.times.real_s, run.times.user_s + run.times.sys_s, run.waited_s)


def _of_cut(step: StepLeftOut) -> _Used:
    return _Used(step.took_s, step.took_s, step.cpu_s, step.waited_s)


def used_up_the_time(evidence: Evidence, reference: Evidence) -> bool:
    """Return whether the time would have been enough without what the submission wasted, or it took far too much.

    Wasted is the time that its programs slept, and their CPU time above `SLOW_TIMES` that of the reference. Waiting
    for a CPU is not: that is a busy machine. What is missing would have taken as long as the reference took, times
    how much slower than there this machine has been.
    """
    used = {step: _of_run(run) for step, run in evidence.runs.items()}
    used.update({step: _of_cut(left_out) for step, left_out in evidence.left_out.items() if left_out.took_s})
    known = [step for step in used if step in reference.runs]
    due_s = sum(reference.runs[step].took_s for step in known)
    due_cpu_s = sum(_of_run(reference.runs[step]).cpu_s for step in known)
    builds_s = sum(build.wall_s for build in evidence.builds.values())
    due_builds_s = sum(build.wall_s for build in reference.builds.values())
    took_s = sum(one.took_s for one in used.values())
    waited_s = sum(one.waited_s or 0.0 for one in used.values())
    if took_s - waited_s + builds_s > SLOW_TIMES * (due_s + due_builds_s) + SLOW_SPARE_S:
        return True
    excess_s = max(sum(one.cpu_s for one in used.values()) - SLOW_TIMES * due_cpu_s, 0.0)
    wasted_s = sum(one.idle_s for one in used.values()) + excess_s
    slower = max((took_s - wasted_s) / due_s, 1.0) if due_s else 1.0
    missing = (step for step, left_out in evidence.left_out.items() if left_out.why == "deadline")
    missing_s = sum(reference.runs[step].took_s for step in missing if step in reference.runs)
    return wasted_s > missing_s * slower + IDLE_SPARE_S
