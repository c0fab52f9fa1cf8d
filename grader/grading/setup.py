"""What has to be there before the first submission of a run is graded."""

from __future__ import annotations

from dataclasses import dataclass

from grader.cache.entries import Cache
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.mutant_runner import MutantRunner
from grader.grading.pipeline import GradingContext
from grader.grading.plan_builder import StraceMode
from grader.grading.reference_run import obtain_reference
from grader.messages import Notify
from grader.model.spec.lab import Spec, all_inputs
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice


@dataclass(frozen=True)
class RunConfig:
    """What a run is asked for, wherever it takes place; `keeps`: results of costly work may be used again.

    `lab`: the spec at full size, where `spec` is a form of it in which known bugs look the same.
    """

    spec: Spec
    sandbox: SandboxChoice = "auto"
    strace: StraceMode = "slice"
    use_cache: bool = True
    lab: Spec | None = None


def prepare(setting: RunConfig, place: Sandbox, notify: Notify) -> GradingContext:
    """Return what all submissions of a run have in common; `notify` is told what takes time.

    Raises:
        GraderError: the reference cannot be run, or does not do what the spec says.
    """
    spec, cache = setting.spec, Cache() if setting.use_cache else None
    inputs = all_inputs(spec)
    reference = obtain_reference(spec, place, inputs, cache, notify)
    measurement = MutantRunner(spec, place, reference, inputs)
    return GradingContext(
        spec, place, reference, inputs, setting.strace, LazyKnownBugs(measurement, cache, notify, setting.lab)
    )
