"""Complete the fix of a known bug: find a small change that repairs what the fix leaves wrong, or breaks.

With `int c`, for example, a char of FROM above 0x7F is no longer equal to the byte that was read.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from grader.diagnose.edits import TYPE, Edit, fixed
from grader.grading.change_effects import harms, visible_results
from grader.grading.change_trials import ChangeTrials, Choice, ToRepair, likeliest_first
from grader.grading.fix_trials import FixTrials, Repaired, Tried
from grader.grading.fixed_copies import Fix, FixedCopies, is_right
from grader.grading.fresh_trials import FreshTrials
from grader.grading.proof_credit import Proven
from grader.grading.proof_sentences import ProofWriter
from grader.grading.source_search import SourceSearch
from grader.model.evidence import run_id
from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep
from grader.model.report import Report
from grader.model.spec.rubric import program_of

FINALISTS = 3
"""Changes that are compiled alone and run in all short cases, which takes 0.5 s of CPU time each."""

_NAME = "completion"


@dataclass(frozen=True)
class Completed:
    """A fix with what completes it, and the changes of the source that do."""

    judged: Repaired
    changes: Choice


class FixCompletion:
    """Completes the fixes of one submission."""

    def __init__(
        self, lab: Lab, sources: Mapping[str, bytes], copies: FixedCopies, search: SourceSearch, writer: ProofWriter
    ) -> None:
        self._lab = lab
        self._sources = sources
        self._copies = copies
        self._search = search
        self._trials = FixTrials(lab, copies)
        self._fresh = FreshTrials(lab, copies)
        self._writer = writer

    def completed(self, report: Report, runs: Plan, cause: str, known: Proven) -> Proven:
        """Return what is known of a cause with its fixes completed, as far as a change does that.

        Checks without a cause may fail for another reason.

        Raises:
            GraderError: no process can be started to look for changes.
        """
        works, done = [], set()
        left_of_cause = {check.id for check in report.checks if check.cause == cause}.intersection(known.left)
        lines = [*known.lines]
        for tried in known.works:
            own = {check for check in (*left_of_cause, *known.broken) if program_of(check) == tried.fix.program}
            source = self._sources[self._lab.spec.programs[tried.fix.program].main_source]
            failing = ToRepair(tried.fix.program, source, report, runs, tried.fix.program)
            found = self.complete(failing, tried, own, _NAME) if own else None
            if found is None:
                works.append(tried)
                continue
            repaired = found.judged
            passed = tuple(check for check in repaired.tried.passed if check in own.union(tried.passed))
            short_only = tuple(check for check in repaired.tried.short_only if check in passed)
            works.append(replace(repaired.tried, run=passed, passed=passed, short_only=short_only))
            done |= own.intersection((*passed, *known.broken))
            lines += self._writer.lines(tried.fix.program, repaired.tried.fix.places[_NAME])
        if not done:
            return known
        left, broken = (tuple(check for check in some if check not in done) for some in (known.left, known.broken))
        return replace(
            known,
            lines=tuple(lines),
            proof=self._writer.proof(works, broken, left),
            works=tuple(works),
            others=known.others | done.intersection(known.left),
            unrepaired=known.unrepaired - done,
            left=left,
            broken=broken,
        )

    def complete(
        self,
        failing: ToRepair,
        tried: Tried,
        open_checks: Collection[str],
        name: str,
        *,
        retyped: Repaired | None = None,
    ) -> Completed | None:
        """Return a fix with a change that repairs some of these checks of a program, None if there is no such change.

        The places of the change are added to those of the fix under `name`. `retyped` is what came of the fix if it
        changed a type: then the change is the last one, and it is enough that it sets right what became worse.

        Raises:
            GraderError: no process can be started to look for changes.
        """
        wrong, right = self._steps(failing, tried, open_checks)
        made = [edit for places in tried.fix.places.values() for place in places for edit in place.edits]
        if not wrong or not right or not self._copies.may_run() or _moves_lines(failing.source, made):
            return None
        changes = self._search.changes_of_copy(failing.program, tried.fix.source)
        if changes is None:
            return None
        copy = replace(failing, source=tried.fix.source, name=self._copies.name_of(tried.fix))
        trials = ChangeTrials(self._lab, self._copies, copy, copy.changes(changes))
        for works in trials.works([wrong[0], right[0]], ends=True):
            choices = filter(None, (_in_source(choice, made) for choice in likeliest_first(works)))
            for choice in islice(choices, FINALISTS):
                fix = _with_changes(tried.fix, failing.source, made, choice, name)
                judged = None if fix is None else self._trials.try_alone(failing.report, failing.runs, fix, ())
                if judged is None:
                    continue
                done = Completed(judged, choice)
                if retyped is None:
                    done = self.with_types(failing, done, tried.passed, name)
                harmful = harms(self._lab, done.judged.tried, failing.report, done.changes)
                if not _completes(done.judged, tried, open_checks, retyped) or harmful:
                    continue
                # Who completes a change of a type confirms both together.
                if retyped is not None or self._fresh.confirm(failing, done.judged.tried, done.changes):
                    return done
        return None

    def with_types(self, failing: ToRepair, done: Completed, passed: Collection[str], name: str) -> Completed:
        """Return changes with what completes them if they change a type: what is compared with it needs the same.

        `passed` are the checks that have passed with an earlier fix.

        Raises:
            GraderError: no process can be started to look for changes.
        """
        tried = done.judged.tried
        lost = {*done.judged.broken, *done.judged.worse, *passed}.difference(tried.passed)
        if not lost or done.changes[0].rank != TYPE:
            return done
        found = self.complete(failing, tried, lost, name, retyped=done.judged)
        return done if found is None else Completed(found.judged, done.changes + found.changes)

    def _steps(
        self, failing: ToRepair, tried: Tried, open_checks: Collection[str]
    ) -> tuple[list[RunStep], list[RunStep]]:
        """Return the small runs that a fix leaves wrong in these checks, and the right ones that copy."""
        if tried.evidence is None:
            return [], []
        program, facts = tried.fix.program, self._copies.facts(tried.evidence)
        steps = {step.id: step for step in failing.runs.runs if self._copies.is_small(step)}
        wrong: list[RunStep] = []
        right: list[RunStep] = []
        for check in failing.report.checks:
            for result in visible_results(check) if check.program == program else ():
                step = steps.get(run_id(program, result.case))
                if step is None or tried.evidence.run(program, result.case) is None:
                    continue
                if not is_right(self._lab, facts, program, result.case):
                    wrong += [step] if check.id in open_checks else []
                elif self._lab.spec.cases[result.case].copies_reference and self._lab.inputs[step.input]:
                    right.append(step)
        return wrong, right


def _moves_lines(source: bytes, edits: Sequence[Edit]) -> bool:
    """Return whether edits move other lines of the source: then a line has another number with them."""
    return any(edit.text.count("\n") != source.count(b"\n", edit.start, edit.end) for edit in edits)


def _completes(judged: Repaired, before: Tried, open_checks: Collection[str], retyped: Repaired | None) -> bool:
    """Return whether a fix repairs what it did before and some of these checks, and breaks nothing.

    It may also only set right what a change of a type made worse.
    """
    passed = {*judged.tried.passed}
    made_worse = retyped is not None and bool(retyped.worse)
    is_more = made_worse or any(check in passed or check not in judged.tried.run for check in open_checks)
    return not judged.broken and not judged.worse and passed.issuperset(before.passed) and is_more


def _with_changes(fix: Fix, source: bytes, made: Sequence[Edit], choice: Choice, name: str) -> Fix | None:
    """Return a fix with changes of the source as well, None if both change the same."""
    data = fixed(source, [*made, *(edit for change in choice for edit in change.edits)])
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
