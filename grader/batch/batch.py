"""A class: which of its submissions are graded in a run, and where each result goes."""

from __future__ import annotations

import logging
from collections.abc import Callable, Collection, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, wait
from dataclasses import dataclass, field, replace
from itertools import islice

from grader.batch.gradebook import Gradebook, PreviousResult
from grader.batch.output_folder import OutputFolder
from grader.batch.result_key import ResultKeys
from grader.batch.workers import WorkerPool
from grader.course.evidence import HandedIn
from grader.course.grades import FinalGrades, final_grades, used_files, with_grade
from grader.course.index import Index
from grader.course.people import class_list, entry_name, people_index
from grader.course.roster import Roster
from grader.course.rules import NO_RULES, Rules
from grader.errors import GraderError, NothingToGradeError, UnwritableError, UsageError
from grader.grading.pipeline import GradedSubmission
from grader.intake.reading import NO_TEMPLATE, NOTHING_USED, DiscoveredSubmission, read_submission
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.model.counted import counted, listed_up_to
from grader.model.gradebook import Entry
from grader.model.letters import normalized
from grader.model.report import Report
from grader.model.spec.lab import Spec
from grader.model.submission import Source, Submission
from grader.model.visible import readable
from grader.render.views.commands import NO_COMMANDS, Commands
from grader.render.views.faults import fault_notes
from grader.render.views.lab_versions import LabVersion, lab_versions

log = logging.getLogger(__name__)

STOP_AGAIN_S = 0.2
STOPS = 50
"""Ten seconds, because guests may take some to clean up."""

NOT_YET = "grading ended before it was done; run the same command again, it goes on from there"

FAILED, NOT_GRADED = "failed", "not-graded"
"""Values of `--only` in addition to names."""

MAX_CANDIDATES = 8
"""Submissions to name that a word may mean."""


@dataclass(frozen=True)
class PendingSubmission:
    """A submission, read once: what is graded is what its keys were computed from, even if a file changes meanwhile.

    A result with one of `keys` is still valid for it. `problem` says why it cannot be read; then it has no keys.
    """

    found: DiscoveredSubmission
    submission: Submission
    keys: frozenset[str]
    problem: GraderError | None = None


@dataclass(frozen=True)
class Selection:
    """The submissions that a run grades, and those whose result is still valid; `--only` excludes all others.

    Only the first keep their sources in memory. `doubts` are those of all.
    """

    todo: Sequence[PendingSubmission]
    unchanged: Sequence[DiscoveredSubmission]
    doubts: Sequence[str] = ()


def select(
    submissions: Sequence[PendingSubmission],
    known: Mapping[str, PreviousResult],
    only: Sequence[str],
    *,
    again: bool,
    roster: Roster | None = None,
) -> Selection:
    """Choose what is graded: what `only` names; without it what is new or changed, or with `again` everything.

    Raises:
        UsageError: `only` names a submission that does not exist, or may mean several.
    """
    if only:
        found = [one.found for one in submissions]
        index = people_index(found, class_list(found, roster))
        names = sorted(one.name for one in found)
        only = [_named(word, names, index) for word in only]
        return Selection([one for one in submissions if _is_named(one, known.get(one.found.name), only)], [])
    todo, unchanged = [], []
    for one in submissions:
        before = known.get(one.found.name)
        if before is not None and before.key in one.keys and not again:
            unchanged.append(one.found)
        else:
            todo.append(one)
    return Selection(todo, unchanged)


def _named(word: str, names: Sequence[str], index: Index) -> str:
    """Return the name of the submission that a word of `--only` means, or the word itself if it means several kinds.

    It is the name of results, that of a student, a student's number or address, in the export or on the roster, or
    how just one name of results begins.

    Raises:
        UsageError: it means none, or may mean several.
    """
    if word in (FAILED, NOT_GRADED) or word in names:
        return word
    keys = index.find(word) if word else set()
    found = sorted(name for name in map(entry_name, keys) if name is not None)
    if keys and not found:
        raise UsageError(f"--only: {word!r} is on the roster, and has handed in nothing")
    start = normalized(word)
    found = found or [name for name in names if start and normalized(name).startswith(start)]
    if len(found) == 1:
        return found[0]
    if found:
        raise UsageError(f"--only: {word!r} may mean {listed_up_to(MAX_CANDIDATES, found)}; name one of them")
    close = index.close(word)
    meant = f" (did you mean {close!r}?)" if close else ""
    words = f"say the name of its results or how only that begins, a student's name, {FAILED} or {NOT_GRADED}"
    raise UsageError(f"--only: there is no submission {word!r}{meant}; {words}")


def _is_named(one: PendingSubmission, known: PreviousResult | None, only: Sequence[str]) -> bool:
    if one.found.name in only:
        return True
    ungraded = known is None or not known.key or bool(known.last_error)
    return (NOT_GRADED in only and ungraded) or (FAILED in only and known is not None and known.failed)


def replaced_paths(todo: Iterable[PendingSubmission], known: Mapping[str, PreviousResult]) -> list[tuple[str, str]]:
    """Return the old and the new path of each submission whose result is of another path and will be replaced.

    It may be the same student's submission, moved, or that of a student of the same name in another class. Names from
    a course system contain its numbers, so they are not ambiguous.
    """
    return [
        (before.origin.path, one.found.origin.path)
        for one in todo
        if one.found.origin.system is None
        and (before := known.get(one.found.name)) is not None
        and before.key
        and before.origin.path != one.found.origin.path
    ]


@dataclass(frozen=True)
class FinishedGrading:
    """A submission that was just graded: its report, its entry in the gradebook, and the score before."""

    report: Report
    entry: Entry
    score_before: float | None


@dataclass(frozen=True)
class Batch:
    """A class in one run; `known` are the results of earlier runs, by name. `commands` are for the class page.

    `template` has the sources that all students were given.
    """

    spec: Spec
    environment: GradingEnvironment
    keys: ResultKeys
    book: Gradebook
    folder: OutputFolder
    known: Mapping[str, PreviousResult]
    commands: Commands = NO_COMMANDS
    rules: Rules = NO_RULES
    template: Mapping[str, Source] = field(default_factory=lambda: NO_TEMPLATE)

    def select(self, found: Sequence[DiscoveredSubmission], only: Sequence[str], *, again: bool) -> Selection:
        """Read all submissions, choose which are graded, and add the new ones to the gradebook.

        Raises:
            UsageError: `only` names a submission that does not exist.
            GraderError: the gradebook cannot be written.
        """
        used = used_files(self._everybody(found), self.rules)
        submissions = [self._read(one, used.get(one.name, NOTHING_USED)) for one in found]
        # Before anything is kept: a command that names nobody must not change the rules or the version of the class.
        selection = select(submissions, self.known, only, again=again, roster=self.rules.roster)
        self.book.keep_rules(self.rules)
        self.book.record_run(self.keys.record)
        self.book.expect(
            (one.found.origin, self._not_yet(one.submission))
            for one in submissions
            if one.found.name not in self.known
        )
        for one in selection.unchanged:
            known = self.known[one.name]
            if known.last_error or known.origin != one.origin:
                self.book.confirm(one.name, one.origin)
        doubts = [f"{each.found.name}: {doubt}" for each in submissions for doubt in each.submission.doubts]
        return replace(selection, doubts=doubts)

    def _everybody(self, found: Sequence[DiscoveredSubmission]) -> list[HandedIn]:
        """Return the submissions of this run and those of earlier runs: rules may mean any of them."""
        here = {one.name for one in found}
        return [*found, *(entry for entry in self.book.entries() if entry.name not in here)]

    def _read(self, found: DiscoveredSubmission, use: Mapping[str, str]) -> PendingSubmission:
        try:
            submission = read_submission(found, self.spec, use, self.template)
        except GraderError as error:
            # Reported when it is its turn: it must not stop the others.
            return PendingSubmission(found, Submission(found.name, sources={}), frozenset(), error)
        return PendingSubmission(found, submission, self.keys.accepted(submission))

    def grade(
        self, workers: WorkerPool, todo: Iterable[PendingSubmission], *, meanwhile: Callable[[], None]
    ) -> Generator[FinishedGrading, None, None]:
        """Grade, and yield each result in the order of finishing, once it is durable.

        `meanwhile` is called when the first submissions run: it does what takes time and is needed for
        results only.

        Ending the iteration early, by Ctrl-C for instance, ends what runs. Finished results stay.

        Raises:
            GraderError: a result cannot be stored.
        """
        for one, graded in self._graded(workers, iter(todo), meanwhile):
            yield self._keep(one, graded)

    def _graded(
        self, workers: WorkerPool, todo: Iterator[PendingSubmission], meanwhile: Callable[[], None]
    ) -> Iterator[tuple[PendingSubmission, GradedSubmission]]:
        waiting: dict[Future[GradedSubmission], PendingSubmission] = {}
        try:
            while True:
                # One more than there are workers, so that no worker waits for this thread.
                for one in islice(todo, workers.max_parallel + 1 - len(waiting)):
                    waiting[self._start(workers, one)] = one
                if not waiting:
                    return
                meanwhile()
                ended = wait(waiting, return_when=FIRST_COMPLETED).done
                for future in [future for future in waiting if future in ended]:
                    one = waiting.pop(future)
                    yield one, self._result(future, one.submission)
        finally:
            _end(workers, waiting)

    def _start(self, workers: WorkerPool, one: PendingSubmission) -> Future[GradedSubmission]:
        failed: Future[GradedSubmission] = Future()
        if one.problem is not None:
            failed.set_exception(one.problem)
            return failed
        try:
            # Programs may run for minutes, so nothing is started whose result could not be stored.
            self.folder.make_folder(one.found.name)
        except GraderError as error:
            failed.set_exception(error)
            return failed
        return workers.executor.submit(workers.work, one.submission)

    def _result(self, future: Future[GradedSubmission], submission: Submission) -> GradedSubmission:
        try:
            return future.result()
        except NothingToGradeError as error:
            return GradedSubmission(not_graded(self.spec, submission, self.environment, str(error), undecided=True))
        except GraderError as error:
            reason = str(error)
        except Exception as error:
            # For instance: a worker on another machine was lost again and again.
            log.exception("grading %s failed", submission.name)
            reason = f"the worker failed: {type(error).__name__}: {error}"
        return GradedSubmission(self._not_graded(submission, reason))

    def _not_graded(self, submission: Submission, reason: str) -> Report:
        return not_graded(self.spec, submission, self.environment, reason)

    def _not_yet(self, submission: Submission) -> Report:
        return not_graded(self.spec, submission, self.environment, NOT_YET, interrupted=True)

    def _keep(self, one: PendingSubmission, graded: GradedSubmission) -> FinishedGrading:
        before, report = self.known.get(one.found.name), graded.report
        # The report is written before the row, so that every row has its report.
        if report.status == "graded" or before is None or not before.key:
            report = self._written(one, graded)
        entry = self.book.put(one.found.origin, self._key(one, report, before), report)
        shown = with_grade(entry, self.rules, report)
        return FinishedGrading(shown, entry, before.score if before else None)

    def _written(self, one: PendingSubmission, graded: GradedSubmission) -> Report:
        """Write the files of a result, and return its report, or one that says why they could not be written.

        Raises:
            GraderError: the disk is full, so the others could not be written either.
        """
        submission = one.submission
        entry = Entry(name=submission.name, origin=one.found.origin, report=graded.report)
        try:
            self.folder.write_outputs(submission.name, graded.outputs)
            # Other attempts may decide about the grade; if so, the report is written again at the end.
            self.folder.write_report(with_grade(entry, self.rules, graded.report))
        except UnwritableError as error:
            return self._not_graded(submission, readable(str(error)))
        except GraderError:
            raise
        except Exception as error:
            # Whatever a submission printed, the others must get their reports.
            log.exception("no report of %s can be made", submission.name)
            return self._not_graded(
                submission, readable(f"its report cannot be made: {type(error).__name__}: {error}")
            )
        return graded.report

    def _key(self, one: PendingSubmission, report: Report, before: PreviousResult | None) -> str:
        submission = one.submission
        if report.status == "not_graded" and before is not None and before.key in one.keys:
            # The previous result is of the same content; see Gradebook.put.
            return before.key
        # The report's own notes, besides those of the intake, say what this machine lacked: an engine, a cause.
        complete = set(report.notes) <= set(submission.notes)
        return self.keys.portable(submission) if complete else self.keys.machine_bound(submission)

    def postpone(self, todo: Iterable[PendingSubmission]) -> None:
        """Mark the earlier results that are out of date: the run that should have replaced them was interrupted.

        Raises:
            GraderError: the gradebook cannot be read or written.
        """
        known = self.book.known(lambda _: None)
        for one in todo:
            now = known.get(one.found.name)
            if now is not None and now.key and now.key not in one.keys and not now.last_error:
                self.book.put(one.found.origin, "", self._not_yet(one.submission))

    def conclude(self) -> Conclusion:
        """Write the page and the tables of the class, and reports that are missing.

        Raises:
            GraderError: they cannot be written.
        """
        return conclude(self.book, self.folder, self.keys.record.lab_digest, self.commands, self.rules)


def conclude(book: Gradebook, folder: OutputFolder, current: str, commands: Commands, rules: Rules) -> Conclusion:
    """Write the page and the tables of a class, and reports that are missing; `current` is the lab's version.

    Raises:
        GraderError: they cannot be written.
    """
    entries, final = _final(book, rules)
    withheld = folder.write_class(entries, current=current, commands=commands, final=final)
    unwritten: dict[str, str] = {}
    for entry in entries:
        if not folder.has_report(entry.report) and (report := book.report(entry.name)):
            reason = _why_unwritten(folder, final.report(report))
            if reason and reason not in (entry.report.reason, entry.last_error):
                unwritten[entry.name] = reason
    return Conclusion(unwritten, lab_versions(entries, current), withheld, (*_notes(final), *fault_notes(entries)))


def _notes(final: FinalGrades) -> tuple[str, ...]:
    """Return what to say about the roster and the rules; the class page has the names."""
    known = final.known
    parts = [
        (known.missing, f"{counted(len(known.missing), 'student')} handed in nothing"),
        (known.unknown, f"{counted(len(known.unknown), 'submission')} of nobody on it"),
        (known.ambiguous, f"{counted(len(known.ambiguous), 'submission')} whose student is not certain"),
    ]
    words = [said for found, said in parts if found]
    return (*([f"roster: {', '.join(words)}"] if words else []), *final.notes)


def _final(book: Gradebook, rules: Rules) -> tuple[list[Entry], FinalGrades]:
    """Return the entries with their grades, and what else is known of the grades."""
    entries = book.entries()
    final = final_grades(entries, rules)
    return [final.entry(entry) for entry in entries], final


@dataclass(frozen=True)
class Conclusion:
    """How a run leaves the files of a class.

    `unwritten` says, by name, why a report is missing, unless its result says so itself. `versions` of the lab have
    scores; if there are several, the files `withheld` were not written. `notes` are about the roster and the
    course's rules.
    """

    unwritten: Mapping[str, str]
    versions: tuple[LabVersion, ...]
    withheld: tuple[str, ...]
    notes: tuple[str, ...] = ()

    @property
    def is_mixed(self) -> bool:
        """Whether the scores belong to several versions of the lab."""
        return len(self.versions) > 1


def render_all(book: Gradebook, folder: OutputFolder, *, mixed: bool = False) -> tuple[int, Conclusion]:
    """Make every file of an output folder again from its gradebook, and return the number of reports.

    With `mixed`, tables for course systems are written even if the scores belong to several versions of the lab.

    Raises:
        UnwritableError: a report was not written; all others were.
        GraderError: the gradebook cannot be read, or a file not written.
    """
    (entries, final), current = _final(book, book.rules()), book.current_version
    reasons = [_why_unwritten(folder, final.report(report)) for report in book.reports()]
    withheld = folder.write_class(entries, current=current, commands=book.commands(), mixed=mixed, final=final)
    if any(reasons):
        raise UnwritableError("\n".join(filter(None, reasons)))
    return len(reasons), Conclusion({}, lab_versions(entries, current), withheld, _notes(final))


def _why_unwritten(folder: OutputFolder, report: Report) -> str:
    """Write a report; return why it could not be written, empty if it was."""
    try:
        folder.write_report(report)
    except UnwritableError as error:
        return readable(str(error))
    return ""


def _end(workers: WorkerPool, waiting: Collection[Future[GradedSubmission]]) -> None:
    """Start nothing new, and end running work: its guests lose their connection, then its threads end."""
    for future in waiting:
        future.cancel()
    workers.executor.shutdown(wait=False)
    # Repeatedly, because a thread may be about to start its guest.
    for _ in range(STOPS):
        running = [future for future in waiting if not future.done()]
        if not running:
            workers.executor.shutdown(wait=True)
            return
        workers.stop()
        wait(running, timeout=STOP_AGAIN_S)
    # Whatever keeps a thread busy ends with the process, and a guest ends when its connection does.
    log.warning("%s did not end", counted(len(running), "submission"))
