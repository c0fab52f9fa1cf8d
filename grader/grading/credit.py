"""Decide which checks a proven cause or a small change explains, and where a report says so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.diagnose.own_checks import OwnChecks
from grader.diagnose.related_lines import REPAIRED
from grader.grading.proof_sentences import ProofWriter, continued, joined, of_own_checks, with_left
from grader.grading.trials import Trial, visible_results
from grader.model.report import CasesEvidence, Cause, CauseLine, Check, Proof, RelatedLine, Report, Symptom
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import program_of

SHORT_BYTES = 16_384
"""The inputs of most cases are shorter."""


@dataclass(frozen=True)
class Proven:
    """What is known of the source of one cause.

    `is_refuted`: removing its construct from the source changed nothing, or the source does not have it. `works` are
    the fixes of the proof, one for each program. They repair also the checks `others`, which were those of another
    cause or of none, and leave `unrepaired` failing.
    """

    lines: tuple[CauseLine, ...] = ()
    proof: Proof | None = None
    is_refuted: bool = False
    works: tuple[Trial, ...] = ()
    others: frozenset[str] = frozenset()
    unrepaired: frozenset[str] = frozenset()

    def proves(self, cause: Cause) -> bool:
        """Return whether the proof is about checks of the cause: hidden runs may have changed which it explains."""
        return self.proof is not None and {*self.proof.checks} - self.others <= {*cause.checks}


@dataclass(frozen=True)
class Proofs:
    """What was found in the source for each cause, by name."""

    by_cause: Mapping[str, Proven] = field(default_factory=dict)
    notes: tuple[str, ...] = ()

    def added_to(self, report: Report) -> Report:
        """Return the report with it.

        A likely cause whose fix repaired nothing is left out, and so is any cause if the fix of another one repaired
        all its checks.
        """
        if not self.by_cause and not self.notes:
            return report
        left = [cause for cause in report.causes if not self.by_cause.get(cause.name, Proven()).is_refuted]
        names = {cause.name for cause in left}
        checks = [
            check if check.cause is None or check.cause in names else check.model_copy(update={"cause": None})
            for check in report.checks
        ]
        explained = {cause.name: {*cause.checks} for cause in left}
        for cause in left:
            known = self.by_cause.get(cause.name)
            if known is not None and known.proves(cause):
                repaired = _repaired_with(known, cause, explained, checks, report.symptoms)
                explained = {name: ids - repaired for name, ids in explained.items()}
                explained[cause.name] |= repaired
                checks = [
                    check.model_copy(update={"cause": cause.name}) if check.id in repaired else check
                    for check in checks
                ]
        order = [check.id for check in checks]
        causes = [
            self._added(cause, _own_first(cause, [check for check in order if check in explained[cause.name]]))
            for cause in left
            if explained[cause.name]
        ]
        update = {
            "causes": tuple(sorted(causes, key=lambda cause: order.index(cause.checks[0]))),
            "checks": tuple(checks),
            "notes": (*report.notes, *self.notes),
        }
        return report.model_copy(update=update)

    def _added(self, cause: Cause, checks: tuple[str, ...]) -> Cause:
        known = self.by_cause.get(cause.name)
        if known is None:
            return cause.model_copy(update={"checks": checks})
        is_proven = known.proves(cause)
        return cause.model_copy(
            update={
                "checks": checks,
                "lines": known.lines,
                "proof": known.proof if is_proven else None,
                "certainty": "proven" if is_proven else cause.certainty,
            }
        )


def credited(report: Report, known: Mapping[str, Proven], writer: ProofWriter) -> Mapping[str, Proven]:
    """Return what is known of the causes, with their proofs.

    A check of other causes belongs to the first whose fix repairs it, unless its own cause is proven, or a fix
    without this cause repairs it too. A fix that only adds a check of the operands gets no check of copies.
    """
    known = {**known}
    causes = [cause for cause in report.causes if cause.name in known and known[cause.name].works]
    every = [trial for cause in causes for trial in known[cause.name].works]
    taken = {check for cause in causes for check in cause.checks}
    for cause in causes:
        works = known[cause.name].works
        without = {check for trial in every if cause.name not in trial.fix.places for check in trial.passed}
        others = {check for trial in works for check in trial.passed} - taken - without
        if not any(place.lines for trial in works for place in trial.fix.places.get(cause.name, ())):
            others -= {check.id for check in report.checks if not _is_of_refusals(check, writer.spec)}
        taken |= others
        own = tuple(trial.only({*cause.checks, *others}) for trial in works)
        repaired = {check for trial in own for check in trial.passed}
        known[cause.name] = replace(
            known[cause.name],
            proof=writer.proof(own),
            works=own,
            others=frozenset(others),
            unrepaired=frozenset(check for trial in works for check in trial.run) - repaired,
        )
    return known


def _is_of_refusals(check: Check, spec: Spec) -> bool:
    """Return whether a check failed only where the operands should have been refused.

    A check of the operands that was added to the source repairs nothing else, except by chance.
    """
    return isinstance(check.evidence, CasesEvidence) and all(
        result.passed or spec.cases[result.case].is_refusal for result in check.evidence.cases
    )


def _repaired_with(
    known: Proven,
    cause: Cause,
    explained: Mapping[str, Collection[str]],
    checks: Iterable[Check],
    symptoms: Sequence[Symptom],
) -> set[str]:
    """Return the failed checks of other causes, or of none, that the fix of a proven cause repairs.

    A check that takes too long to be run with the fix is one of them if, of those with the same cause or the same
    symptoms, the fix repaired every one that was run.
    """
    repaired = {check for tried in known.works for check in tried.passed}
    found = set()
    for check in checks:
        if check.status != "failed" or check.id in cause.checks or check.id in known.unrepaired:
            continue
        if check.cause is not None:
            alike = [explained[check.cause]]
        else:
            alike = [symptom.checks for symptom in symptoms if check.id in symptom.checks]
            alike = alike if check.visibility == "visible" else []
        groups = [{one for one in group if program_of(one) == check.program} for group in alike]
        if check.id in known.others or (
            groups and all(group & repaired and not group & known.unrepaired for group in groups)
        ):
            found.add(check.id)
    return found


def _own_first(cause: Cause, checks: Sequence[str]) -> tuple[str, ...]:
    """Return checks with those first in which the cause was seen: they show what its title says."""
    return tuple(sorted(checks, key=lambda check: check not in cause.checks))


@dataclass(frozen=True)
class Repair:
    """Small changes that together repair checks of a program, and the proof.

    `unrepaired` still fail with them. `lines` are those of the changes that were found last. `addition` is the proof
    of these alone if others were found before. `trial` is what was seen with all changes.
    """

    program: str
    checks: frozenset[str]
    unrepaired: frozenset[str]
    proof: Proof
    lines: tuple[CauseLine, ...]
    trial: Trial
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
    certain = _proven_cause(report, repair, repairs)
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
    kept = [cause for cause in report.causes if cause == certain or cause not in causes]
    update: dict[str, object] = {"checks": tuple(checks), "causes": tuple(kept)}
    if certain is None:
        update["symptoms"] = _joined(report, [*partly, *symptoms], ids, repair, left)
    else:
        proven = _with_proof(certain, repair, ids, _still_failing(repair, report, {*own}))
        update["causes"] = tuple(proven if cause == certain else cause for cause in kept)
    return report.model_copy(update=update)


def _proven_cause(report: Report, repair: Repair, repairs: Repairs) -> Cause | None:
    """Return the cause that a repair proves, None if there is none: of several, the one with most of its checks."""
    proven = [
        cause
        for cause in report.causes
        if (
            cause.certainty == "certain"
            or (cause.name in repairs.own_checks and adds(cause))
            or _is_begun(cause, repair)
            if repair.repairs(cause.checks)
            else cause.certainty == "certain"
            and repair.repairs_most(cause.checks)
            and not _accepts_still(repair, report, cause, repairs.refusals)
        )
    ]
    return max(proven, key=lambda cause: len({*cause.checks} & repair.checks), default=None)


def _is_begun(cause: Cause, repair: Repair) -> bool:
    """Return whether an earlier change has repaired the rest of a cause."""
    return cause.proof is not None and bool(cause.lines) and repair.checks.isdisjoint(cause.proof.checks)


def _with_proof(cause: Cause, repair: Repair, checks: Sequence[str], left: Sequence[str]) -> Cause:
    proof, lines = with_left(repair.proof, left), repair.lines
    if cause.proof is not None and _is_begun(cause, repair):
        proof = continued(cause.proof, with_left(repair.addition or repair.proof, left))
        lines = (*cause.lines, *(line for line in lines if line not in cause.lines))
    return cause.model_copy(update={"checks": tuple(checks), "lines": lines, "proof": proof, "certainty": "proven"})


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
    lines = [RelatedLine(**line.model_dump(), does=REPAIRED) for line in repair.lines]
    every = dict.fromkeys(check for symptom in repaired for check in symptom.checks)
    still = _still_failing(repair, report, {*every} - {*left})
    proof = with_left(repair.proof, still)
    if first.proof is not None:
        proof = continued(first.proof, with_left(repair.addition or repair.proof, still))
    update = {
        "proof": proof,
        "advice": proof.sentence,
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
