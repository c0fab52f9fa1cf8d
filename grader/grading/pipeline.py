"""Grade one submission: from its sources to its report."""

from __future__ import annotations

import logging
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass, field, replace

from grader.diagnose.explain import explain, needs_explaining, with_calls_of_causes, with_reasons
from grader.diagnose.restrictions import with_restrictions, without_restricted
from grader.diagnose.symptoms import with_lines, with_symptoms
from grader.diagnose.traced_slice import programs_with_failing_calls
from grader.errors import GraderError, SandboxError
from grader.grading.change_search import ChangeSearch
from grader.grading.credit import Proofs, Repairs
from grader.grading.donor_search import RightPrograms, no_programs
from grader.grading.explaining import Explaining
from grader.grading.fix_completion import FixCompletion
from grader.grading.incremental import IncrementalJudge
from grader.grading.known_bugs import LazyKnownBugs
from grader.grading.memory_check import FoundMistakes, MistakeSearch
from grader.grading.notebook import with_notebook
from grader.grading.options import DEFAULT_OPTIONS, GradeOptions, environment_of
from grader.grading.plan_builder import (
    StraceMode,
    build_plan,
    by_program,
    source_files,
    split_hidden,
    stopping_early,
)
from grader.grading.proof import Prover
from grader.grading.proof_sentences import ProofWriter
from grader.grading.related_lines import with_late_checks, with_related_lines
from grader.grading.restriction_search import Restrictions, RestrictionSearch
from grader.grading.second_run import SecondGuests
from grader.grading.source_search import SourceSearch
from grader.grading.trials import Trials
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.plan import Plan
from grader.model.report import Report
from grader.model.submission import Submission
from grader.sandbox.base import Sandbox

log = logging.getLogger(__name__)

_REFUSED = "what was refused"

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
        log.exception("grading %s failed", submission.name)
        reason = f"the grader has a bug: {type(error).__name__}: {error}"
    return GradedSubmission(not_graded(grading.lab.spec, submission, grading.environment, reason))


def _grade(
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

    explaining = Explaining(submission.name, options.stop)
    lines = _line_search(replace(grading, lab=lab), submission, options, (seen, hidden), explaining)
    restricted = _RestrictedReport(explaining)

    try:
        first = 0
        for part in rounds:
            if first:
                # No run that is shown may find what a hidden run leaves behind.
                so_far = judging.report_so_far()
                restricted.look(so_far, lambda before: lines.restrictions.search(before, seen, judging.evidence))
                unexplained = restricted.mask(so_far)
                lines.search(_explained(grading, unexplained, judging.evidence, explaining))
            _run_together(run_share, range(first, first + len(part)))
            first += len(part)
    except SandboxError as error:
        return not_graded(lab.spec, submission, grading.environment, str(error))
    report = judging.report()
    options.observer.judged(report)
    # From here on the verdicts are complete, and nothing may change them.
    change, sources = explaining.change, lines.sources
    restricted.look(report, lambda before: lines.restrictions.search_last(before, seen, hidden, judging.evidence))
    explained = lines.added_to(_explained(grading, restricted.mask(report), judging.evidence, explaining))
    explained = change("reasons", explained, lambda before: _with_reasons(grading, before, sources))
    explained = change("late checks", explained, lambda before: with_late_checks(before, sources))
    explained = change("lines", explained, lambda before: with_related_lines(before, lab, submission, sources))
    explained = restricted.restore(explained, report)
    explained = change("the notebook", explained, lambda before: with_notebook(before, submission, lab.spec))
    for program, reason in sources.given_up.items():
        explaining.give_up(f"the source of {program}", reason)
    for program, reason in lines.trials.given_up.items():
        explaining.give_up(f"fixes of {program}", reason)
    for program, fault in sources.faults.items():
        explaining.add_fault(f"the source of {program}", fault.strip().splitlines()[-1], fault)
    explained = explained.model_copy(update={"unsearched": sources.unsearched()})
    return explaining.with_notes(explaining.with_verdicts_of(report, explained))


def _line_search(
    grading: GradingContext,
    submission: Submission,
    options: GradeOptions,
    plans: tuple[Plan, Plan],
    explaining: Explaining,
) -> _LineSearch:
    lab = grading.lab
    sources = source_files(lab.spec, submission)
    guests = SecondGuests(grading.sandbox, options.copy_slots or options.slots, [*lab.spec.programs])
    trials = Trials(lab, submission, sources, guests, options)
    search = SourceSearch(lab, submission)
    completion = FixCompletion(trials, search)
    writer = ProofWriter(lab.spec, sources, shows_fixes=options.with_fixes or lab.spec.students_see_fixes)
    files = source_files(lab.spec, submission, lab.makefile)
    return _LineSearch(
        RestrictionSearch(lab, files, guests, trials, options.time_left),
        Prover(completion, sources, writer),
        MistakeSearch(lab, submission, guests, options),
        ChangeSearch(completion, sources, writer, grading.right_programs),
        search,
        trials,
        guests,
        grading.known_bugs,
        explaining,
        *plans,
    )


def _run_together(run_share: Callable[[int], None], guests: range) -> None:
    """Run guests at the same time, and wait for the end of all of them."""
    if len(guests) == 1:
        run_share(guests[0])
    elif guests:
        with ThreadPoolExecutor(len(guests)) as threads:
            list(threads.map(run_share, guests))


class _RestrictedReport:
    """Keeps what the grader itself may be the reason for away from the steps that explain a report."""

    def __init__(self, explaining: Explaining) -> None:
        self._explaining = explaining
        self._found = Restrictions()

    def look(self, report: Report, search: Callable[[Report], Restrictions]) -> None:
        """Add what a search finds about a report."""
        more = self._explaining.attempt(_REFUSED, lambda: search(report), Restrictions())
        self._found = Restrictions((*self._found.found, *more.found), (*self._found.notes, *more.notes))

    def mask(self, report: Report) -> Report:
        """Return the report without the failures that the grader may be the reason for."""
        found = self._found.found
        return self._explaining.change(_REFUSED, report, lambda before: without_restricted(before, found))

    def restore(self, explained: Report, judged: Report) -> Report:
        """Return an explained report with the failures that `mask` has taken out; the judged one if that fails."""
        found = self._found
        restored = self._explaining.attempt(
            _REFUSED, lambda: with_restrictions(explained, judged, found.found), judged, after_stop=True
        )
        return restored.model_copy(update={"notes": (*restored.notes, *found.notes)})


@dataclass
class _LineSearch:
    """Looks for the lines of causes and of memory errors, by more runs of a submission whose plan is seen and hidden.

    What was found before the hidden runs, with `search`, is not looked for again.
    """

    restrictions: RestrictionSearch
    prover: Prover
    mistakes: MistakeSearch
    changes: ChangeSearch
    sources: SourceSearch
    trials: Trials
    guests: SecondGuests
    known_bugs: LazyKnownBugs | None
    explaining: Explaining
    seen: Plan
    hidden: Plan
    proofs: Proofs | None = None
    repairs: Repairs | None = None
    found_mistakes: FoundMistakes | None = None

    def search(self, report: Report) -> None:
        """Look for the lines of what failed in the runs that students see."""
        with closing(self.guests):
            self.proofs = self._prove(report)
            report = self._with_proofs(self.proofs, report)
            self.found_mistakes = self._look(report)
            self.repairs = self._repair(report)

    def added_to(self, report: Report) -> Report:
        """Return the final report with all lines."""
        with closing(self.guests):
            return self._added_to(report)

    def _added_to(self, report: Report) -> Report:
        if self.proofs is None:
            self.proofs = self._prove(report)
        report = self._with_proofs(self.proofs, report)
        if self.found_mistakes is None and not self.hidden.builds:
            self.found_mistakes = self._look(report)
        if self.repairs is None:
            self.repairs = self._repair(report)
        change = self.explaining.change
        report = change("small changes", report, self.repairs.added_to)
        report = change("calls of causes", report, with_calls_of_causes)
        if self.found_mistakes is None and self.hidden.builds:
            self.guests.close()
            self.found_mistakes = self.explaining.attempt(
                "memory errors of hidden runs",
                lambda: self.mistakes.look_hidden(report, self.seen, self.hidden),
                None,
            )
        found = self.found_mistakes
        return report if found is None else change("memory errors", report, lambda it: with_lines(found.added_to(it)))

    def _with_proofs(self, proofs: Proofs, report: Report) -> Report:
        return self.explaining.change("proofs of causes", report, proofs.added_to)

    def _look(self, report: Report) -> FoundMistakes | None:
        return self.explaining.attempt("memory errors", lambda: self._memory_errors(report), None)

    def _memory_errors(self, report: Report) -> FoundMistakes | None:
        """Look for memory errors. Meanwhile the sources are parsed, which takes 0.3 s."""
        if self.known_bugs is None:
            return self.mistakes.look(report, self.seen)
        with ThreadPoolExecutor(1) as thread:
            parsed = thread.submit(self.sources.prefetch, report)
            found = self.mistakes.look(report, self.seen)
            # What went wrong is raised again where lines or changes are asked for.
            parsed.exception()
        return found

    def _repair(self, report: Report) -> Repairs:
        """Look for small changes that repair what no fix of a known bug does."""
        if self.known_bugs is None:
            return Repairs()
        mistakes = self.found_mistakes or FoundMistakes()
        return self.explaining.attempt(
            "small changes",
            lambda: self.changes.search(report, self.seen, mistakes.unsound(report)),
            Repairs(),
        )

    def _prove(self, report: Report) -> Proofs:
        """Look for the causes of a report in the sources, and fix them; without causes, nothing is done."""
        if self.known_bugs is None or not report.causes:
            return Proofs()
        patterns = {mutant.name: mutant.pattern for mutant in self.known_bugs.get().mutants if mutant.pattern}
        return self.explaining.attempt(
            "proofs of causes", lambda: self.prover.prove(report, self.seen, patterns), Proofs()
        )


def _explained(grading: GradingContext, report: Report, evidence: Evidence, explaining: Explaining) -> Report:
    """Describe failures and name their causes; if that fails, a note says so and the verdicts remain valid."""
    lab = grading.lab
    report = explaining.change("symptoms", report, lambda before: with_symptoms(before, evidence, lab))
    return explaining.change("causes", report, lambda before: _with_causes(grading, before, evidence))


def _with_reasons(grading: GradingContext, report: Report, sources: SourceSearch) -> Report:
    if grading.known_bugs is None or not report.causes:
        return report
    return with_reasons(report, grading.known_bugs.get().mutants, sources.lines_of_causes())


def _with_causes(grading: GradingContext, report: Report, evidence: Evidence) -> Report:
    lab = grading.lab
    if grading.known_bugs is None or not needs_explaining(grading.lab.spec, report):
        return report
    try:
        known = grading.known_bugs.get()
        # Measured before guests with copies of the submission are there.
        lab.fresh_runs()
    except GraderError as error:
        note = f"the grader could not look for causes: {error}"
        return report.model_copy(update={"notes": (*report.notes, note)})
    failing_calls = programs_with_failing_calls(evidence, lab)
    return explain(lab.spec, report, evidence, known.signatures, known.mutants, failing_calls)
