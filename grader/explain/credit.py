"""Decide which checks a proven cause or a small change explains, and where a report says so."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import cached_property

from grader.diagnose.source.own_checks import OwnChecks
from grader.explain.proof_sentences import ProofWriter, continued, joined_proofs, of_own_checks, with_left
from grader.explain.trials import Trial
from grader.model.report import REPAIRED, CasesEvidence, Cause, CauseLine, Check, Proof, RelatedLine, Report, Symptom
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
        causes = [cause for cause in report.causes if not self._of(cause).is_refuted]
        owned = self._owned(causes, report)
        owners = {check: name for name, ids in owned.items() for check in ids}
        checks = [check.model_copy(update={"cause": owners.get(check.id)}) for check in report.checks]
        added = [self._added(cause, checks) for cause in causes if owned[cause.name]]
        order = [check.id for check in checks]
        update = {
            "causes": tuple(sorted(added, key=lambda cause: order.index(cause.checks[0]))),
            "checks": tuple(checks),
            "notes": (*report.notes, *self.notes),
        }
        return report.model_copy(update=update)

    def _owned(self, causes: Sequence[Cause], report: Report) -> Mapping[str, frozenset[str]]:
        """Return the checks that each cause explains: a proven one gets those of others that its fix repairs."""
        owned = {cause.name: frozenset(cause.checks) for cause in causes}
        for cause in causes:
            if self._of(cause).proves(cause):
                repaired = _repaired_with(self._of(cause), cause, owned, report)
                owned = {name: ids - repaired for name, ids in owned.items()}
                owned[cause.name] |= repaired
        return owned

    def _of(self, cause: Cause) -> Proven:
        return self.by_cause.get(cause.name, Proven())

    def _added(self, cause: Cause, checks: Iterable[Check]) -> Cause:
        """Return a cause with what is known of it, and first the checks in which it was seen, as its title says."""
        ids = [check.id for check in checks if check.cause == cause.name]
        cause = cause.model_copy(update={"checks": tuple(sorted(ids, key=lambda one: one not in cause.checks))})
        known = self.by_cause.get(cause.name)
        if known is None:
            return cause
        is_proven = known.proves(cause)
        proof, certainty = (known.proof, "proven") if is_proven else (None, cause.certainty)
        return cause.model_copy(update={"lines": known.lines, "proof": proof, "certainty": certainty})


def credited(report: Report, known: Mapping[str, Proven], writer: ProofWriter) -> Mapping[str, Proven]:
    """Return what is known of the causes, with their proofs.

    A check of other causes belongs to the first whose fix repairs it, unless its own cause is proven, or a fix
    without this cause repairs it too.
    """
    credited_causes = {**known}
    causes = [cause for cause in report.causes if cause.name in known and known[cause.name].works]
    taken = {check for cause in causes for check in cause.checks}
    for cause in causes:
        works = known[cause.name].works
        others = _others(cause, known, report, writer.spec) - taken
        taken |= others
        own = tuple(trial.only({*cause.checks, *others}) for trial in works)
        run = frozenset(check for trial in works for check in trial.run)
        credited_causes[cause.name] = replace(
            known[cause.name],
            proof=writer.proof(own),
            works=own,
            others=frozenset(others),
            unrepaired=run.difference(*(trial.passed for trial in own)),
        )
    return credited_causes


def _others(cause: Cause, known: Mapping[str, Proven], report: Report, spec: Spec) -> set[str]:
    """Return the checks that a cause may get: the fix repairs them, and no fix without it does.

    A fix that only adds a check of the operands gets no check of copies: it repairs these only by chance.
    """
    works = known[cause.name].works
    every = [trial for proven in known.values() for trial in proven.works]
    without = {check for trial in every if cause.name not in trial.fix.places for check in trial.passed}
    found = {check for trial in works for check in trial.passed} - without
    if any(place.lines for trial in works for place in trial.fix.places.get(cause.name, ())):
        return found
    return {check.id for check in report.checks if check.id in found and _is_of_refusals(check, spec)}


def _is_of_refusals(check: Check, spec: Spec) -> bool:
    """Return whether a check failed only where the operands should have been refused."""
    return isinstance(check.evidence, CasesEvidence) and all(
        result.passed or spec.cases[result.case].is_refusal for result in check.evidence.cases
    )


def _repaired_with(
    known: Proven, cause: Cause, owned: Mapping[str, Collection[str]], report: Report
) -> frozenset[str]:
    """Return the failed checks of other causes, or of none, that the fix of a proven cause repairs.

    A check that takes too long to be run with the fix is one of them if, of those with the same cause or the same
    symptoms, the fix repaired every one that was run.
    """
    repaired = {check for trial in known.works for check in trial.passed}
    failed = [check for check in report.checks if check.status == "failed"]
    others = [check for check in failed if check.id not in known.unrepaired.union(cause.checks)]
    return frozenset(
        check.id
        for check in others
        if check.id in known.others or _goes_with(_alike(check, owned, report.symptoms), repaired, known.unrepaired)
    )


def _alike(check: Check, owned: Mapping[str, Collection[str]], symptoms: Iterable[Symptom]) -> list[set[str]]:
    """Return groups of checks of a program that failed like this one: those of its cause, or else of its symptoms."""
    groups = [ids for ids in owned.values() if check.id in ids]
    if not groups and check.visibility == "visible":
        groups = [symptom.checks for symptom in symptoms if check.id in symptom.checks]
    return [{one for one in group if program_of(one) == check.program} for group in groups]


def _goes_with(groups: Sequence[set[str]], repaired: Collection[str], unrepaired: frozenset[str]) -> bool:
    return bool(groups) and not any(group.isdisjoint(repaired) or group & unrepaired for group in groups)


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
        """Return whether these checks are of the program, and at least half of them were repaired."""
        found = {*checks}
        return {*map(program_of, found)} == {self.program} and 2 * len(found & self.checks) >= len(found)


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
    return tuple(_joined_cause(parts) for parts in by_name.values())


def _joined_cause(parts: Sequence[Cause]) -> Cause:
    proofs = [part.proof for part in parts if part.proof is not None]
    if len(parts) == 1 or len(proofs) < len(parts):
        return parts[0]
    proof = joined_proofs(proofs)
    checks = tuple(check for part in parts for check in part.checks)
    lines = tuple(line for part in parts for line in part.lines)
    return parts[0].model_copy(update={"checks": checks, "lines": lines, "proof": proof})


def adds(cause: Cause) -> bool:
    """Return whether the proof of a cause added something to the source, and changed no line of it."""
    return cause.proof is not None and not cause.lines


def _with_repair(report: Report, repair: Repair, repairs: Repairs) -> Report:
    """Return the report with a repair as the proof of a certain cause or, if there is none, in a symptom."""
    placed = _Placed(report, repair, repairs)
    name = None if placed.certain is None else placed.certain.name
    checks = tuple(
        check.model_copy(update={"cause": name}) if check.id in placed.explained else check for check in report.checks
    )
    causes = [cause for cause in report.causes if cause == placed.certain or cause not in placed.causes]
    if placed.certain is not None:
        causes = [placed.proven(cause) if cause == placed.certain else cause for cause in causes]
    symptoms = report.symptoms if placed.certain is not None else placed.joined_symptoms()
    return report.model_copy(update={"checks": checks, "causes": tuple(causes), "symptoms": symptoms})


@dataclass(frozen=True)
class _Placed:
    """The place of a repair in a report.

    What one change repairs is one mistake: other causes and symptoms of which it repairs everything are left out.
    If it repairs most of a cause or a symptom, it is reported there, with what is left to repair.
    """

    report: Report
    repair: Repair
    repairs: Repairs

    @cached_property
    def certain(self) -> Cause | None:
        """The cause that the repair proves, None if there is none: of several, the one with most of its checks."""
        proven = filter(self._is_proven, self.report.causes)
        return max(proven, key=lambda cause: len({*cause.checks} & self.repair.checks), default=None)

    def _is_proven(self, cause: Cause) -> bool:
        is_certain = cause.certainty == "certain"
        if self.repair.repairs(cause.checks):
            return is_certain or (cause.name in self.repairs.own_checks and adds(cause)) or self._is_begun(cause)
        return is_certain and self.repair.repairs_most(cause.checks) and not self._accepts_still(cause)

    def _is_begun(self, cause: Cause) -> bool:
        """Return whether an earlier change has repaired the rest of a cause."""
        return cause.proof is not None and bool(cause.lines) and self.repair.checks.isdisjoint(cause.proof.checks)

    def _accepts_still(self, cause: Cause) -> bool:
        """Return whether wrong operands of a cause's checks are still accepted: nothing is there to refuse them."""
        return any(
            result.case in self.repairs.refusals
            for check in self.report.checks
            if check.id in self.repair.unrepaired.intersection(cause.checks)
            for result in check.visible_results
        )

    @cached_property
    def causes(self) -> list[Cause]:
        """The causes of which it repairs everything, and the one that it proves."""
        return [cause for cause in self.report.causes if cause == self.certain or self.repair.repairs(cause.checks)]

    @cached_property
    def left(self) -> frozenset[str]:
        """The checks of other causes: a bug of both programs is not repaired in one of them."""
        others = [cause.checks for cause in self.report.causes if cause not in self.causes]
        return frozenset().union(*others)

    @cached_property
    def symptoms(self) -> list[Symptom]:
        """The symptoms of which it repairs everything, first that with the shortest cases, which are the easiest."""
        repaired = [one for one in self.report.symptoms if self.repair.repairs(one.checks)]
        return sorted((one for one in repaired if self.left.isdisjoint(one.checks)), key=self._is_long)

    @cached_property
    def partly(self) -> list[Symptom]:
        """The symptoms of which it repairs most."""
        others = [one for one in self.report.symptoms if one not in self.symptoms]
        return [one for one in others if self.repair.repairs_most({*one.checks} - self.left)]

    def _is_long(self, symptom: Symptom) -> bool:
        """Return whether a symptom was seen with large inputs only, of which a command shows a part."""
        checks = [check for check in self.report.checks if check.id in symptom.checks]
        results = [result for check in checks for result in check.visible_results if result.case in symptom.cases]
        return min((result.input_size_bytes for result in results), default=0) > SHORT_BYTES

    @cached_property
    def explained(self) -> frozenset[str]:
        """The checks that it explains."""
        whole = [*(cause.checks for cause in self.causes), *(one.checks for one in self.symptoms)]
        some = frozenset().union(*(one.checks for one in self.partly)) & self.repair.checks - self.left
        return frozenset().union(some, *whole)

    @property
    def checks(self) -> tuple[str, ...]:
        """The same in order, first those of the cause, whose title is about them."""
        own = () if self.certain is None else self.certain.checks
        ids = [check.id for check in self.report.checks]
        return (*own, *(check for check in ids if check in self.explained and check not in own))

    def _proof(self, before: Proof | None, checks: Collection[str]) -> Proof:
        """Return the proof, made after an earlier one, with those of these checks that still fail."""
        open_checks = self.repair.unrepaired.intersection(checks)
        left = [check.name for check in self.report.checks if check.id in open_checks]
        if before is None:
            return with_left(self.repair.proof, left)
        return continued(before, with_left(self.repair.addition or self.repair.proof, left))

    def proven(self, cause: Cause) -> Cause:
        """Return the cause with the proof."""
        is_begun = self._is_begun(cause)
        before = cause.lines if is_begun else ()
        return cause.model_copy(
            update={
                "checks": self.checks,
                "lines": (*before, *(line for line in self.repair.lines if line not in before)),
                "proof": self._proof(cause.proof if is_begun else None, cause.checks),
                "certainty": "proven",
            }
        )

    def joined_symptoms(self) -> tuple[Symptom, ...]:
        """Return the symptoms with one in place of those that the change repairs, perhaps not in all their checks."""
        repaired = [*self.partly, *self.symptoms]
        if not repaired:
            return self.report.symptoms
        first = repaired[0]
        before = first.lines if first.proof is not None else ()
        lines = [
            RelatedLine(**line.model_dump(), does="a small change repairs", role=REPAIRED)
            for line in self.repair.lines
        ]
        every = dict.fromkeys(check for symptom in repaired for check in symptom.checks)
        proof = self._proof(first.proof, {*every} - self.left)
        update = {
            "proof": proof,
            "advice": proof.sentence,
            "parts": (),
            # The command shows a case of the first check.
            "checks": (*dict.fromkeys((*self.checks, *every)),),
            "lines": (*before, *(line for line in lines if line not in before)),
        }
        return tuple(
            symptom.model_copy(update=update) if symptom == first else symptom
            for symptom in self.report.symptoms
            if symptom == first or symptom not in repaired
        )
