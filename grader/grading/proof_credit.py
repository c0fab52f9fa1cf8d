"""Decide which checks a proven cause explains: those that its fix repaired, also those of other causes or of none."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace

from grader.grading.fix_trials import Repaired, Tried
from grader.grading.proof_sentences import ProofWriter
from grader.model.report import CasesEvidence, Cause, CauseLine, Check, Proof, Report, Symptom
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import program_of


@dataclass(frozen=True)
class Proven:
    """What is known of the source of one cause.

    `is_refuted`: removing its construct from the source changed nothing, or the source does not have it. `works` are
    the fixes of the proof, one for each program. They repair also the checks `others`, which were those of another
    cause or of none, and leave `unrepaired` failing. Of these, `left` have no other cause. Those in `broken` had
    passed.
    """

    lines: tuple[CauseLine, ...] = ()
    proof: Proof | None = None
    is_refuted: bool = False
    works: tuple[Tried, ...] = ()
    others: frozenset[str] = frozenset()
    unrepaired: frozenset[str] = frozenset()
    left: tuple[str, ...] = ()
    broken: tuple[str, ...] = ()

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


def credited(
    report: Report, known: Mapping[str, Proven], repaired: Sequence[Repaired], writer: ProofWriter
) -> Mapping[str, Proven]:
    """Return what is known of the causes when the fixes that work have been tried in every short case.

    If another case of a check of the cause fails with the fix, nothing is proven; nor if a case fails with it that
    had passed in a check that had failed, because no sentence about checks would tell. A check of other causes
    belongs to the first whose fix repairs it, unless its own cause is proven, or a fix without this cause repairs it
    too. A fix that only adds a check of the operands gets no check of copies.
    """
    known = {**known}
    wide: dict[str, list[tuple[Tried, Repaired]]] = {}
    for cause in report.causes:
        works = known[cause.name].works if cause.name in known else ()
        wide[cause.name] = [(tried, one) for tried in works for one in repaired if one.tried.fix == tried.fix]
        if any(
            one.worse or {*tried.passed} & {*one.tried.run} - {*one.tried.passed} for tried, one in wide[cause.name]
        ):
            known[cause.name], wide[cause.name] = Proven(), []
    proven = [cause for cause in report.causes if wide[cause.name]]
    taken = {check for cause in proven for check in cause.checks}
    for cause in proven:
        found = wide[cause.name]
        without = {check for one in repaired if cause.name not in one.tried.fix.causes for check in one.tried.passed}
        passed = {check for _, one in found for check in one.tried.passed}
        others = passed - taken - without
        if all(not place.lines for tried, _ in found for place in tried.fix.places.get(cause.name, ())):
            others -= {check.id for check in report.checks if not _is_of_refusals(check, writer.spec)}
        taken |= others
        works = tuple(_joined(tried, one.tried, others, report) for tried, one in found)
        repaired_checks = {check for tried in works for check in tried.passed}
        unrepaired = frozenset(check for _, one in found for check in one.tried.run) - repaired_checks
        # What has a cause of its own is said there.
        left = [check.id for check in report.checks if check.id in unrepaired and check.cause in (None, cause.name)]
        left = [check for check in left if check not in passed]
        broken = [check for _, one in found for check in one.broken]
        known[cause.name] = replace(
            known[cause.name],
            proof=writer.proof(works, broken, left),
            works=works,
            others=frozenset(others),
            unrepaired=unrepaired,
            left=tuple(left),
            broken=tuple(broken),
        )
    return known


def _is_of_refusals(check: Check, spec: Spec) -> bool:
    """Return whether a check failed only where the operands should have been refused.

    A check of the operands that was added to the source repairs nothing else, except by chance.
    """
    return isinstance(check.evidence, CasesEvidence) and all(
        result.passed or spec.cases[result.case].is_refusal for result in check.evidence.cases
    )


def _joined(tried: Tried, wide: Tried, others: Collection[str], report: Report) -> Tried:
    """Return what a fix did to the checks of its cause, and to these others."""
    passed = {*tried.passed} | {check for check in wide.passed if check in others}
    short_only = {*tried.short_only, *wide.short_only} & passed
    ordered = tuple(check.id for check in report.checks if check.id in passed)
    return Tried(tried.fix, ordered, ordered, tuple(check for check in ordered if check in short_only), wide.evidence)


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
