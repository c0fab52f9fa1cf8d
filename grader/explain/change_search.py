"""Look for a small change of the source that repairs a program where no fix of a known bug does.

The verdicts are known by then, and nothing that happens here changes them.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import takewhile

from grader.diagnose.source.edits import ARGUMENT, IDLE, NUMBER, REMOVAL, fixed
from grader.diagnose.source.own_checks import OwnChecks, own_checks
from grader.errors import GraderError
from grader.explain.change_trials import MOST_RUNS, ChangeTrials, likeliest_first
from grader.explain.credit import Repair, Repairs, adds
from grader.explain.donor_search import DonorSearch, RightPrograms, no_programs
from grader.explain.fix_completion import FixCompletion
from grader.explain.proof_sentences import ProofWriter
from grader.explain.roles import roles
from grader.explain.trials import Choice, FailingProgram, Fix, Trial
from grader.model.evidence import Exited, Signalled, run_id
from grader.model.plan import Plan, RunStep
from grader.model.report import CaseResult, Cause, Check, Report, Symptom
from grader.model.spec.rubric import program_of

TARGETS = 2
"""Failures of a program that are looked at, each in one case."""

FINALISTS = 4
"""Changes of a target that are compiled alone and run in all short cases, which takes 0.5 s of CPU time each."""

CANDIDATES = 16
"""Changes that repair a target and are run in other failed cases, the likeliest first."""

PIECES_FOR_CALLS = 8
"""Pieces of right programs that are tried if only calls are wrong, each compiled alone and traced."""

OTHER_FAILURES = 8
"""The failed cases that these are run in, each in a run of 6 ms of CPU time."""

TELLING_BYTES = 8
"""A case with a smaller input tells little: a program that writes nothing is right if the input is empty."""

_NAME = "small change"


@dataclass(frozen=True)
class _Target:
    """A failure to repair: its failed checks, the run to repair, and those that must stay right.

    `ends` says whether the program ends in the first one.
    """

    checks: tuple[Check, ...]
    failed_run: RunStep
    passing_runs: tuple[RunStep, ...]
    ends: bool

    @property
    def lost_points(self) -> float:
        return sum(check.max_points - check.points for check in self.checks)


class ChangeSearch:
    """Looks for small changes of the sources of one submission."""

    def __init__(
        self,
        completion: FixCompletion,
        sources: Mapping[str, bytes],
        writer: ProofWriter,
        with_lines: Callable[[Report], Report],
        right_programs: RightPrograms = no_programs,
    ) -> None:
        self._with_lines = with_lines
        self._completion = completion
        self._trials = completion.trials
        self._search = completion.search
        self._spec = completion.trials.lab.spec
        self._sources = sources
        self._writer = writer
        self._donors = DonorSearch(completion.trials, right_programs)

    def search(self, report: Report, runs: Plan, unsound: Collection[str] = ()) -> Repairs:
        """Look for changes that repair what no proven cause explains, in the runs that students see.

        If there are none, pieces of right programs are tried.
        """
        try:
            own = self._own_checks(report)
            checks = [check for check in report.checks if check.program not in report.unbuilt_programs]
            failed = dict.fromkeys(check.program for check in checks if check.status == "failed")
            found = self._trials.for_each(
                [program for program in failed if self._spec.is_single_c(program)],
                lambda program: [*self._of_program(program, report, runs, own, is_unsound=program in unsound)],
            )
        except GraderError as error:
            return Repairs(notes=(f"the grader could not try small changes of the source: {error}",))
        refusals = frozenset(name for name, case in self._spec.cases.items() if case.is_refusal)
        return Repairs(tuple(repair for of in found for repair in of), own_checks=own, refusals=refusals)

    def _own_checks(self, report: Report) -> Mapping[str, Mapping[str, OwnChecks]]:
        """Return the checks that programs have themselves, by file and by the causes whose proof adds another one."""
        found: dict[str, dict[str, OwnChecks]] = {}
        for cause in filter(adds, report.causes):
            for program in dict.fromkeys(map(program_of, cause.checks)):
                checks = [check for check in report.checks if check.id in cause.checks and check.program == program]
                cases = [result for check in checks for result in check.visible_failures]
                places = self._search.lines(report, program)
                # What refuses too late is not meant.
                is_accepted = all(result.ending == Exited(kind="exited", code=0) for result in cases)
                if places is not None and is_accepted:
                    lines = {role: [place.lines for place in some] for role, some in places.items()}
                    own = own_checks([result.operands for result in cases], lines, roles())
                    if own is not None:
                        found.setdefault(cause.name, {})[self._spec.programs[program].main_source] = own
        return {
            cause.name: found[cause.name]
            for cause in report.causes
            if len(found.get(cause.name, ())) == len({*map(program_of, cause.checks)})
        }

    def _of_program(
        self, program: str, report: Report, runs: Plan, own: Collection[str], *, is_unsound: bool
    ) -> Iterator[Repair]:
        source = self._sources.get(self._spec.programs[program].main_source)
        if source is None:
            return
        failing = FailingProgram(program, source, report, runs, program, is_unsound)
        targets = self._targets(failing, own)
        repairs: list[Repair] = []
        if targets and self._trials.may_run(failing):
            repairs = [*self._by_changes(failing, [*targets])]
            if not repairs:
                repairs = [*self.by_donors(failing, [check for target in targets for check in target.checks])]
        yield from repairs
        if not repairs:
            yield from self._of_calls(failing, _proven(report.causes, own))

    def by_donors(self, failing: FailingProgram, checks: Sequence[Check]) -> Iterator[Repair]:
        """Yield the likeliest repair by pieces of right programs, of which students see nothing."""
        yield from self._with_pieces(failing, self._donors.works(failing, [*dict.fromkeys(checks)]))

    def _with_pieces(self, failing: FailingProgram, choices: Iterable[Choice]) -> Iterator[Repair]:
        for choice in choices:
            repair = self._repair_with(failing, choice, None)
            if repair is not None:
                yield replace(repair, proof=repair.proof.model_copy(update={"fixed": ()}))
                return

    def _by_changes(self, failing: FailingProgram, targets: list[_Target]) -> Iterator[Repair]:
        """Yield what small changes repair."""
        changes = self._search.changes(failing.report, failing.program)
        if changes is None or not changes.changes:
            return
        while len(targets) > 1 and len(targets) * len(changes.changes) > MOST_RUNS:
            targets.pop()
        trials = ChangeTrials(self._trials, failing, changes)
        done: Repair | None = None
        for target in targets:
            if done is not None and done.checks.issuperset(check.id for check in target.checks):
                continue
            repair = self._repair(failing, target, trials, done)
            if repair is None and done is not None:
                repair = self._second(failing, target, done)
            if repair is None:
                continue
            yield repair if done is None else replace(repair, checks=repair.checks - done.checks)
            second = self._second(failing, target, repair) if done is None else None
            if second is not None:
                yield replace(second, checks=second.checks - repair.checks)
            done = second or repair

    def _of_calls(self, failing: FailingProgram, proven: Collection[str]) -> Iterator[Repair]:
        """Yield a change of a line with wrong calls, or a piece of a right program, if all copies are right.

        There is no case to try it in, so each one is compiled alone and its calls are traced.
        """
        open_checks = [check for check in failing.failed if check.id not in proven]
        if not open_checks or any(check.results for check in open_checks) or not self._trials.may_run(failing):
            return
        changes = self._search.changes(failing.report, failing.program)
        symptoms = self._with_lines(failing.report).symptoms
        lines = {line.number for symptom in symptoms if symptom.program == failing.program for line in symptom.lines}
        likely = [
            change
            for change in (changes.changes if changes is not None else ())
            if change.rank in (REMOVAL, IDLE, NUMBER, ARGUMENT) and change.lines[0] in lines
        ]
        for change in sorted(likely, key=lambda change: change.rank in (NUMBER, ARGUMENT))[:FINALISTS]:
            repair = self._repair_with(failing, (change,), None)
            if repair is not None:
                yield repair
                return
        pieces = self._donors.single(failing)[:PIECES_FOR_CALLS]
        yield from self._with_pieces(failing, takewhile(lambda _: self._trials.may_run(failing), pieces))

    def _targets(self, failing: FailingProgram, own: Collection[str]) -> list[_Target]:
        """Return the failures to repair, the costliest first."""
        small = {step.id for step in failing.runs.runs if self._trials.is_small(step)}
        results = [
            (check, result)
            for check, result in failing.visible_results
            if run_id(failing.program, result.case) in small
        ]
        proven = _proven(failing.report.causes, own)
        targets = (
            self._target(failing, _open_checks(failing, symptom, proven), symptom, results)
            for symptom in failing.report.symptoms
            if symptom.program == failing.program
        )
        found = sorted((one for one in targets if one is not None), key=lambda one: -one.lost_points)
        unique: dict[str, _Target] = {}
        for one in found:
            unique.setdefault(one.failed_run.id, one)
        return [*unique.values()][:TARGETS]

    def _target(
        self,
        failing: FailingProgram,
        checks: tuple[Check, ...],
        symptom: Symptom,
        results: Sequence[tuple[Check, CaseResult]],
    ) -> _Target | None:
        """Return the failure of a symptom in these checks, None if there is none that can be repaired."""
        shown = self._shown(symptom, [result for check, result in results if check in checks])
        stay = None if shown is None else self._passing(shown, results)
        if shown is None or stay is None:
            return None
        step, *others = (failing.steps[run_id(failing.program, one.case)] for one in (shown, *stay))
        return _Target(checks, step, tuple(others), isinstance(shown.ending, Exited | Signalled))

    def _shown(self, symptom: Symptom, results: Iterable[CaseResult]) -> CaseResult | None:
        """Return the failed case that shows a symptom best: the smallest that tells something."""
        failed = [result for result in results if not result.passed]
        shown = [result for result in failed if not symptom.cases or result.case in symptom.cases]
        return min(shown, key=lambda result: (not self._tells(result), self._size(result)), default=None)

    def _size(self, result: CaseResult) -> int:
        return self._trials.lab.input_bytes(result.case) + sum(map(len, result.operands))

    def _tells(self, result: CaseResult) -> bool:
        return self._trials.lab.input_bytes(result.case) >= TELLING_BYTES

    def _passing(self, failed: CaseResult, results: Sequence[tuple[Check, CaseResult]]) -> list[CaseResult] | None:
        """Return results that must stay right with what repairs a case, None if there are none that it needs."""
        cases, passed = self._spec.cases, [(check, result) for check, result in results if result.passed]
        if not cases[failed.case].is_refusal:
            # What makes a program accept right operands must not make it accept wrong ones.
            passed.sort(key=lambda one: -self._size(one[1]))
            return [*{check.id: result for check, result in passed if cases[result.case].is_refusal}.values()]
        # Whatever refuses everything would do.
        works = [result for _, result in passed if cases[result.case].wants_work and self._tells(result)]
        return [min(works, key=self._size)] if works else None

    def _repair(
        self, failing: FailingProgram, target: _Target, trials: ChangeTrials, before: Repair | None
    ) -> Repair | None:
        """Return the likeliest change that repairs the target, or else the one that repairs most of it.

        It breaks nothing, and is made after an earlier repair.
        """
        steps, wanted = [target.failed_run, *target.passing_runs], {check.id for check in target.checks}
        others = self._other_failures(failing, target)
        tried: list[Choice] = []
        later: dict[Choice, int] = {}
        best: Repair | None = None
        most_right = -1

        def repair_with(choices: Iterable[Choice]) -> Repair | None:
            """Return the first of these repairs that repairs the target."""
            nonlocal best, most_right
            for choice in choices:
                if choice not in tried and len(tried) < FINALISTS:
                    tried.append(choice)
                    repair = self._repair_with(failing, choice, before)
                    if repair is not None and wanted.isdisjoint(repair.unrepaired):
                        return repair
                    if repair is not None and (best is None or len(repair.checks) > len(best.checks)):
                        best, most_right = repair, later[choice]
            return None

        for works in trials.works(steps, ends=target.ends):
            # Later changes come with the earlier ones.
            new = [choice for choice in likeliest_first(works) if choice not in later]
            right = trials.right_in(new[:CANDIDATES], others)
            later |= right
            repair = repair_with(choice for choice, count in right.items() if count == len(others))
            if repair is not None or len(tried) == FINALISTS:
                return repair or best
        # What is right in no more cases than the best one repairs no more.
        in_order = sorted(later, key=lambda choice: -later[choice])
        return repair_with(choice for choice in in_order if later[choice] > most_right) or best

    def _other_failures(self, failing: FailingProgram, target: _Target) -> list[RunStep]:
        """Return another small failed run of each check: what repairs one mistake makes most of them right, too."""
        found: dict[str, RunStep] = {}
        for check in failing.failed:
            steps = [
                failing.steps[run_id(check.program, failure.case)]
                for failure in sorted(check.visible_failures, key=self._size)
            ]
            other = next((one for one in steps if self._trials.is_small(one) and one != target.failed_run), None)
            found |= {} if other is None else {other.id: other}
        return [*found.values()][:OTHER_FAILURES]

    def _second(self, failing: FailingProgram, target: _Target, first: Repair) -> Repair | None:
        """Return the repair of what a first one leaves wrong in the checks of a target, made after it."""
        still = {check.id for check in target.checks} - first.checks
        trial = self._completion.complete(failing, first.trial, still, _NAME) if still else None
        return None if trial is None else self._made(trial, first)

    def _repair_with(self, failing: FailingProgram, choice: Choice, before: Repair | None) -> Repair | None:
        """Return what changes repair, None if that is nothing or they break something."""
        changes = (*(() if before is None else before.trial.fix.places[_NAME]), *choice)
        data = fixed(failing.source, [edit for one in changes for edit in one.edits])
        if data is None:
            return None
        fix = Fix(failing.program, data, {_NAME: changes})
        trial = self._completion.repair(failing, fix, () if before is None else before.checks, choice)
        return None if trial is None else self._made(trial, before)

    def _made(self, trial: Trial, before: Repair | None) -> Repair:
        """Return a repair, of which an earlier one may have the first changes."""
        program, changes = trial.fix.program, trial.fix.places[_NAME]
        earlier, already = ((), frozenset()) if before is None else (before.trial.fix.places[_NAME], before.checks)
        last = changes[len(earlier) :]
        repairing = trial.only({*trial.passed} - already)
        addition = None
        if earlier:
            addition = self._writer.proof([replace(repairing, fix=replace(trial.fix, places={_NAME: last}))])
        return Repair(
            program,
            frozenset(trial.passed),
            frozenset(trial.run) - frozenset(trial.passed),
            self._writer.proof([repairing]),
            tuple(self._writer.lines(program, last)),
            trial,
            addition,
        )


def _proven(causes: Iterable[Cause], own: Collection[str]) -> frozenset[str]:
    """Return the checks that proven causes explain, except those whose proof adds what a program has itself."""
    proven = [cause for cause in causes if cause.certainty == "proven"]
    return frozenset(check for cause in proven if not (cause.name in own and adds(cause)) for check in cause.checks)


def _open_checks(failing: FailingProgram, symptom: Symptom, proven: Collection[str]) -> tuple[Check, ...]:
    """Return the failed checks of a symptom that nothing explains yet."""
    ids = {*symptom.checks}.difference(proven)
    return tuple(check for check in failing.report.checks if check.status == "failed" and check.id in ids)
