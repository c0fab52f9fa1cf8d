"""What has to be there before the first submission of a run is graded."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from grader.cache.entries import Cache
from grader.grading.known_bugs import Catalogue
from grader.grading.mutant_runner import Measurement
from grader.grading.pipeline import Grading
from grader.grading.plan_builder import StraceMode
from grader.grading.reference_run import obtain_reference
from grader.model.spec.lab import Spec, all_inputs
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice

Say = Callable[[str], None]


@dataclass(frozen=True)
class Setting:
    """What a run is asked for, wherever it takes place; `keeps`: results of costly work may be used again.

    `lab`: the spec at full size, where `spec` is a form of it in which known bugs look the same.
    """

    spec: Spec
    sandbox: SandboxChoice = "auto"
    strace: StraceMode = "slice"
    keeps: bool = True
    lab: Spec | None = None


def prepare(setting: Setting, place: Sandbox, say: Say) -> Grading:
    """Return what all submissions of a run have in common; `say` is told what takes time.

    Raises:
        GraderError: the reference cannot be run, or does not do what the spec says.
    """
    spec, cache = setting.spec, Cache() if setting.keeps else None
    inputs = all_inputs(spec)
    reference = obtain_reference(spec, place, inputs, cache, say)
    measurement = Measurement(spec, place, reference, inputs)
    return Grading(spec, place, reference, inputs, setting.strace, Catalogue(measurement, cache, say, setting.lab))
