"""Explain the failed checks of a submission when their verdicts are known: the steps, and their order."""

from __future__ import annotations

from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from dataclasses import dataclass

from grader.diagnose.behaviour.restrictions import with_restrictions, without_restricted
from grader.diagnose.behaviour.symptoms import with_lines, with_symptoms
from grader.diagnose.behaviour.traced_slice import programs_with_failing_calls
from grader.diagnose.bugs.causes import explain, needs_explaining, with_calls_of_causes, with_reasons
from grader.errors import GraderError
from grader.explain.change_search import ChangeSearch
from grader.explain.credit import Proofs, Repairs
from grader.explain.donor_search import RightPrograms
from grader.explain.exchanged_files import Pair, exchanged_programs, with_exchanged
from grader.explain.explaining import Explaining
from grader.explain.fix_completion import FixCompletion
from grader.explain.memory_check import FoundMistakes, MistakeSearch
from grader.explain.proof import Prover
from grader.explain.proof_sentences import ProofWriter
from grader.explain.related_lines import texts_of_programs, with_late_checks, with_related_lines
from grader.explain.restriction_search import Restrictions, RestrictionSearch
from grader.explain.second_run import SecondGuests
from grader.explain.source_search import SourceSearch
from grader.explain.trials import Trials
from grader.lab.source_files import source_files
from grader.model.evidence import Evidence
from grader.model.lab import Lab
from grader.model.mutant import KnownBugs
from grader.model.plan import Plan
from grader.model.report import Report
from grader.model.submission import Submission
from grader.options import GradeOptions
from grader.sandbox.base import Sandbox

_REFUSED = "what was refused"


@dataclass(frozen=True)
class Task:
    """A submission to explain, and the plans of its runs: of those that students see, and of hidden ones."""

    lab: Lab
    submission: Submission
    sandbox: Sandbox
    options: GradeOptions
    seen: Plan
    hidden: Plan


class Explanation:
    """Explains one submission: what failed, and why, where and how to fix it.

    No step may change a verdict, and no fault in one may lose it. Without `known_bugs`, reports name no causes.
    Pieces of `right_programs` may repair wrong ones.
    """

    def __init__(self, task: Task, known_bugs: Callable[[], KnownBugs] | None, right_programs: RightPrograms) -> None:
        lab, submission, options = task.lab, task.submission, task.options
        files = source_files(lab.spec, submission)
        self._task, self._known_bugs = task, known_bugs
        self._files = files
        self._steps = Explaining(submission.name, options.stop)
        self._guests = SecondGuests(task.sandbox, options.copy_slots or options.slots, [*lab.spec.programs])
        self._trials = Trials(lab, submission, files, self._guests, options)
        self._sources = SourceSearch(lab, submission)
        completion = FixCompletion(self._trials, self._sources)
        writer = ProofWriter(lab.spec, files, shows_fixes=options.with_fixes or lab.spec.students_see_fixes)
        self._restriction_search = RestrictionSearch(
            lab, source_files(lab.spec, submission, lab.provided), self._guests, self._trials, options.time_left
        )
        self._prover = Prover(completion, files, writer)
        self._mistake_search = MistakeSearch(lab, submission, self._guests, options)
        self._change_search = ChangeSearch(completion, files, writer, self._with_lines, right_programs)
        self._restrictions = Restrictions()
        self._exchanged: Pair | None = None
        self._proofs: Proofs | None = None
        self._repairs: Repairs | None = None
        self._mistakes: FoundMistakes | None = None

    def begin(self, report: Report, evidence: Evidence) -> None:
        """Look for fixes and lines of what has failed so far: only in runs that students see.

        This comes before hidden runs: no run that students see may find what these leave behind.
        """
        task = self._task
        self._find_restrictions(lambda: self._restriction_search.search(report, task.seen, evidence))
        report = self._with_causes(self._unrestricted(report), evidence)
        with closing(self._guests):
            self._find_exchanged(report)
            if self._exchanged:
                return
            self._find_proofs(report)
            report = self._with_proofs(report)
            self._mistakes = self._visible_mistakes(report)
            self._find_repairs(report)

    def explained(self, judged: Report, evidence: Evidence) -> Report:
        """Return the report with symptoms, causes, lines and fixes of what failed; its verdicts are final."""
        task, step, sources = self._task, self._steps.change, self._sources
        spec = task.lab.spec
        self._find_restrictions(
            lambda: self._restriction_search.search_last(judged, task.seen, task.hidden, evidence)
        )
        report = self._with_causes(self._unrestricted(judged), evidence)
        with closing(self._guests):
            if not task.hidden.builds:
                self._find_exchanged(report)
            pair = self._exchanged
            report = self._with_exchanged(report, pair) if pair else self._with_fixes(report)
        report = step("reasons", report, self._with_reasons)
        report = step("late checks", report, lambda before: with_late_checks(before, spec, sources))
        report = step("lines", report, self._with_lines)
        return self._with_restrictions(report, judged)

    def change(self, step: str, report: Report, work: Callable[[Report], Report]) -> Report:
        """Return the report as a further step changes it; unchanged if the step fails."""
        return self._steps.change(step, report, work)

    def concluded(self, judged: Report, report: Report) -> Report:
        """Return the report with notes on what the steps could not do; the judged one if a verdict has changed."""
        for program, reason in self._sources.given_up.items():
            self._steps.give_up(f"the source of {program}", reason)
        for program, reason in self._trials.given_up.items():
            self._steps.give_up(f"fixes of {program}", reason)
        for program, fault in self._sources.faults.items():
            self._steps.add_fault(f"the source of {program}", fault.strip().splitlines()[-1], fault)
        report = report.model_copy(update={"unsearched": self._sources.unsearched()})
        return self._steps.with_notes(self._steps.with_verdicts_of(judged, report))

    # --- what the grader itself may be the reason for is kept away from the other steps

    def _find_restrictions(self, search: Callable[[], Restrictions]) -> None:
        more, found = self._steps.attempt(_REFUSED, search, Restrictions()), self._restrictions
        self._restrictions = Restrictions((*found.found, *more.found), (*found.notes, *more.notes))

    def _unrestricted(self, report: Report) -> Report:
        found = self._restrictions.found
        return self._steps.change(_REFUSED, report, lambda before: without_restricted(before, found))

    def _with_restrictions(self, explained: Report, judged: Report) -> Report:
        """Return an explained report with the failures that were kept away from it; the judged one if that fails."""
        found = self._restrictions
        report = self._steps.attempt(
            _REFUSED, lambda: with_restrictions(explained, judged, found.found), judged, after_stop=True
        )
        return report.model_copy(update={"notes": (*report.notes, *found.notes)})

    # --- symptoms and causes

    def _with_causes(self, report: Report, evidence: Evidence) -> Report:
        lab, texts = self._task.lab, texts_of_programs(self._task.submission)
        report = self._steps.change("symptoms", report, lambda before: with_symptoms(before, evidence, lab, texts))
        return self._steps.change("causes", report, lambda before: self._explained_by_bugs(before, evidence))

    def _explained_by_bugs(self, report: Report, evidence: Evidence) -> Report:
        lab = self._task.lab
        if self._known_bugs is None or not needs_explaining(report):
            return report
        try:
            known = self._known_bugs()
            # Measured before guests with copies of the submission are there.
            lab.fresh_runs()
        except GraderError as error:
            note = f"the grader could not look for causes: {error}"
            return report.model_copy(update={"notes": (*report.notes, note)})
        failing_calls = programs_with_failing_calls(evidence, lab)
        return explain(lab.spec, report, evidence, known.signatures, known.mutants, failing_calls)

    def _with_lines(self, report: Report) -> Report:
        return with_related_lines(report, self._task.lab, self._task.submission, self._sources)

    def _with_reasons(self, report: Report) -> Report:
        if self._known_bugs is None or not report.causes:
            return report
        return with_reasons(report, self._known_bugs().mutants, self._sources.lines_of_causes())

    def _find_exchanged(self, report: Report) -> None:
        """See whether two files are exchanged, which explains everything."""
        self._exchanged = self._steps.attempt(
            "exchanged files",
            lambda: exchanged_programs(self._trials, self._files, report, self._task.seen),
            None,
        )

    def _with_exchanged(self, report: Report, pair: Pair) -> Report:
        spec = self._task.lab.spec
        return self._steps.change("exchanged files", report, lambda before: with_exchanged(before, spec, pair))

    # --- fixes, and mistakes in the use of memory; what was found before the hidden runs is not looked for again

    def _with_fixes(self, report: Report) -> Report:
        step, has_hidden = self._steps.change, bool(self._task.hidden.builds)
        self._find_proofs(report)
        report = self._with_proofs(report)
        if self._mistakes is None and not has_hidden:
            self._mistakes = self._visible_mistakes(report)
        report = step("small changes", report, self._find_repairs(report).added_to)
        report = step("calls of causes", report, with_calls_of_causes)
        if self._mistakes is None and has_hidden:
            self._mistakes = self._hidden_mistakes(report)
        found = self._mistakes
        return report if found is None else step("memory errors", report, lambda it: with_lines(found.added_to(it)))

    def _find_proofs(self, report: Report) -> None:
        """Look for the causes of a report in the sources, and fix them; without causes, nothing is done."""
        if self._proofs is None:
            self._proofs = self._steps.attempt("proofs of causes", lambda: self._prove(report), Proofs())

    def _prove(self, report: Report) -> Proofs:
        if self._known_bugs is None or not report.causes:
            return Proofs()
        patterns = {mutant.name: mutant.pattern for mutant in self._known_bugs().mutants if mutant.pattern}
        return self._prover.prove(report, self._task.seen, patterns)

    def _with_proofs(self, report: Report) -> Report:
        proofs = self._proofs or Proofs()
        return self._steps.change("proofs of causes", report, proofs.added_to)

    def _find_repairs(self, report: Report) -> Repairs:
        """Look for small changes that repair what no fix of a known bug does."""
        if self._repairs is None:
            self._repairs = self._steps.attempt("small changes", lambda: self._repair(report), Repairs())
        return self._repairs

    def _repair(self, report: Report) -> Repairs:
        if self._known_bugs is None:
            return Repairs()
        unsound = (self._mistakes or FoundMistakes()).unsound(report)
        return self._change_search.search(report, self._task.seen, unsound)

    def _visible_mistakes(self, report: Report) -> FoundMistakes | None:
        return self._steps.attempt("memory errors", lambda: self._look_for_mistakes(report), None)

    def _look_for_mistakes(self, report: Report) -> FoundMistakes | None:
        """Look for memory errors. Meanwhile the sources are parsed, which takes 0.3 s."""
        if self._known_bugs is None:
            return self._mistake_search.look(report, self._task.seen)
        with ThreadPoolExecutor(1) as thread:
            parsed = thread.submit(self._sources.prefetch, report)
            found = self._mistake_search.look(report, self._task.seen)
            # What went wrong is raised again where lines or changes are asked for.
            parsed.exception()
        return found

    def _hidden_mistakes(self, report: Report) -> FoundMistakes | None:
        self._guests.close()
        return self._steps.attempt(
            "memory errors of hidden runs",
            lambda: self._mistake_search.look_hidden(report, self._task.seen, self._task.hidden),
            None,
        )
