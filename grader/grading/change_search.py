"""Look for a small change of the source that repairs a program where no fix of a known bug does.

The verdicts are known by then, and nothing that happens here changes them.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.diagnose.edits import fixed
from grader.diagnose.own_checks import OwnChecks, own_checks
from grader.errors import GraderError
from grader.grading.change_effects import harms, visible_results
from grader.grading.change_trials import MOST_RUNS, ChangeTrials, Choice, ToRepair, likeliest_first
from grader.grading.donor_search import DonorSearch, RightPrograms, no_programs
from grader.grading.fix_completion import Completed, FixCompletion
from grader.grading.fix_trials import FixTrials, Tried
from grader.grading.fixed_copies import Fix, FixedCopies
from grader.grading.fresh_trials import FreshTrials
from grader.grading.proof_sentences import ProofWriter, continued, joined, of_own_checks, with_left
from grader.grading.roles import roles
from grader.grading.source_patterns import FoundChange
from grader.grading.source_search import SourceSearch
from grader.model.evidence import Exited, Signalled, run_id
from grader.model.lab import Lab
from grader.model.plan import Plan, RunStep
from grader.model.report import (
    REPAIRED,
    CaseResult,
    Cause,
    CauseLine,
    Check,
    Proof,
    RelatedLine,
    Report,
    Symptom,
)
from grader.model.spec.rubric import program_of

TARGETS = 2
"""Failures of a program that are looked at, each in one case."""

FINALISTS = 4
"""Changes of a target that are compiled alone and run in all short cases, which takes 0.5 s of CPU time each."""

TELLING_BYTES = 8
"""A case with a smaller input tells little: a program that writes nothing is right if the input is empty."""

SHORT_BYTES = 16_384
"""The inputs of most cases are shorter."""

_NAME = "small change"


@dataclass(frozen=True)
class Repair:
    """Small changes that together repair checks of a program, and the proof.

    `unrepaired` still fail with them. `lines` are those of the changes that were found last. `addition` is the proof
    of these alone if others were found before. `tried` is what was seen with all changes.
    """

    program: str
    changes: tuple[FoundChange, ...]
    checks: frozenset[str]
    unrepaired: frozenset[str]
    proof: Proof
    lines: tuple[CauseLine, ...]
    tried: Tried
    addition: Proof | None = None

    def repairs(self, checks: Iterable[str]) -> bool:
        """Return whether these checks are of the program, some were repaired, and none of the others was run."""
        found = {*checks}
        return (
            {*map(program_of, found)} == {self.program} and bool(found & self.checks) and not found & self.unrepaired
        )

    def repairs_most(self, checks: Iterable[str]) -> bool:
        """Return whether these checks are of the program, and most of them were repaired."""
        found = {*checks}
        return {*map(program_of, found)} == {self.program} and 2 * len(found & self.checks) > len(found)


@dataclass(frozen=True)
class Repairs:
    """The changes that repair something, the costliest failures of a program first.

    `own_checks` are those of programs to which a proof adds another one, by cause and file. `refusals` are the cases
    in which a program should refuse what it is given.
    """

    found: tuple[Repair, ...] = ()
    notes: tuple[str, ...] = ()
    own_checks: Mapping[str, Mapping[str, OwnChecks]] = field(default_factory=dict)
    refusals: frozenset[str] = frozenset()

    def added_to(self, report: Report) -> Report:
        """Return the report with them.

        In between, a bug that is repaired in several programs is a cause for each of them.
        """
        causes = tuple(part for cause in report.causes for part in self._parts(cause))
        report = report.model_copy(update={"causes": causes})
        for repair in self.found:
            report = _with_repair(report, repair, self)
        causes = tuple(self._with_own_checks(cause) for cause in _merged(report.causes))
        return report.model_copy(update={"causes": causes, "notes": (*report.notes, *self.notes)})

    def _with_own_checks(self, cause: Cause) -> Cause:
        """Return a cause without a check that was added to its programs, if they have such a check themselves."""
        own = self.own_checks.get(cause.name)
        if own is None or not adds(cause) or cause.proof is None:
            return cause
        return cause.model_copy(update={"proof": of_own_checks(cause.proof, own) or cause.proof})

    def _parts(self, cause: Cause) -> Iterator[Cause]:
        programs = list(dict.fromkeys(program_of(check) for check in cause.checks))
        checks = [tuple(check for check in cause.checks if program_of(check) == program) for program in programs]
        is_open = cause.proof is None or (cause.name in self.own_checks and adds(cause))
        is_repaired = is_open and all(any(one.repairs(some) for one in self.found) for some in checks)
        yield from (cause.model_copy(update={"checks": some}) for some in (checks if is_repaired else [cause.checks]))


def _merged(causes: Iterable[Cause]) -> tuple[Cause, ...]:
    """Return the causes with the parts of a bug of several programs as one."""
    by_name: dict[str, list[Cause]] = {}
    for cause in causes:
        by_name.setdefault(cause.name, []).append(cause)
    return tuple(_one(parts) for parts in by_name.values())


def _one(parts: Sequence[Cause]) -> Cause:
    proofs = [part.proof for part in parts if part.proof is not None]
    if len(parts) == 1 or len(proofs) < len(parts):
        return parts[0]
    proof = joined(proofs)
    checks = tuple(check for part in parts for check in part.checks)
    lines = tuple(line for part in parts for line in part.lines)
    return parts[0].model_copy(update={"checks": checks, "lines": lines, "proof": proof})


def adds(cause: Cause) -> bool:
    """Return whether the proof of a cause added something to the source, and changed no line of it."""
    return cause.proof is not None and not cause.lines


def _with_repair(report: Report, repair: Repair, repairs: Repairs) -> Report:
    """Return the report with a repair as the proof of a certain cause or, if there is none, in a symptom.

    What one change repairs is one mistake: other causes and symptoms of which it repairs everything are left out.
    If it repairs most of a cause or a symptom, it is reported there, with what is left to repair.
    """
    causes = [cause for cause in report.causes if repair.repairs(cause.checks)]
    named = [
        cause
        for cause in causes
        if cause.certainty == "certain" or (cause.name in repairs.own_checks and adds(cause))
    ]
    # An earlier change has repaired the rest.
    begun = [
        cause
        for cause in causes
        if cause.proof is not None and cause.lines and repair.checks.isdisjoint(cause.proof.checks)
    ]
    named += begun
    named += [
        cause
        for cause in report.causes
        if cause not in causes
        and cause.certainty == "certain"
        and repair.repairs_most(cause.checks)
        and not _accepts_still(repair, report, cause, repairs.refusals)
    ]
    certain = max(named, key=lambda cause: len({*cause.checks} & repair.checks), default=None)
    if certain is not None and certain not in causes:
        causes.append(certain)
    # A bug of both programs is not repaired in one of them.
    left = {check for cause in report.causes if cause not in causes for check in cause.checks}
    symptoms = [
        symptom for symptom in report.symptoms if repair.repairs(symptom.checks) and left.isdisjoint(symptom.checks)
    ]
    # The one with the shortest cases is the easiest to understand.
    symptoms.sort(key=lambda symptom: _is_long(report, symptom))
    partly = [
        symptom
        for symptom in report.symptoms
        if symptom not in symptoms and repair.repairs_most({*symptom.checks} - left)
    ]
    explained = {check for cause in causes for check in cause.checks}
    explained |= {check for symptom in symptoms for check in symptom.checks}
    explained |= {check for symptom in partly for check in symptom.checks} & repair.checks - left
    # The title of a cause is about its own checks.
    own = () if certain is None else certain.checks
    ids = (*own, *(check.id for check in report.checks if check.id in explained and check.id not in own))
    name = None if certain is None else certain.name
    checks = (check.model_copy(update={"cause": name}) if check.id in explained else check for check in report.checks)
    proof, lines = with_left(repair.proof, _still_failing(repair, report, {*own})), repair.lines
    if certain in begun and certain is not None and certain.proof is not None:
        added = with_left(repair.addition or repair.proof, _still_failing(repair, report, {*own}))
        proof = continued(certain.proof, added)
        lines = (*certain.lines, *(line for line in lines if line not in certain.lines))
    proven = {"checks": ids, "lines": lines, "proof": proof, "certainty": "proven"}
    return report.model_copy(
        update={
            "checks": tuple(checks),
            "causes": tuple(
                cause.model_copy(update=proven) if cause == certain else cause
                for cause in report.causes
                if cause == certain or cause not in causes
            ),
            "symptoms": report.symptoms
            if certain is not None
            else _joined(report, [*partly, *symptoms], ids, repair, left),
        }
    )


def _accepts_still(repair: Repair, report: Report, cause: Cause, refusals: Collection[str]) -> bool:
    """Return whether wrong operands of a cause's checks are still accepted: what should refuse them is not there."""
    return any(
        result.case in refusals
        for check in report.checks
        if check.id in cause.checks and check.id in repair.unrepaired
        for result in visible_results(check)
    )


def _is_long(report: Report, symptom: Symptom) -> bool:
    """Return whether a symptom was seen with large inputs only, of which a command shows a part."""
    sizes = [
        result.input_size_bytes
        for check in report.checks
        if check.id in symptom.checks
        for result in visible_results(check)
        if result.case in symptom.cases
    ]
    return bool(sizes) and min(sizes) > SHORT_BYTES


def _joined(
    report: Report, repaired: Sequence[Symptom], checks: Sequence[str], repair: Repair, left: Collection[str]
) -> tuple[Symptom, ...]:
    """Return the symptoms with one in place of those that a change repairs, perhaps not in all their checks.

    The checks in `left` have a cause of their own.
    """
    first = next(iter(repaired), None)
    if first is None:
        return report.symptoms
    before = first.lines if first.proof is not None else ()
    lines = [RelatedLine(**line.model_dump(), does="a small change repairs", role=REPAIRED) for line in repair.lines]
    every = dict.fromkeys(check for symptom in repaired for check in symptom.checks)
    still = _still_failing(repair, report, {*every} - {*left})
    proof = with_left(repair.proof, still)
    if first.proof is not None:
        proof = continued(first.proof, with_left(repair.addition or repair.proof, still))
    update = {
        "proof": proof,
        "advice": proof.sentence,
        "parts": (),
        # The command shows a case of the first check.
        "checks": (*dict.fromkeys((*checks, *every)),),
        "lines": (*before, *(line for line in lines if line not in before)),
    }
    return tuple(
        symptom.model_copy(update=update) if symptom == first else symptom
        for symptom in report.symptoms
        if symptom == first or symptom not in repaired
    )


def _still_failing(repair: Repair, report: Report, checks: Collection[str]) -> list[str]:
    """Return the names of those of these checks that still fail with a repair."""
    return [check.name for check in report.checks if check.id in checks and check.id in repair.unrepaired]


@dataclass(frozen=True)
class _Target:
    """A failure to repair: its failed checks, the run to repair, and those that must stay right.

    `ends` says whether the program ends in the first one.
    """

    checks: tuple[Check, ...]
    failing: RunStep
    passing: tuple[RunStep, ...]
    ends: bool

    @property
    def lost_points(self) -> float:
        return sum(check.max_points - check.points for check in self.checks)


class ChangeSearch:
    """Looks for small changes of the sources of one submission."""

    def __init__(  # noqa: PLR0913, PLR0917 - what is known of a submission, and what tries its copies
        self,
        lab: Lab,
        sources: Mapping[str, bytes],
        copies: FixedCopies,
        search: SourceSearch,
        writer: ProofWriter,
        right_programs: RightPrograms = no_programs,
    ) -> None:
        self._lab = lab
        self._sources = sources
        self._copies = copies
        self._search = search
        self._trials = FixTrials(lab, copies)
        self._completion = FixCompletion(lab, sources, copies, search, writer)
        self._fresh = FreshTrials(lab, copies)
        self._writer = writer
        self._donors = DonorSearch(lab, copies, right_programs)

    def search(self, report: Report, runs: Plan, unsound: Collection[str] = ()) -> Repairs:
        """Look for changes that repair what no proven cause explains, in the runs that students see.

        If there are none, pieces of right programs are tried.
        """
        try:
            own = self._own_checks(report)
            failed = dict.fromkeys(check.program for check in report.checks if check.status == "failed")
            found = self._copies.for_each(
                [program for program in failed if self._lab.spec.is_single_c(program)],
                lambda program: [*self._of_program(program, report, runs, own, is_unsound=program in unsound)],
            )
            refusals = frozenset(name for name, case in self._lab.spec.cases.items() if case.is_refusal)
            repairs = tuple(repair for of_program in found for repair in of_program)
            return Repairs(repairs, own_checks=own, refusals=refusals)
        except GraderError as error:
            return Repairs(notes=(f"small changes of the source could not be tried: {error}",))

    def _own_checks(self, report: Report) -> Mapping[str, Mapping[str, OwnChecks]]:
        """Return the checks that programs have themselves, by file and by the causes whose proof adds another one."""
        found: dict[str, dict[str, OwnChecks]] = {}
        for cause in filter(adds, report.causes):
            for program in dict.fromkeys(map(program_of, cause.checks)):
                checks = [check for check in report.checks if check.id in cause.checks and check.program == program]
                cases = [result for check in checks for result in visible_results(check) if not result.passed]
                places = self._search.lines(report, program)
                # What refuses too late is not meant.
                is_accepted = all(result.ending == Exited(kind="exited", code=0) for result in cases)
                if places is not None and is_accepted:
                    lines = {role: [place.lines for place in some] for role, some in places.items()}
                    own = own_checks([result.operands for result in cases], lines, roles())
                    if own is not None:
                        found.setdefault(cause.name, {})[self._lab.spec.programs[program].main_source] = own
        return {
            cause.name: found[cause.name]
            for cause in report.causes
            if len(found.get(cause.name, ())) == len({*map(program_of, cause.checks)})
        }

    def _of_program(
        self, program: str, report: Report, runs: Plan, own: Collection[str], *, is_unsound: bool
    ) -> Iterator[Repair]:
        source = self._sources.get(self._lab.spec.programs[program].main_source)
        targets = self._targets(program, report, runs, own)
        if source is None or not targets or not self._copies.may_run():
            return
        failing = ToRepair(program, source, report, runs, program, is_unsound)
        repairs = [*self._by_changes(failing, [*targets])]
        if not repairs:
            repairs = [*self.by_donors(failing, [check for target in targets for check in target.checks])]
        yield from repairs

    def by_donors(self, failing: ToRepair, checks: Sequence[Check]) -> Iterator[Repair]:
        """Yield the likeliest repair by pieces of right programs, of which students see nothing."""
        for choice in self._donors.works(failing, [*dict.fromkeys(checks)]):
            repair = self._repair_with(failing, choice, None)
            if repair is not None:
                yield replace(repair, proof=repair.proof.model_copy(update={"fixed": ()}))
                return

    def _by_changes(self, failing: ToRepair, targets: list[_Target]) -> Iterator[Repair]:
        """Yield what small changes repair."""
        program = failing.program
        found = self._search.changes(failing.report, program)
        changes = None if found is None else failing.changes(found)
        if changes is None or not changes.changes:
            return
        while len(targets) > 1 and len(targets) * len(changes.changes) > MOST_RUNS:
            targets.pop()
        trials = ChangeTrials(self._lab, self._copies, failing, changes)
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

    def _targets(self, program: str, report: Report, runs: Plan, own: Collection[str]) -> list[_Target]:
        """Return the failures to repair, the costliest first."""
        proven = {
            check
            for cause in report.causes
            if cause.certainty == "proven" and not (cause.name in own and adds(cause))
            for check in cause.checks
        }
        cases = self._lab.spec.cases
        steps = {step.case: step for step in runs.runs if step.id == run_id(program, step.case)}
        small = {case: step for case, step in steps.items() if self._copies.is_small(step)}
        of_program = [check for check in report.checks if check.program == program]
        results = [
            (check, result) for check in of_program for result in visible_results(check) if result.case in small
        ]
        copying = [
            result for _, result in results if result.passed and cases[result.case].wants_output and _tells(result)
        ]
        passing = min(copying, key=_size, default=None)
        # What makes a program accept right operands must not make it accept wrong ones.
        refusing = {
            check.id: result
            for check, result in sorted(results, key=lambda one: -_size(one[1]))
            if result.passed and cases[result.case].is_refusal
        }
        found = []
        for symptom in report.symptoms:
            checks = tuple(
                check
                for check in of_program
                if check.id in symptom.checks and check.status == "failed" and check.id not in proven
            )
            failing = [
                result
                for check, result in results
                if check in checks and not result.passed and (not symptom.cases or result.case in symptom.cases)
            ]
            if symptom.program != program or not failing:
                continue
            result = min(failing, key=lambda one: (not _tells(one), _size(one)))
            is_refusal = cases[result.case].is_refusal
            if is_refusal and passing is None:
                # Whatever refuses everything would do.
                continue
            right = [passing] if is_refusal and passing is not None else [*refusing.values()]
            stay = tuple(small[one.case] for one in right)
            found.append(_Target(checks, small[result.case], stay, isinstance(result.ending, Exited | Signalled)))
        found.sort(key=lambda one: -one.lost_points)
        unique = {one.failing.id: one for one in reversed(found)}
        return [one for one in found if one in unique.values()][:TARGETS]

    def _repair(
        self, failing: ToRepair, target: _Target, trials: ChangeTrials, before: Repair | None
    ) -> Repair | None:
        """Return the likeliest change that repairs something and breaks nothing, made after an earlier repair."""
        steps = [target.failing, *target.passing]
        finalists: list[Choice] = []
        for works in trials.works(steps, ends=target.ends):
            for choice in likeliest_first(works):
                if choice not in finalists and len(finalists) < FINALISTS:
                    finalists.append(choice)
                    repair = self._repair_with(failing, choice, before)
                    if repair is not None:
                        return repair
            if len(finalists) == FINALISTS:
                break
        return None

    def _second(self, failing: ToRepair, target: _Target, first: Repair) -> Repair | None:
        """Return the repair of what a first one leaves wrong in the checks of a target, made after it."""
        still = {check.id for check in target.checks} - first.checks
        completed = self._completion.complete(failing, first.tried, still, _NAME) if still else None
        if completed is None:
            return None
        tried, added = completed.judged.tried, completed.changes
        return self._made(tried, (*first.changes, *added), len(added), first.checks)

    def _repair_with(self, failing: ToRepair, choice: Choice, before: Repair | None) -> Repair | None:
        """Return what changes repair, None if that is nothing or they break something."""
        already = frozenset() if before is None else before.checks
        earlier = () if before is None else before.changes
        changes = (*earlier, *choice)
        data = fixed(failing.source, [edit for one in changes for edit in one.edits])
        if data is None:
            return None
        fix = Fix(failing.program, data, {_NAME: changes})
        judged = self._trials.try_alone(failing.report, failing.runs, fix, already)
        if judged is not None:
            completed = self._completion.with_types(failing, Completed(judged, choice), already, _NAME)
            judged, choice = completed.judged, completed.changes
        if judged is None or judged.broken or judged.worse or not already < frozenset(judged.tried.passed):
            return None
        if harms(self._lab, judged.tried, failing.report, choice):
            return None
        if not self._fresh.confirm(failing, judged.tried, choice):
            return None
        return self._made(judged.tried, (*earlier, *choice), len(choice), already)

    def _made(self, tried: Tried, changes: tuple[FoundChange, ...], added: int, already: frozenset[str]) -> Repair:
        """Return a repair by changes, of which the last ones were added to those of an earlier repair."""
        new = tuple(check for check in tried.passed if check not in already)
        short_only = tuple(check for check in tried.short_only if check in new)
        program = tried.fix.program
        repairing = replace(tried, passed=new, short_only=short_only)
        last = tried.fix.places[_NAME][-added:]
        addition = None
        if added < len(changes):
            addition = self._writer.proof([replace(repairing, fix=replace(tried.fix, places={_NAME: last}))])
        return Repair(
            program,
            changes,
            frozenset(tried.passed),
            frozenset(tried.run) - frozenset(tried.passed),
            self._writer.proof([repairing]),
            tuple(self._writer.lines(program, last)),
            tried,
            addition,
        )


def _size(result: CaseResult) -> int:
    return result.input_size_bytes + sum(map(len, result.operands))


def _tells(result: CaseResult) -> bool:
    return result.input_size_bytes >= TELLING_BYTES
