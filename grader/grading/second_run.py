"""What proofs and the search for memory errors share: both run failing cases again, when the verdicts are known."""

from __future__ import annotations

from collections.abc import Mapping

from grader.grading.options import TimeLeft
from grader.model.evidence import Evidence, program_and_case
from grader.model.plan import Plan, RunStep
from grader.model.spec.programs import RunLimits
from grader.sandbox.base import Job

SMALL_BYTES = 100_000
"""Largest input that is run again without a special reason."""

NEEDED_S = 30.0
"""With fewer seconds left until the deadline, nothing is run again: the rest of the grading needs them."""


def is_enough(time_left: TimeLeft) -> bool:
    """Return whether something may be run again."""
    left_s = time_left.left_s
    return left_s is None or left_s >= NEEDED_S


def run_of_copy(step: RunStep, copy: str, limits: RunLimits) -> RunStep:
    """Return the same run of a copy of its program, with limits of its own; it waits for no other run."""
    return step.model_copy(
        update={
            "id": step.id.replace(step.program, copy, 1),
            "program": copy,
            "limits": limits,
            "predicted_by": None,
            "requires_ended": None,
        }
    )


def evidence_of_copy(evidence: Evidence, copy: str, program: str) -> Evidence:
    """Return the evidence of one copy, under the name of the program that it is a copy of."""

    def original(step: str) -> str:
        return step.replace(copy, program, 1)

    build = evidence.builds.get(copy)
    runs = [run for run in evidence.runs.values() if program_and_case(run.step)[0] == copy]
    left_out = [step for step in evidence.left_out.values() if program_and_case(step.step)[0] == copy]
    return Evidence(
        toolchain=evidence.toolchain,
        builds={} if build is None else {program: build.model_copy(update={"program": program})},
        runs={original(run.step): run.model_copy(update={"step": original(run.step)}) for run in runs},
        left_out={original(step.step): step.model_copy(update={"step": original(step.step)}) for step in left_out},
    )


def job_of(plan: Plan, sources: Mapping[str, bytes], inputs: Mapping[str, bytes]) -> Job:
    """Return a job with those of the lab's inputs that the plan needs."""
    needed = {name for step in plan.runs for name in (step.input, *(file.content for file in step.files))}
    return Job(plan, sources, {name: data for name, data in inputs.items() if name in needed})
