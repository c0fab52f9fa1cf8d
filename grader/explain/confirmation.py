"""Decide whether what repairs cases is a repair: it must be right where no case looks, and do no harm.

A repair must not refuse less, report that a copy failed, leave a condition that is always true or false, or only move
variables in memory.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from collections.abc import Set as AbstractSet

from grader.diagnose.behaviour.findings import cannot_start
from grader.diagnose.source.edits import LOSS, TYPE, is_type
from grader.diagnose.source.recorded_conditions import (
    MOST_CHANGED,
    recorded_places,
    values_seen,
    with_recorder,
    without_marks,
)
from grader.explain.fresh_inputs import fresh_names
from grader.explain.second_run import FILLED, SANITIZED, what_it_did
from grader.explain.source_patterns import FoundChange
from grader.explain.trials import (
    FAST,
    FailingProgram,
    Fix,
    Trial,
    Trials,
    fresh_run,
    quick_run,
    with_options,
)
from grader.model.evidence import Ending, Exited, RunDone, run_id
from grader.model.fresh import FreshRun
from grader.model.lab import Lab
from grader.model.plan import RunStep
from grader.model.report import CaseResult, Report
from grader.model.spec.expectations import Expected

MOST_CHECKED = 3
"""Repaired cases that are run without optimisation, and with sanitizers."""

_REPORTS = (b"AddressSanitizer", b": runtime error: ")


class Confirmation:
    """Confirms what repairs the cases of a submission."""

    def __init__(self, trials: Trials) -> None:
        self._trials = trials
        self._lab = trials.lab
        self._reports: dict[str, bool] = {}
        self._values_before: dict[str, frozenset[tuple[int, bool]]] = {}

    def accepts(self, failing: FailingProgram, trial: Trial) -> bool:
        """Return whether a fix that passes checks is a repair.

        A fresh run on which the program was right must stay right. In the shape of the cases, what was wrong must
        become right or stay as it was, unless another check of its kind still fails. No condition may have lost its
        effect, and what is right must not depend on what memory holds.

        Raises:
            GraderError: the copies cannot be run.
        """
        if trial.lost or harms(self._lab, trial, failing.report):
            return False
        runs = self._lab.fresh_runs().get(failing.program, ())
        return not runs or (self._trials.may_run(failing) and self._is_right_in(runs, failing, trial))

    def _is_right_in(self, runs: Sequence[FreshRun], failing: FailingProgram, trial: Trial) -> bool:
        name, fix = self._trials.name_of(trial.fix), trial.fix
        recorded = with_recorder(failing.source, fix.edits)
        data = {name: fix.source} if recorded is None else {f"{name}_seen": recorded}
        seen = self._run(failing, data, runs)
        if recorded is not None and not seen:
            # It does not compile with the recorder.
            recorded, data = None, {name: fix.source}
            seen = self._run(failing, data, runs)
        wrong = [run for run in runs if run.step.id in seen and not self._agrees(run, seen[run.step.id])]
        return (
            (not wrong or self._may_differ(failing, trial, wrong, seen))
            and (recorded is None or not self._loses_a_condition(failing, data, seen))
            and self._is_right_in_other_memory(failing, trial, name)
        )

    def _run(
        self, failing: FailingProgram, data: Mapping[str, bytes], runs: Sequence[FreshRun]
    ) -> dict[str, RunDone]:
        (copy,) = data
        steps = {run.step.id: fresh_run(run.step, copy) for run in runs}
        inputs = {name: run.data for run in runs for name in fresh_names(run.step)}
        done = self._trials.collected(failing, data, steps.values(), inputs=inputs).runs
        return {name: done[step.id] for name, step in steps.items() if step.id in done}

    def _agrees(self, fresh: FreshRun, done: RunDone) -> bool:
        """Return whether a run did what the reference did, as far as the case that it is based on looks at it."""
        expected, case = fresh.expected, self._lab.spec.cases[fresh.step.case]
        if not isinstance(done.ending, Exited):
            return False
        if _refuses(expected):
            return _refuses(done) and bool(without_marks(done.stderr.data or b"")) >= bool(expected.stderr.size_bytes)
        if case.stated is not None and done.ending != expected.ending:
            return False
        # What a case refuses, and a fresh run does not, is written like the output of other cases.
        writes = case.is_refusal and any(other.wants_output for other in self._lab.spec.cases.values())
        is_text = case.copies_reference or writes
        is_same = not is_text or done.stdout.sha256 == expected.stdout.sha256
        return is_same and what_it_did(done)[3] == what_it_did(expected)[3]

    def _may_differ(
        self, failing: FailingProgram, trial: Trial, wrong: Sequence[FreshRun], seen: Mapping[str, RunDone]
    ) -> bool:
        """Return whether the program itself is wrong in these runs, too, and they say nothing against the change."""
        before = self._run(failing, {f"{failing.program}_original": failing.source}, wrong)
        left = {
            self._lab.spec.cases[result.case].is_refusal
            for check in failing.report.checks
            if check.id in trial.run and check.id not in trial.passed
            for result in check.visible_failures
        }
        known = [(run, before[run.step.id]) for run in wrong if run.step.id in before]
        if any(self._agrees(run, done) for run, done in known):
            return False
        others = [run for run, done in known if what_it_did(done) != what_it_did(seen[run.step.id])]
        against = [run for run in others if run.is_in_shape and _refuses(run.expected) not in left]
        return not against or self._use_memory_wrongly(failing, against)

    def _use_memory_wrongly(self, failing: FailingProgram, runs: Sequence[FreshRun]) -> bool:
        """Return whether the program uses memory wrongly in all these runs, which therefore say nothing."""
        copy = f"{failing.program}_sanitized"
        new = {run.step.id: checked_run(run.step, copy) for run in runs if run.step.id not in self._reports}
        if new:
            inputs = {name: run.data for run in runs for name in fresh_names(run.step)}
            build = with_options(failing.build, SANITIZED)
            source = {copy: failing.source}
            done = self._trials.collected(failing, source, new.values(), build=build, inputs=inputs).runs
            self._reports.update((name, _is_reported(done.get(step.id))) for name, step in new.items())
        return all(self._reports[run.step.id] for run in runs)

    def _loses_a_condition(
        self, failing: FailingProgram, data: Mapping[str, bytes], seen: Mapping[str, RunDone]
    ) -> bool:
        """Return whether a condition has lost its effect: fresh runs and small cases show only one value of it.

        That does not count for a changed condition that they do not reach, or an unchanged one that had one value
        before, too.
        """
        ((copy, recorded),) = data.items()
        places, values = recorded_places(recorded), _values(seen.values())
        if not places - _varying(values):
            return False
        steps = [fresh_run(step, copy) for step in self._small(failing)]
        values |= _values(self._trials.collected(failing, data, steps).runs.values())
        constant = places - _varying(values)
        return any(place < MOST_CHANGED for place, _ in values if place in constant) or bool(
            constant and self._varied_before(failing, constant)
        )

    def _small(self, failing: FailingProgram) -> list[RunStep]:
        of_program = [step for step in failing.runs.runs if step.id == run_id(failing.program, step.case)]
        return [step for step in of_program if self._trials.is_small(step)]

    def _varied_before(self, failing: FailingProgram, places: AbstractSet[int]) -> bool:
        """Return whether one of these conditions has both values in runs of the program itself."""
        recorded = with_recorder(failing.source)
        if recorded is None:
            return False
        copy = f"{failing.program}_recorded"
        if failing.program not in self._values_before:
            runs = self._lab.fresh_runs().get(failing.program, ())
            self._values_before[failing.program] = _values(self._run(failing, {copy: recorded}, runs).values())
        if not places & _varying(self._values_before[failing.program]):
            steps = [fresh_run(step, copy) for step in self._small(failing)]
            done = self._trials.collected(failing, {copy: recorded}, steps).runs.values()
            self._values_before[failing.program] |= _values(done)
        return bool(places & _varying(self._values_before[failing.program]))

    def _is_right_in_other_memory(self, failing: FailingProgram, trial: Trial, name: str) -> bool:
        """Return whether what was repaired is also right without optimisation, with other bytes in memory.

        If the fix may only move variables, sanitizers must report nothing, either. A case that already depended on
        what memory holds says nothing.
        """
        checks = [check for check in failing.report.checks if check.id in trial.passed]
        ids = {run_id(failing.program, result.case) for check in checks for result in check.visible_failures}
        steps = [step for step in failing.runs.runs if step.id in ids and self._trials.is_small(step)][:MOST_CHECKED]
        if not steps:
            return True
        copies: dict[str, tuple[str, ...]] = {f"{name}_filled": FILLED}
        if _may_move_variables(failing, trial.fix):
            copies[f"{name}_sanitized"] = SANITIZED
        return all(self._is_right_with(failing, trial, steps, copy, options) for copy, options in copies.items())

    def _is_right_with(
        self, failing: FailingProgram, trial: Trial, steps: Sequence[RunStep], copy: str, options: tuple[str, ...]
    ) -> bool:
        """Return whether a copy of a fix that is compiled with these options is right, as far as it can be run."""
        runs = [checked_run(step, copy) if options == SANITIZED else fresh_run(step, copy) for step in steps]
        build = with_options(failing.build, options)
        done = self._trials.collected(failing, {copy: trial.fix.source}, runs, build=build).runs
        known = [(step, done[run.id]) for step, run in zip(steps, runs, strict=True) if run.id in done]
        wrong = [
            step
            for step, one in known
            if not cannot_start((one.stderr.data or b"").decode("utf-8", "replace"))
            and (_is_reported(one) or not self._trials.is_right(one, step))
        ]
        return not wrong or (options == FILLED and self._depended_on_memory(failing, wrong))

    def _depended_on_memory(self, failing: FailingProgram, steps: Sequence[RunStep]) -> bool:
        """Return whether the program itself was wrong in each of these steps, in a way that memory decides."""
        done = []
        for options in (FILLED, FAST):
            copy = f"{failing.program}_{'filled' if options == FILLED else 'unfilled'}"
            runs = [fresh_run(step, copy) for step in steps]
            build = with_options(failing.build, options)
            evidence = self._trials.collected(failing, {copy: failing.source}, runs, build=build)
            done.append([evidence.runs.get(run.id) for run in runs])
        return all(
            filled is not None
            and unfilled is not None
            and what_it_did(filled) != what_it_did(unfilled)
            and not self._trials.is_right(filled, step)
            for step, filled, unfilled in zip(steps, *done, strict=True)
        )


def checked_run(step: RunStep, copy: str) -> RunStep:
    """Return the run of a copy that was compiled with sanitizers."""
    checked = {"checker": "addresses", "engine": "filter", "limits_only": True, "early_stop": None}
    return quick_run(step, copy).model_copy(update={**checked, "read_nbyte": None, "write_nbyte": None})


def _is_reported(done: RunDone | None) -> bool:
    """Return whether sanitizers have reported a mistake."""
    return done is not None and any(words in (done.stderr.data or b"") for words in _REPORTS)


def _may_move_variables(failing: FailingProgram, fix: Fix) -> bool:
    """Return whether what a fix does may depend on where variables are in memory."""
    places = [place for places in fix.places.values() for place in places]
    return failing.is_unsound or any(
        place.rank == TYPE if isinstance(place, FoundChange) else any(is_type(edit.text) for edit in place.edits)
        for place in places
    )


def _values(runs: Iterable[RunDone]) -> frozenset[tuple[int, bool]]:
    return frozenset(value for run in runs for value in values_seen(run.stderr.data or b""))


def _refuses(run: RunDone) -> bool:
    return isinstance(run.ending, Exited) and run.ending.code != 0 and not run.stdout.size_bytes


def _varying(values: Collection[tuple[int, bool]]) -> frozenset[int]:
    """Return the conditions that have both values."""
    return frozenset(place for place, value in values if (place, not value) in values)


def harms(lab: Lab, trial: Trial, report: Report) -> bool:
    """Return whether a fix does what no repair does, as far as its runs show."""
    of_program = [check for check in report.checks if check.program == trial.fix.program]
    results = [(check.id, one, trial.done(one.case)) for check in of_program for one in check.visible_results]
    refusals = [result for result in results if lab.spec.cases[result[1].case].is_refusal and result[0] in trial.run]
    outputs = [result for result in results if lab.spec.cases[result[1].case].wants_work]
    # Where a case states what standard error has, a message is not a complaint.
    quiet = [result for result in outputs if (lab.spec.cases[result[1].case].stated or Expected()).stderr == "any"]
    return _refuses_less(trial, refusals) or _fails_after_output(outputs) or _complains(trial, quiet)


_Result = tuple[str, CaseResult, RunDone | None]
"""A check, the result of one of its cases, and its run with a fix."""


def _refuses_less(trial: Trial, refusals: Iterable[_Result]) -> bool:
    """Return whether the program writes an output with wrong operands for which it wrote only a message before.

    If a check was removed, it must refuse all of them. It refuses what it writes only a message for, whatever else
    is wrong.
    """
    places = [place for places in trial.fix.places.values() for place in places]
    is_loss = any(isinstance(place, FoundChange) and place.rank == LOSS for place in places)
    return any(
        (result.stderr and not result.stdout and done is not None and done.stdout.size_bytes)
        or (is_loss and check not in trial.passed and not result.passed and not _writes_only_a_message(done))
        for check, result, done in refusals
    )


def _writes_only_a_message(done: RunDone | None) -> bool:
    return done is not None and done.stderr.size_bytes > 0 and done.stdout.size_bytes == 0


def _fails_after_output(outputs: Iterable[_Result]) -> bool:
    """Return whether a program that should write an output now ends with an error status, and did not before."""
    return any(
        done is not None and _has_failed(done.ending) and not _has_failed(result.ending)
        for _, result, done in outputs
    )


def _has_failed(ending: Ending | None) -> bool:
    return isinstance(ending, Exited) and ending.code != 0


def _complains(trial: Trial, outputs: Sequence[_Result]) -> bool:
    """Return whether a program still writes its message besides a repaired output, and none besides another one.

    Then the change only made it go on after its message.
    """
    is_quiet = any(result.passed and not result.stderr for _, result, _ in outputs)
    return is_quiet and any(
        check in trial.passed and not result.passed and result.stderr and done is not None and done.stderr.size_bytes
        for check, result, done in outputs
    )
