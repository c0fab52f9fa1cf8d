"""Checking your own work: the submission in a folder, the sandbox that it runs in, and the outcome."""

from __future__ import annotations

import stat
import sys
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

from grader.cache.secret import own_secret
from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.grading.pipeline import GradingContext, grade_safely
from grader.grading.setup import RunConfig, prepare
from grader.intake.candidates import single_submission
from grader.intake.choice import Bundle, archives, choose
from grader.intake.files import DiskFile
from grader.intake.missing import look_alike, missing
from grader.intake.names import is_archive, shortened
from grader.intake.reading import read_files
from grader.intake.submissions import mode_of
from grader.intake.walk import walk
from grader.judge.verdict import not_graded
from grader.lab.find import LabFiles
from grader.messages import Notify
from grader.model.counted import listed
from grader.model.gradebook import Origin
from grader.model.report import Check, Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.model.visible import readable
from grader.options import GradeOptions, environment_of
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice, choose_sandbox, local_sandbox
from grader.selfcheck.quick_lab import NOTE, looks_the_same, quick_form

OwnResult = Literal["passed", "failed", "unjudged", "not-graded"]


@dataclass(frozen=True)
class OwnWork:
    """The submission that a folder holds, and where it came from."""

    submission: Submission
    origin: Origin


def read_own(folder: Path, spec: Spec) -> OwnWork:
    """Read the one submission that a folder or an archive holds, whatever other files are in it.

    Raises:
        UsageError: it is neither, cannot be read, or is a folder without sources and archives.
        GraderError: a source in it cannot be read.
    """
    mode, sources = mode_of(folder), spec.sources
    own = single_submission(folder)
    name = shortened(readable(own.name))
    if stat.S_ISREG(mode) and is_archive(folder.name):
        return OwnWork(read_files(name, (DiskFile(folder.name, str(folder)),), spec), own.origin)
    if not stat.S_ISDIR(mode):
        raise UsageError(f"{folder} is not a folder or an archive; give the one that contains {listed(sources)}")
    try:
        files, notes = walk(str(folder), sources)
    except GraderError as error:
        raise UsageError(str(error)) from error
    bundle = Bundle(files)
    if not choose([bundle], sources).files and not archives(files):
        raise UsageError(f"nothing to check in {folder.resolve()}:{_missing_words(bundle, sources)}")
    return OwnWork(read_files(name, files, spec, notes), own.origin)


def has_sources(folder: Path, spec: Spec) -> bool:
    """Return whether a folder or an archive holds a source of the lab."""
    try:
        sources = read_own(folder, spec).submission.sources.values()
    except GraderError:
        return False
    return any(isinstance(source, Source) for source in sources)


def has_misnamed_sources(folder: Path, spec: Spec) -> bool:
    """Return whether a folder has a file that differs from a source of the lab in suffix or case, or looks alike."""
    stems = {Path(source).stem.lower() for source in spec.sources}
    try:
        names = [file.name for file in folder.iterdir()]
    except OSError:
        # It is an archive, or it cannot be read, which is reported when the submission is read.
        return False
    return any(Path(name).stem.lower() in stems for name in names) or any(
        look_alike(source, names) for source in spec.sources
    )


def folders_of(folder: Path, spec: Spec) -> frozenset[Path]:
    """Return the folder, and the folders below it that hold its sources."""
    try:
        chosen = choose([Bundle(walk(str(folder), spec.sources)[0])], spec.sources).files
    except GraderError:
        return frozenset([folder])
    return frozenset([folder, *((folder / file.path).parent for file in chosen.values())])


def _missing_words(bundle: Bundle, sources: list[str]) -> str:
    if not bundle.files:
        return f" {listed(sources)} should be in it"
    return "".join(f"\n  {missing(source, [bundle], sources)}" for source in sources)


def own_sandbox(choice: SandboxChoice, notify: Notify) -> Sandbox:
    """Return the sandbox for your own programs; `auto` is the local one, or Docker if that is not available.

    A stranger's programs would need a container; your own do not.

    Raises:
        EngineUnavailableError: the chosen sandbox is not available, or with `auto` none is.
    """
    if choice != "auto":
        return choose_sandbox(choice, notify)
    try:
        return local_sandbox()
    except EngineUnavailableError as no_local:
        try:
            sandbox = choose_sandbox("docker", notify)
        except EngineUnavailableError as no_docker:
            raise EngineUnavailableError(f"{no_local}\nNor with Docker: {no_docker}") from no_docker
        if sys.platform == "linux":
            # Elsewhere it is the usual way.
            notify(f"{no_local}\nSo your programs run in containers.")
        return sandbox


class OwnGrader:
    """Grades your own work, any number of times; the reference is prepared once, before the first."""

    def __init__(self, spec: Spec, files: LabFiles, sandbox: Sandbox, notify: Notify, *, quick: bool = False) -> None:
        self.spec = quick_form(spec) if quick else spec
        full_size_spec = spec if quick and looks_the_same(spec) else None
        self._config = RunConfig(self.spec, files, full_size_spec=full_size_spec, secret=own_secret())
        self._sandbox = sandbox
        self._notify = notify
        self._quick = quick
        self._grading: GradingContext | None = None

    def grade(self, submission: Submission, options: GradeOptions) -> Report:
        """Grade a submission in this thread; a fault of ours, or of the reference, gives a report NOT GRADED.

        Raises:
            UsageError: the lab's spec and its reference contradict each other.
        """
        return self.own_form(self._graded(submission, options))

    def interrupt(self) -> None:
        """End what runs, from another thread."""
        self._sandbox.interrupt()

    def own_form(self, report: Report) -> Report:
        """Return the report with what it says of its own inputs."""
        return report.model_copy(update={"quick": True, "notes": (NOTE, *report.notes)}) if self._quick else report

    def _graded(self, submission: Submission, options: GradeOptions) -> Report:
        try:
            grading = self._grading = self._grading or prepare(self._config, self._sandbox, self._notify)
        except UsageError:
            raise
        except GraderError as error:
            return not_graded(self.spec, submission, environment_of(self._sandbox), str(error))
        if self._quick:
            # Side by side: nobody reads the times of cut inputs, but somebody waits. Without isolation, a program
            # could fail the other one, but no more than its explanation.
            slots = tuple(range(min(self._sandbox.cpus, len(self.spec.programs))))
            is_isolated = self._sandbox.isolation != "none"
            options = replace(
                options, stops_early=True, slots=slots if is_isolated else options.slots, copy_slots=slots
            )
        return grade_safely(grading, submission, options).report


def outcome(report: Report) -> OwnResult:
    """Return the outcome of a check, from which the exit status follows.

    `unjudged`: nothing failed, but a check worth points was skipped. Only this machine can be the reason: if a
    program is the reason, another check failed.
    """
    if report.status == "not_graded":
        return "not-graded"
    if any(check.status == "failed" for check in report.checks):
        return "failed"
    return "unjudged" if unjudged(report) else "passed"


def unjudged(report: Report) -> tuple[Check, ...]:
    """Return the selected checks that were skipped and are worth points."""
    return tuple(
        check
        for check in report.checks
        if check.status == "skipped" and check.max_points and (not report.only or check.id in report.only)
    )
