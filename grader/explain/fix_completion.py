"""Complete a fix: find a small change that repairs what the fix leaves wrong, or breaks.

For example, once `c` is an int, a char of FROM above 0x7F is no longer equal to the byte that was read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace
from itertools import islice

from grader.diagnose.source.edits import TYPE, Edit, fixed
from grader.explain.change_trials import ChangeTrials, likeliest_first
from grader.explain.confirmation import Confirmation
from grader.explain.source_search import SourceSearch
from grader.explain.trials import Choice, FailingProgram, Fix, Trial, Trials
from grader.model.evidence import run_id
from grader.model.plan import RunStep

FINALISTS = 3
"""Changes that are compiled alone and run in all short cases, which takes 0.5 s of CPU time each."""


class FixCompletion:
    """Completes the fixes of one submission."""

    def __init__(self, trials: Trials, search: SourceSearch) -> None:
        self.trials = trials
        self.search = search
        self.confirmation = Confirmation(trials)

    def repair(self, failing: FailingProgram, fix: Fix, already: Collection[str], choice: Choice) -> Trial | None:
        """Return what came of a fix if it is a repair, perhaps completed; None if it is not.

        It must repair more than these checks, which an earlier fix repairs. Its last changes are `choice`.

        Raises:
            GraderError: no process can be started to look for changes.
        """
        (name,) = fix.places
        trial = self.trials.on_failed_then_all(failing, fix, already)
        if trial is None:
            return None
        trial = self._with_types(failing, trial, already, choice, name)
        is_more = frozenset(already) < frozenset(trial.passed)
        return trial if is_more and self.confirmation.accepts(failing, trial) else None

    def complete(
        self, failing: FailingProgram, trial: Trial, open_checks: Collection[str], name: str, *, is_last: bool = False
    ) -> Trial | None:
        """Return a fix with a change that repairs some of these checks of a program, None if there is no such change.

        The places of the change are added to those of the fix under `name`. If the fix has changed a type, the change
        is the last one, and it is enough that it sets right what became worse.

        Raises:
            GraderError: no process can be started to look for changes.
        """
        for choice in self._choices(failing, trial, open_checks):
            fix = _with_changes(trial.fix, failing.source, choice, name)
            done = None if fix is None else self.trials.on_failed_then_all(failing, fix)
            if done is not None and not is_last:
                done = self._with_types(failing, done, trial.passed, choice, name)
            if (
                done is not None
                and _completes(done, trial, open_checks, may_only_restore=is_last and bool(trial.worse))
                # The caller that completes a change of a type confirms both together.
                and (is_last or self.confirmation.accepts(failing, done))
            ):
                return done
        return None

    def _choices(self, failing: FailingProgram, trial: Trial, open_checks: Collection[str]) -> Iterator[Choice]:
        """Yield changes of the source with which a case of these checks is right that is wrong with a fix."""
        wrong, right = self._steps(failing, trial, open_checks)
        made = trial.fix.edits
        if not wrong or not right or not self.trials.may_run(failing) or _moves_lines(failing.source, made):
            return
        changes = self.search.changes_of_copy(failing.program, trial.fix.source)
        if changes is None:
            return
        copy = replace(failing, source=trial.fix.source, name=self.trials.name_of(trial.fix))
        tried = ChangeTrials(self.trials, copy, changes)
        for works in tried.works([wrong[0], right[0]], ends=True):
            yield from islice(
                filter(None, (_in_source(choice, made) for choice in likeliest_first(works))), FINALISTS
            )

    def _with_types(
        self, failing: FailingProgram, trial: Trial, passed: Collection[str], choice: Choice, name: str
    ) -> Trial:
        """Return a fix with what completes it if its changes change a type: what is compared with it needs the same.

        `passed` are the checks that have passed with an earlier fix.
        """
        lost = {*trial.lost, *passed}.difference(trial.passed)
        if not lost or choice[0].rank != TYPE:
            return trial
        return self.complete(failing, trial, lost, name, is_last=True) or trial

    def _steps(
        self, failing: FailingProgram, trial: Trial, open_checks: Collection[str]
    ) -> tuple[list[RunStep], list[RunStep]]:
        """Return the small runs that a fix leaves wrong in these checks, and the right ones that copy."""
        lab, wrong, right = self.trials.lab, [], []
        for check in failing.checks:
            for result in check.visible_results:
                step, done = failing.steps.get(run_id(failing.program, result.case)), trial.done(result.case)
                if step is None or done is None or not self.trials.is_small(step):
                    continue
                if self.trials.is_right(done, step):
                    if lab.spec.cases[result.case].wants_work and lab.input_bytes(result.case):
                        right.append(step)
                elif check.id in open_checks:
                    wrong.append(step)
        return wrong, right


def _completes(trial: Trial, before: Trial, open_checks: Collection[str], *, may_only_restore: bool) -> bool:
    """Return whether a fix repairs what it did before and some of these checks, and breaks nothing.

    `may_only_restore`: it need not repair any of these checks, as it sets right what became worse.
    """
    is_more = may_only_restore or any(check in trial.passed or check not in trial.run for check in open_checks)
    return not trial.lost and {*trial.passed}.issuperset(before.passed) and is_more


def _moves_lines(source: bytes, edits: Sequence[Edit]) -> bool:
    """Return whether edits move other lines of the source: then a line has another number with them."""
    return any(edit.text.count("\n") != source.count(b"\n", edit.start, edit.end) for edit in edits)


def _with_changes(fix: Fix, source: bytes, choice: Choice, name: str) -> Fix | None:
    """Return a fix with changes of the source as well, None if both change the same."""
    data = fixed(source, [*fix.edits, *(edit for change in choice for edit in change.edits)])
    return (
        None if data is None else Fix(fix.program, data, {**fix.places, name: (*fix.places.get(name, ()), *choice)})
    )


def _in_source(choice: Choice, made: Sequence[Edit]) -> Choice | None:
    """Return changes of a copy as changes of the source, None if they concern what was changed there."""
    moved = [
        replace(change, edits=edits, number=None)
        for change in choice
        if len(edits := tuple(_moved_back(change.edits, made))) == len(change.edits)
    ]
    return tuple(moved) if len(moved) == len(choice) else None


def _moved_back(edits: Sequence[Edit], made: Sequence[Edit]) -> Iterator[Edit]:
    """Yield edits of a copy with their offsets in the source, without those of what was changed there."""
    for edit in edits:
        moved = 0
        for before in sorted({*made}):
            start = before.start + moved
            end = start + len(before.text.encode("utf-8", "surrogateescape"))
            if edit.start >= end and (edit.start, edit.end) != (start, end):
                moved += end - start - (before.end - before.start)
            elif edit.end > start:
                break
        else:
            yield Edit(edit.start - moved, edit.end - moved, edit.text)
