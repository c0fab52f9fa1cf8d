"""One submission: from its sources to its report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from threading import Lock

from typing_extensions import ParamSpec

from grader.diagnose.explain import explain, needs_explaining
from grader.errors import GraderError, SandboxError
from grader.grading.collector import collect, together
from grader.grading.incremental import IncrementalJudge, ProgressCallbacks
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.output_diff import ExpectedOutputs, differences
from grader.grading.plan_builder import StraceMode, by_program, plan_work
from grader.judge.facts import Facts
from grader.judge.verdict import GradingEnvironment, judge, not_graded
from grader.model.evidence import Evidence
from grader.model.plan import Work
from grader.model.reference import Reference
from grader.model.report import Check, Difference, Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.sandbox.base import Job, Progress, Sandbox

P = ParamSpec("P")

log = logging.getLogger(__name__)

KEPT_BYTES = 24_000_000
"""Of one submission's wrong outputs; four full-size ones. A class of 300 must fit a disk."""


@dataclass(frozen=True)
class GradedSubmission:
    """A submission's report, and by step its outputs that are not the reference's, as far as they are kept."""

    report: Report
    outputs: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class GradingContext:
    """What all submissions of a run have in common; without `bugs` no causes are looked for."""

    spec: Spec
    sandbox: Sandbox
    reference: Reference
    inputs: Mapping[str, bytes]
    strace: StraceMode = "slice"
    bugs: LazyKnownBugs | None = None

    @property
    def standard(self) -> ExpectedOutputs:
        """What outputs are compared with."""
        return ExpectedOutputs(self.spec, self.reference, self.inputs)

    @property
    def environment(self) -> GradingEnvironment:
        """Where this run grades."""
        return GradingEnvironment(self.sandbox.isolation, self.sandbox.image_digest)


def _nothing(_event: Progress) -> None:
    return


@dataclass(frozen=True)
class GradeOptions:
    """How one submission is graded.

    `watch` gets each event as it comes, `decided` each check that is decided before the end, `publish` a report
    whenever another one is, and `judged` the one in which all are and only causes are missing. `keep` gets the step
    and the whole of each output that is not the reference's. `slots`: see Sandbox.open; where there is one for each
    program, each has a guest of its own, and they work at the same time. `deadline_s`: what is not done
    by then, counted from the start of the guest, is not run. `asked` are the ids of the checks that are wanted, None:
    all.
    """

    watch: Callable[[Progress], None] = _nothing
    decided: Callable[[Check], None] | None = None
    publish: Callable[[Report], None] | None = None
    judged: Callable[[Report], None] | None = None
    keep: Callable[[str, bytes], None] | None = None
    slots: tuple[int, ...] = (0,)
    deadline_s: float | None = None
    asked: frozenset[str] | None = None


DEFAULT_OPTIONS = GradeOptions()


def grade(grading: GradingContext, submission: Submission, way: GradeOptions = DEFAULT_OPTIONS) -> Report:
    """Grade one submission; a fault of ours makes the report say NOT GRADED, never 0 points."""
    try:
        evidence, where = _evidence(grading, submission, way)
    except SandboxError as error:
        return not_graded(grading.spec, submission, grading.environment, str(error))
    facts = Facts(grading.spec, submission, evidence, grading.reference, grading.inputs, where, way.asked)
    report = judge(facts, grading.environment)
    if way.judged is not None:
        way.judged(report)
    return _explained(grading, report, evidence)


def _explained(grading: GradingContext, report: Report, evidence: Evidence) -> Report:
    """Name the causes of what failed; a verdict stands without them, so no trouble with them spoils it."""
    if grading.bugs is None or not needs_explaining(grading.spec, report):
        return report
    try:
        known = grading.bugs.get()
    except GraderError as error:
        note = f"causes could not be looked for: {error}"
        return report.model_copy(update={"notes": (*report.notes, note)})
    return explain(grading.spec, report, evidence, known.signatures, known.mutants)


def _evidence(
    grading: GradingContext, submission: Submission, way: GradeOptions
) -> tuple[Evidence, Mapping[str, Difference]]:
    work = plan_work(grading.spec, submission, grading.strace, deadline_s=way.deadline_s, asked=way.asked)
    if not work.builds:
        return Evidence(toolchain=None, builds={}, runs={}, left_out={}), {}
    sources = {
        grading.spec.programs[name].source: source.data
        for name, source in submission.sources.items()
        if isinstance(source, Source)
    }
    shares = by_program(work) if len(way.slots) >= len(work.builds) > 1 else (work,)
    watch, keep = _one_at_a_time(_watching(grading, submission, work, way)), way.keep and _one_at_a_time(way.keep)

    def look_at(share: Work, slot: int) -> tuple[Evidence, Mapping[str, Difference]]:
        # All sources to each: one may include another, and must not build or fail by how many processors are idle.
        with grading.sandbox.open(Job(share, sources, grading.inputs), slot=slot) as session:
            evidence = collect(session.events(), watch)
            return evidence, differences(grading.standard, evidence, session.fetch, keep)

    if len(shares) == 1:
        return look_at(work, way.slots[0])
    with ThreadPoolExecutor(len(shares)) as threads:
        found = list(threads.map(look_at, shares, way.slots))
    return together([part for part, _ in found]), {step: one for _, where in found for step, one in where.items()}


def _one_at_a_time(call: Callable[P, None]) -> Callable[P, None]:
    """Return the same, for guests that work at the same time: who is called need not know of threads."""
    lock = Lock()

    def locked(*arguments: P.args, **named: P.kwargs) -> None:
        with lock:
            call(*arguments, **named)

    return locked


def _watching(
    grading: GradingContext, submission: Submission, work: Work, way: GradeOptions
) -> Callable[[Progress], None]:
    if way.publish is None and way.decided is None:
        return way.watch
    told = ProgressCallbacks(way.decided, way.publish, way.asked)
    unfolding = IncrementalJudge(grading.standard, submission, grading.environment, work, told)

    def watch(event: Progress) -> None:
        way.watch(event)
        unfolding.watch(event)

    return watch


def grade_one(grading: GradingContext, submission: Submission, way: GradeOptions) -> GradedSubmission:
    """Grade one submission of many: whatever goes wrong with it must not take the others' results with it."""
    outputs: dict[str, bytes] = {}

    def keep(step: str, data: bytes) -> None:
        if sum(map(len, outputs.values())) + len(data) <= KEPT_BYTES:
            outputs[step] = data

    try:
        return GradedSubmission(grade(grading, submission, replace(way, keep=keep)), outputs)
    except GraderError as error:
        reason = str(error)
    except Exception as error:
        log.exception("grading %s failed", submission.name)
        reason = f"the grader has a bug: {type(error).__name__}: {error}"
    return GradedSubmission(not_graded(grading.spec, submission, grading.environment, reason))
