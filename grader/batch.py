"""Many submissions: each graded, its report written at once, and the pages over all of them at the end."""

from __future__ import annotations

import importlib
import logging
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass
from pathlib import Path
from queue import SimpleQueue
from types import ModuleType

from grader.errors import GraderError, UsageError
from grader.intake.folder import Found, read_submission
from grader.judge.verdict import not_graded
from grader.model.report import Report
from grader.model.submission import Submission
from grader.pipeline import Grading, grade
from grader.render.csv import grades_csv
from grader.render.files import write_atomic
from grader.render.json_report import report_json
from grader.sandbox.base import Progress

log = logging.getLogger(__name__)

INTERRUPT_AGAIN_S = 0.2
OUTPUTS, OUTPUT_SUFFIX = "outputs", ".output"
"""The folder beside a report with outputs that are not the reference's, by step."""

KEPT_BYTES = 24_000_000
"""Of one submission; four full-size outputs. A class of 300 must fit a disk."""

Watch = Callable[[str, Progress], None]
"""Gets a submission's name and what was just done of it; called from any thread."""


@dataclass(frozen=True)
class Output:
    """The folder that results go to."""

    folder: Path

    def prepare(self) -> None:
        """Make the folder and try it, before any work is done.

        Raises:
            UsageError: nothing can be written there.
        """
        try:
            self.folder.mkdir(parents=True, exist_ok=True)
            probe = self.folder / ".grader-was-here"
            probe.write_bytes(b"")
            probe.unlink()
        except OSError as error:
            raise UsageError(f"results cannot be written to {self.folder}: {error.strerror}") from error

    def forget_outputs(self, name: str) -> None:
        """Remove what a submission wrote when it was graded the last time."""
        folder = self.folder / name / OUTPUTS
        try:
            for path in folder.glob(f"*{OUTPUT_SUFFIX}"):
                path.unlink()
        except OSError as error:
            raise GraderError(f"cannot clear {folder}: {error.strerror}") from error

    def write_output(self, name: str, step: str, data: bytes) -> None:
        """Keep an output that is not the reference's, for whoever wants to look at more than the report shows."""
        folder = _made(_made(self.folder / name) / OUTPUTS)
        write_atomic(folder / f"{step}{OUTPUT_SUFFIX}", data)

    def write_report(self, report: Report) -> None:
        """Write report.json and report.html of one submission."""
        folder = _made(self.folder / report.submission.name)
        write_atomic(folder / "report.json", report_json(report))
        write_atomic(folder / "report.html", _pages().report_html(report))

    def write_overview(self, reports: Sequence[Report]) -> None:
        """Write index.html and grades.csv."""
        pairs = [(report.submission.name, report) for report in sorted(reports, key=lambda one: one.submission.name)]
        write_atomic(self.folder / "index.html", _pages().index_html(pairs))
        write_atomic(self.folder / "grades.csv", grades_csv(pairs))


def _made(folder: Path) -> Path:
    try:
        folder.mkdir(exist_ok=True)
    except OSError as error:
        raise GraderError(f"cannot make {folder}: {error.strerror}") from error
    return folder


def _pages() -> ModuleType:
    """Return the module that makes pages; it takes its time to start, so not before the first guest does."""
    return importlib.import_module("grader.render.html")


def grade_all(grading: Grading, found: Sequence[Found], output: Output, jobs: int, watch: Watch) -> Iterator[Report]:
    """Grade submissions, `jobs` at a time, and yield each report when it is written, in the order of finishing.

    Ending the iteration early, by Ctrl-C for instance, ends the guests at work; what was finished stays.
    """
    slots: SimpleQueue[int] = SimpleQueue()
    for slot in range(jobs):
        slots.put(slot)

    def work(one: Found) -> Report:
        slot = slots.get()
        try:
            # A single job needs no CPU of its own: slot 0 leaves it all of them.
            return _grade_one(grading, one, output, lambda event: watch(one.name, event), slot + 1 if jobs > 1 else 0)
        finally:
            slots.put(slot)

    pool = ThreadPoolExecutor(max_workers=jobs, thread_name_prefix="grade")
    futures: list[Future[Report]] = []
    finished: SimpleQueue[Future[Report]] = SimpleQueue()
    try:
        for one in found:
            futures.append(pool.submit(work, one))
            futures[-1].add_done_callback(finished.put)
        # Now there is time for it.
        _pages().prepare()
        for _ in futures:
            report = finished.get().result()
            output.write_report(report)
            yield report
    finally:
        # Nothing new is started; guests at work lose their connection and end, and so do the threads.
        pool.shutdown(wait=False, cancel_futures=True)
        # More than once, because a thread may be just about to start its guest.
        while running := [future for future in futures if not future.done()]:
            grading.sandbox.interrupt()
            wait(running, timeout=INTERRUPT_AGAIN_S)
        pool.shutdown(wait=True)


def _grade_one(
    grading: Grading, found: Found, output: Output, watch: Callable[[Progress], None], slot: int
) -> Report:
    submission = Submission(name=found.name, sources={})
    try:
        output.forget_outputs(found.name)
        submission = read_submission(found, grading.spec)
        kept_bytes = 0

        def keep(step: str, data: bytes) -> None:
            nonlocal kept_bytes
            kept_bytes += len(data)
            if kept_bytes > KEPT_BYTES:
                return
            try:
                output.write_output(found.name, step, data)
            except (GraderError, OSError) as error:
                # An extra: no reason not to grade.
                log.warning("an output of %s cannot be kept: %s", found.name, error)

        return grade(grading, submission, watch, keep=keep, slot=slot)
    except GraderError as error:
        return not_graded(grading.spec, submission, grading.circumstances, str(error))
    except Exception as error:
        # One submission that trips over a mistake of ours must not take the others' results with it.
        log.exception("grading %s failed", found.name)
        reason = f"the grader has a bug: {type(error).__name__}: {error}"
        return not_graded(grading.spec, submission, grading.circumstances, reason)
