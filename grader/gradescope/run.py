"""One submission on Gradescope: from its folder to results.json, whatever happens on the way."""

from __future__ import annotations

import logging
import os
from collections.abc import Callable, MutableMapping
from contextlib import closing

from grader.atomic_write import write_atomic
from grader.errors import NO_MEMORY, GraderError, lacks_memory
from grader.gradescope.bundle.autograder import secret_of
from grader.gradescope.directories import AutograderDirs, close_machine, scratch_folder
from grader.gradescope.results.results_json import begun_results, fault_results, limit_results, results_of
from grader.gradescope.schema import ResultsJson
from grader.gradescope.submission_metadata import SubmissionMetadata, read_metadata
from grader.gradescope.time_out import LEAST_S, TimeOut
from grader.grading.pipeline import grade
from grader.grading.setup import RunConfig, prepare
from grader.intake.reading import NOTHING_USED, DiscoveredSubmission, read_submission, template_of
from grader.lab.find import LabFiles
from grader.messages import Notify
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.options import GradeOptions, Observer, TimeLeft
from grader.render.views.visible_checks import reason_for_students
from grader.sandbox.local import ON_A_MACHINE, HostEnvironment, LocalSandbox

log = logging.getLogger(__name__)

LONGER = "your instructor can set a longer one in the assignment's autograder settings"

KEPT_VARIABLES = frozenset(["PATH", "HOME", "LC_ALL", "TMPDIR", "XDG_CACHE_HOME"])
"""All others are removed before the submission is read, because some hold addresses of submissions."""


class GradescopeRun(Observer):
    """A run of `grader gradescope run`, which grades one submission."""

    def __init__(  # noqa: PLR0913 - what a run depends on
        self,
        dirs: AutograderDirs,
        spec: Spec,
        files: LabFiles,
        time_out: TimeOut,
        notify: Notify,
        *,
        owns_container: bool,
    ) -> None:
        """Take lines for the instructor to `notify`.

        `owns_container`: this is a container that is thrown away afterwards, so all of it may be closed to students.
        """
        self.dirs = dirs
        self.spec = spec
        self.files = files
        self.time_out = time_out
        self.notify = notify
        self.owns_container = owns_container
        self._metadata = SubmissionMetadata()
        self._published = False

    def run(self) -> bool:
        """Grade the submission; return False if that was not possible because of a fault of ours.

        results.json exists from the start, and it is complete at every moment.

        Raises:
            GraderError: results.json cannot be written.
        """
        self.dirs.results.parent.mkdir(exist_ok=True)
        self._put(begun_results())
        try:
            scrub(os.environ)
            self.dirs.close()
            if self.owns_container:
                close_machine()
            self._metadata = read_metadata(self.dirs.metadata)
            self._put(begun_results(self._metadata))
            if self._metadata.problem:
                self.notify(self._metadata.problem)
            limited = limit_results(self.spec, self._metadata, execution_time_s=self.time_out.elapsed_s)
            if limited is not None:
                self._put(limited)
                return True
            report = self._grade()
            self._put_report(report)
        except GraderError as error:
            reason = str(error)
        except Exception as error:
            if lacks_memory(error):
                reason = NO_MEMORY
            else:
                log.exception("this is a bug in the grader")
                reason = f"the grader has a bug: {type(error).__name__}"
        else:
            self.notify(report.reason or f"{report.score:g} of {report.max_score:g}")
            return report.status == "graded"
        self.notify(reason)
        shown = reason_for_students(reason, self.spec)
        self._put(fault_results(shown, self._metadata, execution_time_s=self.time_out.elapsed_s))
        return False

    def time_is_up(self) -> None:
        """Write a fault if nothing was published about the submission yet; otherwise leave the last results."""
        reason = f"the time-out of {self.time_out.timeout_s:g} s was reached before grading had ended"
        self.notify(reason)
        if not self._published:
            self._put(fault_results(f"{reason}; {LONGER}", self._metadata, execution_time_s=self.time_out.elapsed_s))

    def _grade(self) -> Report:
        names = [person.name or person.email for person in self._metadata.people]
        found = DiscoveredSubmission(", ".join(filter(None, names)) or "submission", self.dirs.submission)
        template = template_of(self.spec, self.files.template)
        submission = read_submission(found, self.spec, NOTHING_USED, template)
        host = ON_A_MACHINE
        if self.owns_container:
            host = HostEnvironment(in_container=True, scratch=scratch_folder())
        with closing(LocalSandbox(host)) as sandbox:
            config = RunConfig(self.spec, self.files, "local", secret=secret_of(self.files))
            grading = prepare(config, sandbox, self.notify)
            left_s = self.time_out.for_programs_s
            if left_s < LEAST_S:
                raise GraderError(f"a time-out of {self.time_out.timeout_s:g} s is too short to grade; {LONGER}")

            return grade(grading, submission, GradeOptions(self, time_left=TimeLeft(left_s)))

    def report_updated(self, make_report: Callable[[], Report]) -> None:
        """Show the student what is known so far, in case the platform's time-out is reached."""
        self._put_report(make_report(), running=True)
        self._published = True

    def judged(self, report: Report) -> None:
        """Write the verdicts before the causes are looked for."""
        self._put_report(report)
        self._published = True

    def _put_report(self, report: Report, *, running: bool = False) -> None:
        elapsed_s = self.time_out.elapsed_s
        self._put(results_of(report, self.spec, self._metadata, execution_time_s=elapsed_s, running=running))

    def _put(self, results: ResultsJson) -> None:
        write_atomic(self.dirs.results, results.to_json())


def put_fault(dirs: AutograderDirs, reason: str) -> None:
    """Write that grading could not start because of a fault of ours.

    Raises:
        GraderError: results.json cannot be written.
    """
    dirs.results.parent.mkdir(exist_ok=True)
    write_atomic(dirs.results, fault_results(reason, SubmissionMetadata(), execution_time_s=0.0).to_json())


def scrub(environment: MutableMapping[str, str]) -> None:
    """Remove all variables that the grader does not need."""
    for name in [*environment]:
        if name not in KEPT_VARIABLES:
            del environment[name]
