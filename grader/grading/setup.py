"""Prepare what a run needs before it grades its first submission."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import partial

from grader.cache.entries import Cache
from grader.grading.fresh_runs import LazyFreshRuns
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.mutant_runner import MutantRunner
from grader.grading.pipeline import GradingContext
from grader.grading.plan_builder import StraceMode
from grader.grading.reference_run import missing_reference, obtain_reference, reference_programs, with_draws
from grader.lab.find import LabFiles
from grader.lab.fixtures import read_fixtures, read_provided
from grader.messages import Notify
from grader.model.lab import Lab
from grader.model.spec.draws import PUBLIC
from grader.model.spec.lab import Spec, all_inputs
from grader.model.submission import Source
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice


@dataclass(frozen=True)
class RunConfig:
    """The configuration of a run; `use_cache`: results of costly work may be used again.

    `full_size_spec` is set if `spec` is a form of it with smaller inputs; known bugs look the same in both. What the
    spec leaves to chance is drawn from `secret`.
    """

    spec: Spec
    files: LabFiles
    sandbox: SandboxChoice = "auto"
    strace: StraceMode = "slice"
    use_cache: bool = True
    full_size_spec: Spec | None = None
    secret: str = PUBLIC


def prepare(config: RunConfig, sandbox: Sandbox, notify: Notify) -> GradingContext:
    """Return what all submissions of a run have in common; `notify` is called before work that takes time.

    Raises:
        GraderError: the reference cannot be run, or does not do what the spec says.
    """
    cache, fixtures = Cache() if config.use_cache else None, read_fixtures(config.spec, config.files)
    spec, inputs = config.spec.drawn(config.secret), all_inputs(config.spec, fixtures)
    reference = obtain_reference(config.spec, config.files, sandbox, inputs, cache, notify)
    if config.secret != PUBLIC and spec.drawn_cases:
        inputs = all_inputs(spec, fixtures)
        reference = with_draws(reference, spec, config.files, sandbox, inputs, cache, notify)
    lab = Lab(spec, inputs, reference, read_provided(spec, config.files))
    fresh = LazyFreshRuns(lab, config.files, sandbox, cache, notify)
    lab = replace(lab, fresh_runs=fresh.get)
    whole = config.full_size_spec or config.spec
    known_bugs = LazyKnownBugs(MutantRunner(lab, sandbox), config.files, cache, notify, whole)
    return GradingContext(lab, sandbox, config.strace, known_bugs, right_programs=partial(_reference_sources, config))


def _reference_sources(config: RunConfig) -> Mapping[str, tuple[bytes]]:
    if missing_reference(config.spec, config.files):
        return {}
    found = reference_programs(config.spec, config.files).sources
    return {program: (source.data,) for program, source in found.items() if isinstance(source, Source)}
