"""Grade one submission: from its sources to its report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field

from grader.errors import NO_MEMORY, GraderError, SandboxError, SilentGraderError, lacks_memory
from grader.explain.donor_search import RightPrograms, no_programs
from grader.explain.explanation import Explanation, Task
from grader.grading.incremental import IncrementalJudge
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.notebook import with_notebook
from grader.grading.plan_builder import (
    StraceMode,
    build_plan,
    by_program,
    split_hidden,
    stopping_early,
)
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.model.lab import Lab
from grader.model.report import Report
from grader.model.submission import Submission
from grader.options import DEFAULT_OPTIONS, GradeOptions, environment_of
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
    """What all submissions of a run have in common; without `known_bugs`, reports name no causes.

    `lab_digest` is for reports, see Report. Pieces of `right_programs` may repair wrong ones.
    """

    lab: Lab
    sandbox: Sandbox
    strace: StraceMode = "slice"
    known_bugs: LazyKnownBugs | None = None
    lab_digest: str = ""
    right_programs: RightPrograms = no_programs

    @property
    def environment(self) -> GradingEnvironment:
        """The environment that this run grades in."""
        return environment_of(self.sandbox, self.lab_digest)


def grade(grading: GradingContext, submission: Submission, options: GradeOptions = DEFAULT_OPTIONS) -> Report:
    """Grade one submission. If the guest fails, the report says NOT GRADED, never 0 points.

    Raises:
        EngineUnavailableError: the sandbox is not available.
    """
    return _grade(grading, submission, options, None)


def grade_safely(
    grading: GradingContext, submission: Submission, options: GradeOptions = DEFAULT_OPTIONS
) -> GradedSubmission:
    """Grade one submission. Never raises for a fault: the report says NOT GRADED. Wrong outputs are returned too."""
    outputs: dict[str, bytes] = {}

    def keep(step: str, output: bytes) -> None:
        if sum(map(len, outputs.values())) + len(output) <= KEPT_BYTES:
            outputs[step] = output

    try:
        return GradedSubmission(_grade(grading, submission, options, keep), outputs)
    except GraderError as error:
        reason = str(error)
    except Exception as error:
        if lacks_memory(error):
            reason = NO_MEMORY
        else:
            log.exception("grading %s failed", submission.name)
            reason = f"the grader has a bug: {type(error).__name__}: {error}"
    return GradedSubmission(not_graded(grading.lab.spec, submission, grading.environment, reason))


def _grade(
    grading: GradingContext, submission: Submission, options: GradeOptions, keep: Callable[[str, bytes], None] | None
) -> Report:
    """Grade one submission and, if its guest heard nothing from this process, which was stopped, once more."""
    try:
        return _graded_once(grading, submission, options, keep)
    except SilentGraderError:
        pass
    try:
        return _graded_once(grading, submission, options, keep)
    except SilentGraderError as error:
        return not_graded(grading.lab.spec, submission, grading.environment, str(error))


def _graded_once(
    grading: GradingContext, submission: Submission, options: GradeOptions, keep: Callable[[str, bytes], None] | None
) -> Report:
    lab, selected_checks = grading.lab.for_submission(submission), options.selected_checks
    plan = build_plan(lab.spec, submission, grading.strace, selected_checks=selected_checks)
    if options.stops_early:
        plan = stopping_early(lab.spec, plan, lab.reference.evidence)
    seen, hidden = split_hidden(lab.spec, plan)
    # With a slot for each program, no program waits for another.
    each_apart = len(options.slots) >= len(plan.builds)
    slots = options.slots if each_apart else options.slots[:1] * len(plan.builds)
    slot_of = {build.program: slot for build, slot in zip(plan.builds, slots, strict=False)}
    rounds = [by_program(part) if each_apart else (part,) for part in (seen, hidden) if part.builds]
    shares = [share for part in rounds for share in part]
    judging = IncrementalJudge(lab, submission, grading.environment, rounds, options)

    def run_share(guest: int) -> None:
        slot = slot_of[shares[guest].builds[0].program]
        judging.run_guest(grading.sandbox, keep, guest=guest, slot=slot)

    task = Task(lab, submission, grading.sandbox, options, seen, hidden)
    known_bugs = grading.known_bugs.get if grading.known_bugs is not None else None
    explanation = Explanation(task, known_bugs, grading.right_programs)

    try:
        first = 0
        for part in rounds:
            if first:
                explanation.begin(judging.report_so_far(), judging.evidence)
            _run_together(run_share, range(first, first + len(part)))
            first += len(part)
    except SilentGraderError:
        raise
    except SandboxError as error:
        return not_graded(lab.spec, submission, grading.environment, str(error))
    report = judging.report()
    options.observer.judged(report)
    # From here on the verdicts are complete, and nothing may change them.
    explained = explanation.explained(report, judging.evidence)
    explained = explanation.change(
        "the notebook", explained, lambda before: with_notebook(before, submission, lab.spec)
    )
    return explanation.concluded(report, explained)


def _run_together(run_share: Callable[[int], None], guests: range) -> None:
    """Run guests at the same time, and wait for the end of all of them."""
    if len(guests) == 1:
        run_share(guests[0])
    elif guests:
        with ThreadPoolExecutor(len(guests)) as threads:
            list(threads.map(run_share, guests))
