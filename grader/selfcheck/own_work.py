"""One's own work: the submission in a folder, the sandbox that it runs in, and what came of it."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Literal

from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.grading.pipeline import GradeOptions, GradingContext, grade_one
from grader.grading.setup import RunConfig, prepare
from grader.intake.choice import Bundle, archives, choose
from grader.intake.drafts import whole
from grader.intake.found import DiscoveredSubmission
from grader.intake.missing import missing
from grader.intake.names import readable, shortened
from grader.intake.submissions import mode_of
from grader.intake.walk import walk
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.messages import Notify
from grader.model.report import Check, Report
from grader.model.spec.lab import Spec
from grader.model.submission import Submission
from grader.render.text.phrases import listed
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice, choose_sandbox, local_sandbox
from grader.selfcheck.quick_lab import NOTE, looks_the_same, quick_form

Outcome = Literal["passed", "failed", "unjudged", "not-graded"]


def find_own(folder: Path, spec: Spec) -> DiscoveredSubmission:
    """Return the one submission that a folder is, whatever lies beside its sources or around them.

    Raises:
        UsageError: it is no folder, cannot be read, or has nothing in it that is looked at.
    """
    mode, sources = mode_of(folder), spec.sources
    if not stat.S_ISDIR(mode):
        raise UsageError(f"{folder} is not a folder; give the one that holds {listed(sources)}")
    try:
        bundle = Bundle(walk(str(folder), sources)[0])
    except GraderError as error:
        raise UsageError(str(error)) from error
    if not choose([bundle], sources).files and not archives(bundle.files):
        raise UsageError(f"nothing to check in {folder.resolve()}:{_wanted(bundle, sources)}")
    draft = whole(folder)
    return DiscoveredSubmission(shortened(readable(draft.name)), draft.place, draft.origin)


def folders_of(folder: Path, spec: Spec) -> frozenset[Path]:
    """Return the folder, and those below it that its sources lie in."""
    try:
        chosen = choose([Bundle(walk(str(folder), spec.sources)[0])], spec.sources).files
    except GraderError:
        return frozenset([folder])
    return frozenset([folder, *((folder / file.path).parent for file in chosen.values())])


def _wanted(bundle: Bundle, sources: list[str]) -> str:
    if not bundle.files:
        return f" {listed(sources)} should be in it"
    return "".join(f"\n  {missing(source, [bundle])}" for source in sources)


def own_sandbox(choice: SandboxChoice, notify: Notify) -> Sandbox:
    """Return the sandbox for one's own programs; `auto` is the local one, and Docker where that cannot be had.

    These are no strangers' programs, so a container is not insisted on.

    Raises:
        EngineUnavailableError: what was asked for cannot be had, or neither can.
    """
    if choice != "auto":
        return choose_sandbox(choice, notify)
    try:
        return local_sandbox()
    except EngineUnavailableError as no_local:
        try:
            return choose_sandbox("docker", notify)
        except EngineUnavailableError as no_docker:
            raise EngineUnavailableError(f"{no_local}\nNor with Docker: {no_docker}") from no_docker


class OwnGrader:
    """Grades one's own work, as often as is wanted; what has to be there before is prepared once."""

    def __init__(self, lab: Spec, place: Sandbox, notify: Notify, *, quick: bool = False) -> None:
        """Take a lab, its quick form if `quick`; nothing is run."""
        spec = quick_form(lab) if quick else lab
        self.spec = spec
        self._setting = RunConfig(spec, full_size_spec=lab if quick and looks_the_same(lab) else None)
        self._place = place
        self._notify = notify
        self._quick = quick
        self._grading: GradingContext | None = None

    def grade(self, submission: Submission, way: GradeOptions) -> Report:
        """Grade a submission in this thread; a fault of ours, the reference's among them, is a report NOT GRADED.

        Raises:
            UsageError: the lab's spec and its reference do not fit together.
        """
        report = self._graded(submission, way)
        return report.model_copy(update={"quick": True, "notes": (NOTE, *report.notes)}) if self._quick else report

    def _graded(self, submission: Submission, way: GradeOptions) -> Report:
        try:
            grading = self._grading = self._grading or prepare(self._setting, self._place, self._notify)
        except UsageError:
            raise
        except GraderError as error:
            environment = GradingEnvironment(self._place.isolation, self._place.image_digest)
            return not_graded(self.spec, submission, environment, str(error))
        return grade_one(grading, submission, way).report


def outcome(report: Report) -> Outcome:
    """Return what came of it, as few words as an exit status has.

    `unjudged`: nothing failed, and not everything passed either, as something that costs points was skipped. It can
    only be the place that lacks what it takes: what a program cannot do for its own doing comes with a failed check.
    """
    if report.status == "not_graded":
        return "not-graded"
    if any(check.status == "failed" for check in report.checks):
        return "failed"
    return "unjudged" if unjudged(report) else "passed"


def unjudged(report: Report) -> tuple[Check, ...]:
    """Return the checks that were asked for, were skipped, and are worth points."""
    return tuple(
        check
        for check in report.checks
        if check.status == "skipped" and check.max_points and (not report.only or check.id in report.only)
    )
