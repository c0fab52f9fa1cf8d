"""Apply another version of the lab to kept results; only what it changes in verdicts is run (decision 0071)."""

from __future__ import annotations

import signal
from collections.abc import Generator, Iterable, Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property
from typing import Literal

from pydantic import ValidationError

from grader.batch.batch import NOT_YET, Batch, FinishedGrading, PendingSubmission
from grader.batch.cpus import cpu_count
from grader.batch.found_again import find_again
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_row import Row
from grader.batch.lab_changes import LabChanges, compare
from grader.batch.output_folder import OutputFolder
from grader.batch.rescored_report import NeedsRun, merged, rescored, without_runs
from grader.batch.result_key import RunRecord, lab_record
from grader.batch.workers import Backend, Watch, WorkerPool
from grader.course.grades import used_files, with_grade
from grader.course.rules import NO_RULES, Rules
from grader.errors import GraderError, SpecError, UnwritableError, UsageError
from grader.grading.pipeline import GradedSubmission
from grader.grading.plan_builder import StraceMode
from grader.intake.reading import NOTHING_USED, DiscoveredSubmission, read_submission, template_of
from grader.lab.find import LabFiles, load_lab, require_apart
from grader.lab.mutants import mutants_of
from grader.model.gradebook import Entry
from grader.model.mutant import Mutant
from grader.model.report import Report, without_evidence
from grader.model.spec.lab import Spec

ROWS_AT_ONCE = 16
"""Rows that a process gets at a time; they become durable together."""

ALONE_ROWS = 24
"""Number of rows that one process does before others would have started."""

Kind = Literal["current", "not-graded", "rescored", "to-run", "left"]


@dataclass(frozen=True)
class RescoreOutcome:
    """What happens to a result.

    `current`: it is of this version already. `rescored`: without a run. `to-run`: programs must be run for these
    `reasons`, for these `checks` or for all (None). `left`: it stays as it was, and `reasons` say why. `points` says
    how checks changed: their id, the points before and those after.
    """

    name: str
    kind: Kind
    before: float | None = None
    after: float | None = None
    points: tuple[tuple[str, float, float], ...] = ()
    checks: frozenset[str] | None = None
    reasons: tuple[str, ...] = ()


@dataclass(frozen=True)
class Version:
    """A version that results belong to: what changes, and the record of its results afterwards.

    Without `record`, which earlier graders did not keep, keys stay as they are; results that were rescored with such
    a version have its `lab_digest`.
    """

    changes: LabChanges
    spec_digest: str
    record: RunRecord | None = None
    after: RunRecord | None = None
    lab_digest: str = ""

    def key(self, row: Row, report: Report) -> str | None:
        """Return the key of a result of this version afterwards; None if it is not one."""
        if self.record is None or self.after is None:
            is_spec = not report.lab_digest and report.spec_digest == self.spec_digest
            return row.key if is_spec or (report.lab_digest and report.lab_digest == self.lab_digest) else None
        if report.lab_digest != self.record.lab_digest:
            return None
        return self.after.key_after(self.record, row.key, report.submission.digest, report.notes)


@dataclass(frozen=True)
class _Task:
    """What a process needs to rescore rows; without `folder`, nothing is written.

    Of the submissions in `reselected`, the course grades other files now.
    """

    versions: Sequence[Version]
    lab_digest: str
    mutants: Mapping[str, Mutant]
    rules: Rules
    folder: OutputFolder | None
    reselected: AbstractSet[str] = frozenset()

    def rescored(self, row: Row) -> tuple[RescoreOutcome, Row | None]:
        """Return what happens to a row, and its new content."""
        entry = row.entry()
        if not row.key or entry.report.status != "graded":
            return RescoreOutcome(row.name, "not-graded"), None
        if row.name in self.reselected:
            return RescoreOutcome(row.name, "to-run", entry.report.score, reasons=(RESELECTED,)), None
        if entry.report.lab_version == self.lab_digest:
            return RescoreOutcome(row.name, "current", entry.report.score, entry.report.score), None
        return self._with_score(row, entry)

    def _with_score(self, row: Row, entry: Entry) -> tuple[RescoreOutcome, Row | None]:
        report, before = row.report(), entry.report.score
        version, key = self.version_of(row, report)
        if version is None:
            return RescoreOutcome(row.name, "left", before, reasons=(UNKNOWN_VERSION,)), None
        result = rescored(report, version.changes, self.mutants)
        if isinstance(result, NeedsRun):
            return RescoreOutcome(row.name, "to-run", before, checks=result.checks, reasons=result.reasons), None
        outcome = RescoreOutcome(row.name, "rescored", before, result.score, _points(report, result))
        if self.folder is not None:
            try:
                # Other attempts may decide about the grade; if so, the report is written again at the end.
                self.folder.write_report(with_grade(entry, self.rules, result))
            except UnwritableError as error:
                return RescoreOutcome(row.name, "left", before, reasons=(str(error),)), None
        return outcome, new_row(entry, key, result)

    def version_of(self, row: Row, report: Report) -> tuple[Version | None, str]:
        """Return the version of a row, and its key afterwards."""
        for version in self.versions:
            key = version.key(row, report)
            if key is not None:
                return version, key
        return None, ""


UNKNOWN_VERSION = (
    "the gradebook does not have the version of the lab that it was graded with, as an earlier grader wrote it; "
    "give that version with --from, or grade again"
)


RESELECTED = "the overrides of the course choose other files of it than when it was graded"


def new_row(entry: Entry, key: str, report: Report) -> Row:
    """Return the row of an entry with another report; everything else stays as it was."""
    before = entry.report.score
    update = {"report": without_evidence(report), "earlier_score": None if before == report.score else before}
    return Row.of(entry.model_copy(update=update), key, report)


def _points(before: Report, after: Report) -> tuple[tuple[str, float, float], ...]:
    old = {check.id: check.points for check in before.checks}
    new = {check.id: check.points for check in after.checks}
    return tuple(
        (check, old.get(check, 0.0), new.get(check, 0.0))
        for check in dict.fromkeys([*new, *old])
        if old.get(check, 0.0) != new.get(check, 0.0)
    )


@dataclass
class Rescoring:
    """The rescoring of one class; `outcomes` by name, as far as it has come."""

    book: Gradebook
    folder: OutputFolder
    spec: Spec
    files: LabFiles
    rules: Rules = NO_RULES
    old_lab: str = ""
    outcomes: dict[str, RescoreOutcome] = field(default_factory=dict)

    def __post_init__(self) -> None:
        """Compare the versions of all results with the new one.

        Raises:
            UsageError: the version that somebody gave is not that of any result.
        """
        self.record = lab_record(self.spec, self.files)
        self.entries = self.book.entries()
        self.versions = list(self._versions())

    def _versions(self) -> Iterator[Version]:
        present = {entry.report.lab_version for entry in self.entries}
        for known in self.book.runs():
            if known.lab_digest == self.record.lab_digest or known.lab_digest not in present:
                continue
            try:
                old = Spec.model_validate_json(known.spec)
            except ValidationError:
                # An earlier grader had other keys.
                continue
            own = {"code": known.code, "runner": known.runner, "strace": known.strace, "machine": known.machine}
            changes = compare(known, old, self.record, self.spec)
            yield Version(changes, known.spec_digest, known, self.record.model_copy(update=own))
        if self.old_lab:
            spec, files = load_lab(self.old_lab)
            if not any(entry.report.spec_digest == spec.digest() for entry in self.entries):
                raise UsageError(f"--from {self.old_lab}: no result belongs to this version of the lab")
            given = lab_record(spec, files)
            changes = compare(given, spec, self.record, self.spec)
            yield Version(changes, spec.digest(), lab_digest=given.lab_digest)

    def without_runs(self, *, dry_run: bool) -> Generator[RescoreOutcome, None, None]:
        """Rescore everything that needs no run, and yield what happens to each result.

        With `dry_run`, nothing is written. Ending the iteration early keeps what was done.

        Raises:
            GraderError: a result cannot be stored.
        """
        if not dry_run:
            # Before the first row, so that its version is known even if this ends early.
            for version in reversed(self.versions):
                if version.after is not None:
                    self.book.record_run(version.after)
        folder = None if dry_run else self.folder
        task = _Task(self.versions, self.record.lab_digest, self._mutants(), self.rules, folder, self._reselected)
        for results in _in_processes(task, list(self.book.rows())):
            if not dry_run:
                self.book.replace(row for _, row in results if row is not None)
            for outcome, _ in results:
                self.outcomes[outcome.name] = outcome
                yield outcome

    def _mutants(self) -> dict[str, Mutant]:
        """Return the known bugs by name.

        If they do not fit the new spec, they are read as they fit the last one: causes that reports have stay.
        """
        if not any(entry.report.causes for entry in self.entries):
            return {}
        try:
            found = mutants_of(self.spec, self.files)
        except SpecError:
            if not self.versions:
                raise
            found = mutants_of(self.versions[0].changes.old, self.files)
        return {mutant.name: mutant for mutant in found}

    @property
    def strace(self) -> StraceMode:
        """How full-size runs were traced in the last run of an earlier version."""
        return next((version.record.strace for version in self.versions if version.record is not None), "slice")

    @property
    def to_run(self) -> list[RescoreOutcome]:
        """The results that need programs to be run."""
        return [outcome for outcome in self.outcomes.values() if outcome.kind == "to-run"]

    def run(self, backend: Backend, watch: Watch) -> Generator[RescoreOutcome, None, None]:
        """Run what has to be run, and yield what happens to each of these results.

        Raises:
            UsageError: a part of the lab is among the submissions.
            GraderError: a result cannot be stored.
        """
        rows, found = {row.name: row for row in self.book.rows()}, find_again(self.book, self.spec)
        require_apart(self.files, (copy.path for copies in found.values() for copy in copies))
        self.book.record_run(backend.keys.record)
        whole: list[PendingSubmission] = []
        some: list[tuple[PendingSubmission, frozenset[str]]] = []
        for outcome in self.to_run:
            row = rows[outcome.name]
            pending = self._pending(row, found.get(row.name, ()), backend)
            if pending is None:
                yield self._done(
                    RescoreOutcome(row.name, "left", outcome.before, reasons=(self._why_not_found(row),))
                )
            elif outcome.checks is None or not self._fits(row, backend):
                whole.append(pending)
            else:
                some.append((pending, outcome.checks))
        if not (whole or some):
            return
        workers = backend.start(len(whole) + len(some), watch)
        try:
            for pending, graded in _judged_again(workers, some):
                done = self._merged(rows[pending.found.name], graded, backend)
                if done is None:
                    whole.append(pending)
                else:
                    yield self._done(done)
            batch = Batch(
                self.spec,
                backend.environment,
                backend.keys,
                self.book,
                self.folder,
                self.book.previous(),
                rules=self.rules,
            )
            for finished in batch.grade(workers, whole, meanwhile=lambda: None):
                yield self._done(_outcome_of(finished, rows[finished.entry.name].report()))
        finally:
            workers.stop()
            workers.executor.shutdown(wait=True, cancel_futures=True)

    def _done(self, outcome: RescoreOutcome) -> RescoreOutcome:
        self.outcomes[outcome.name] = outcome
        return outcome

    def _pending(self, row: Row, found: Iterable[DiscoveredSubmission], backend: Backend) -> PendingSubmission | None:
        """Return the submission of a row, None if its sources are no longer those of its result."""
        report, entry = row.report(), row.entry()
        version, _ = self._task().version_of(row, report)
        template = template_of(self.spec, self.files.template)
        for one in found:
            used_before = self._used_before.get(row.name, NOTHING_USED)
            try:
                old = read_submission(one, version.changes.old if version else self.spec, used_before)
                submission = read_submission(one, self.spec, self._used.get(row.name, NOTHING_USED), template)
            except GraderError:
                continue
            if old.digest() == report.submission.digest:
                own = replace(one, origin=entry.origin)
                return PendingSubmission(own, submission, backend.keys.accepted(submission))
        return None

    @staticmethod
    def _why_not_found(row: Row) -> str:
        path = row.entry().origin.path
        return f"its sources are no longer at {path} as they were graded; grade it again"

    def _fits(self, row: Row, backend: Backend) -> bool:
        """Return whether checks that are run now can be added to a report: the same grader, image and isolation."""
        report = row.report()
        version, _ = self._task().version_of(row, report)
        if version is None or version.record is None:
            return False
        old, now, here = version.record, backend.keys.record, backend.environment
        return (old.code, old.runner, old.strace, report.isolation, report.image_digest) == (
            now.code, now.runner, now.strace, here.isolation, here.image_digest
        )  # fmt: skip

    def _merged(self, row: Row, graded: GradedSubmission, backend: Backend) -> RescoreOutcome | None:
        """Store a result with the checks that were run again; None if everything must be run."""
        before = row.report()
        version, _ = self._task().version_of(row, before)
        if version is None or version.record is None:
            return None
        kept = without_runs(before, version.changes, self._mutants())
        report = merged(kept, graded.report, version.changes)
        key = backend.keys.record.key_after(version.record, row.key, before.submission.digest, before.notes)
        if report is None or key is None:
            return None
        try:
            self.folder.write_report(with_grade(row.entry(), self.rules, report))
        except UnwritableError as error:
            return RescoreOutcome(row.name, "left", before.score, reasons=(str(error),))
        self.book.replace([new_row(row.entry(), key, report)])
        return RescoreOutcome(row.name, "rescored", before.score, report.score, _points(before, report))

    @cached_property
    def _used(self) -> Mapping[str, Mapping[str, str]]:
        """The files that overrides of the course choose, by submission."""
        return used_files(self.entries, self.rules)

    @cached_property
    def _used_before(self) -> Mapping[str, Mapping[str, str]]:
        """The files that the overrides of the last run chose."""
        return used_files(self.entries, self.book.rules())

    @cached_property
    def _reselected(self) -> frozenset[str]:
        names = self._used.keys() | self._used_before.keys()
        return frozenset(name for name in names if self._used.get(name) != self._used_before.get(name))

    def _task(self) -> _Task:
        return _Task(self.versions, self.record.lab_digest, {}, self.rules, None)

    def confirm_unchanged(self) -> None:
        """Take off the note that a newer hand-in waits, where there is none: only the lab had changed.

        Raises:
            GraderError: the gradebook cannot be read or written.
        """
        if not any(entry.last_error == NOT_YET for entry in self.entries):
            return
        waiting = [
            entry
            for entry in self.book.entries()
            if entry.last_error == NOT_YET and entry.report.lab_version == self.record.lab_digest
        ]
        found = find_again(self.book, self.spec) if waiting else {}
        for entry in waiting:
            for one in found.get(entry.name, ()):
                try:
                    digest = read_submission(one, self.spec, self._used.get(one.name, NOTHING_USED)).digest()
                except GraderError:
                    continue
                if digest == entry.report.submission.digest:
                    self.book.confirm(entry.name, entry.origin)


def _judged_again(
    workers: WorkerPool, some: Sequence[tuple[PendingSubmission, frozenset[str]]]
) -> Iterator[tuple[PendingSubmission, GradedSubmission]]:
    """Judge some checks of each submission again, and yield the results in the order of the submissions."""
    judge = workers.judge_again
    if judge is None:
        raise GraderError("these workers cannot run single checks")
    futures = [workers.executor.submit(judge, pending.submission, checks) for pending, checks in some]
    for (pending, _), future in zip(some, futures, strict=True):
        yield pending, future.result()


def _outcome_of(finished: FinishedGrading, before: Report) -> RescoreOutcome:
    report, name = finished.report, finished.entry.name
    if report.status != "graded":
        return RescoreOutcome(name, "left", before.score, reasons=(report.reason,))
    return RescoreOutcome(name, "rescored", before.score, report.score, _points(before, report))


def _in_processes(task: _Task, rows: Sequence[Row]) -> Iterator[list[tuple[RescoreOutcome, Row | None]]]:
    """Yield the results of rows, some at a time, from as many processes as there are processors."""
    chunks = [rows[start : start + ROWS_AT_ONCE] for start in range(0, len(rows), ROWS_AT_ONCE)]
    processes = min(len(chunks), cpu_count())
    if processes <= 1 or len(rows) <= ALONE_ROWS:
        for chunk in chunks:
            yield [task.rescored(row) for row in chunk]
        return
    if task.folder is not None:
        # Imported here, so that processes that are forked have it.
        from grader.render.html.pages import compile_templates  # noqa: PLC0415

        compile_templates(class_page=False)
    executor = ProcessPoolExecutor(processes, initializer=_begin, initargs=(task,))
    try:
        yield from executor.map(_rescore_rows, chunks)
    finally:
        executor.shutdown(wait=True, cancel_futures=True)


_tasks: list[_Task] = []
"""The task of this process, set when it begins."""


def _begin(task: _Task) -> None:
    # Ctrl-C reaches all processes of a terminal; the first of them ends the others.
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    _tasks[:] = [task]


def _rescore_rows(rows: Sequence[Row]) -> list[tuple[RescoreOutcome, Row | None]]:
    return [_tasks[0].rescored(row) for row in rows]
