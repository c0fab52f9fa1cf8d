"""Grade one submission: from its sources to its report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from grader.diagnose.explain import explain, needs_explaining
from grader.errors import GraderError, SandboxError
from grader.grading.incremental import IncrementalJudge
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.options import DEFAULT_OPTIONS, GradeOptions, environment_of
from grader.grading.plan_builder import StraceMode, by_program, plan_work
from grader.judge.lab import Lab
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.model.evidence import Evidence
from grader.model.report import Report
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox

log = logging.getLogger(__name__)

KEPT_BYTES = 24_000_000
"""Most bytes of wrong outputs to keep of one submission: four full-size outputs. A class of 300 must fit a disk."""


@dataclass(frozen=True)
class GradedSubmission:
    """The report of a submission, and by step those of its wrong outputs that are kept."""

    report: Report
    outputs: Mapping[str, bytes] = field(default_factory=dict)


@dataclass(frozen=True)
class GradingContext:
    """What all submissions of a run have in common; without `known_bugs`, reports name no causes."""

    lab: Lab
    sandbox: Sandbox
    strace: StraceMode = "slice"
    known_bugs: LazyKnownBugs | None = None

    @property
    def environment(self) -> GradingEnvironment:
        """The environment that this run grades in."""
        return environment_of(self.sandbox)


def grade(grading: GradingContext, submission: Submission, options: GradeOptions = DEFAULT_OPTIONS) -> Report:
    """Grade one submission; if the grader's side fails, the report says NOT GRADED, never 0 points."""
    return _grade(grading, submission, options, None)


def grade_one(
    grading: GradingContext, submission: Submission, options: GradeOptions = DEFAULT_OPTIONS
) -> GradedSubmission:
    """Grade one submission of many: a failure in one must not affect the results of the others."""
    outputs: dict[str, bytes] = {}

    def keep(step: str, output: bytes) -> None:
        if sum(map(len, outputs.values())) + len(output) <= KEPT_BYTES:
            outputs[step] = output

    try:
        return GradedSubmission(_grade(grading, submission, options, keep), outputs)
    except GraderError as error:
        reason = str(error)
    except Exception as error:
        log.exception("grading %s failed", submission.name)
        reason = f"the grader has a bug: {type(error).__name__}: {error}"
    return GradedSubmission(not_graded(grading.lab.spec, submission, grading.environment, reason))


def _grade(
    grading: GradingContext, submission: Submission, options: GradeOptions, keep: Callable[[str, bytes], None] | None
) -> Report:
    lab, selected_checks = grading.lab, options.selected_checks
    work = plan_work(
        lab.spec, submission, grading.strace, deadline_s=options.deadline_s, selected_checks=selected_checks
    )
    # With a slot for each program, no program waits for another.
    shares = by_program(work) if len(options.slots) >= len(work.builds) else (work,)
    judging = IncrementalJudge(lab, submission, grading.environment, shares, options)

    def run_share(guest: int) -> None:
        judging.run_guest(grading.sandbox, keep, guest=guest, slot=options.slots[guest])

    try:
        if len(shares) == 1:
            run_share(0)
        elif shares:
            with ThreadPoolExecutor(len(shares)) as threads:
                list(threads.map(run_share, range(len(shares))))
    except SandboxError as error:
        return not_graded(lab.spec, submission, grading.environment, str(error))
    report = judging.report()
    options.observer.judged(report)
    return _explained(grading, report, judging.evidence)


def _explained(grading: GradingContext, report: Report, evidence: Evidence) -> Report:
    """Name the causes of failures; if that is not possible, a note says so and the verdicts remain valid."""
    if grading.known_bugs is None or not needs_explaining(grading.lab.spec, report):
        return report
    try:
        known = grading.known_bugs.get()
    except GraderError as error:
        note = f"causes could not be looked for: {error}"
        return report.model_copy(update={"notes": (*report.notes, note)})
    return explain(grading.lab.spec, report, evidence, known.signatures, known.mutants)
