"""Tell whether a submission used up the time itself, or there was too little of it."""

from __future__ import annotations

from grader.model.evidence import Evidence, RunDone, StepLeftOut

SLOW_TIMES = 5.0
"""How many times as much CPU time as the reference a submission may take before that is its own fault.

With half a processor, or on a slower one, correct programs take two or three times as much time as the reference did.
"""

SLOW_SPARE_S = 20.0
"""Seconds that a submission may take in addition, where only the time of its steps is known."""

IDLE_SPARE_S = 1.0
"""Seconds of sleep that prove nothing: programs wait for the other end of a pipe, and while tally stops them."""


def used_up_the_time(evidence: Evidence, reference: Evidence) -> bool:
    """Return whether the time would have been enough without what the submission wasted, or it took far too much.

    Wasted is the time that its programs slept, and their CPU time above `SLOW_TIMES` that of the reference. Waiting
    for a CPU is not: that is a busy machine. What is missing would have taken as long as the reference took, times
    how much slower than there this machine has been.
    """
    used: dict[str, RunDone | StepLeftOut] = {**evidence.runs, **evidence.left_out}
    known = [reference.runs[step] for step, run in used.items() if run.took_s and step in reference.runs]
    own_s, due_s = sum(run.own_s for run in used.values()), sum(run.own_s for run in known)
    builds_s = sum(build.own_s for build in evidence.builds.values())
    due_builds_s = sum(build.own_s for build in reference.builds.values())
    if own_s + builds_s > SLOW_TIMES * (due_s + due_builds_s) + SLOW_SPARE_S:
        return True
    slept_s = sum(run.slept_s or 0.0 for run in used.values())
    due_cpu_s = due_s - sum(run.slept_s or 0.0 for run in known)
    wasted_s = slept_s + max(own_s - slept_s - SLOW_TIMES * due_cpu_s, 0.0)
    took_s = sum(run.took_s for run in used.values())
    slower = max((took_s - wasted_s) / due_s, 1.0) if due_s else 1.0
    missing = (step for step, left_out in evidence.left_out.items() if left_out.why == "deadline")
    missing_s = sum(reference.runs[step].own_s for step in missing if step in reference.runs)
    return wasted_s > missing_s * slower + IDLE_SPARE_S
