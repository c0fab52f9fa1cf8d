"""From a report whose checks failed to one that names the causes."""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping

from grader.diagnose.match import Match, match
from grader.diagnose.traits import traits
from grader.model.evidence import Evidence
from grader.model.mutant import Mutant
from grader.model.report import Cause, Report
from grader.model.signature import Signatures, Traits, check_of
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem, CasesItem


def needs_explaining(spec: Spec, report: Report) -> bool:
    """Return whether a check failed for which a bug may be known; what does not compile is its own cause."""
    builds = {item.name for item in spec.rubric if isinstance(item, BuildItem)}
    return any(check.status == "failed" and check.name not in builds for check in report.checks)


def explain(
    spec: Spec, report: Report, evidence: Evidence, signatures: Signatures, mutants: Iterable[Mutant]
) -> Report:
    """Return the report with the causes of its failed checks, where known bugs explain them."""
    causes: dict[str, str] = {}
    certain: dict[str, bool] = {}
    for program in spec.programs:
        found = _match(spec, program, report, evidence, signatures)
        if found is None:
            continue
        for check, bug in _assigned(found).items():
            causes[f"{program}.{check}"] = bug
            # Of some checks alone nobody knows whether the others would have spoken against it.
            certain[bug] = certain.get(bug, True) and bug in found.certain and not report.only
    return report.model_copy(
        update={
            "checks": tuple(check.model_copy(update={"cause": causes.get(check.id)}) for check in report.checks),
            "causes": tuple(_causes(causes, certain, report, {mutant.name: mutant for mutant in mutants})),
        }
    )


def _match(spec: Spec, program: str, report: Report, evidence: Evidence, signatures: Signatures) -> Match | None:
    known = signatures.traits.get(program, {})
    unknown = _unmeasured(spec, known)
    found = traits(spec, program, report.checks, evidence)
    seen = {name: trait for name, trait in found.items() if check_of(name) not in unknown}
    if not seen:
        return None
    skipped = {check.name for check in report.checks if check.program == program and check.status == "skipped"}
    return match(seen, skipped, known)


def _unmeasured(spec: Spec, known: Mapping[str, Traits]) -> Collection[str]:
    """Return the checks of which nobody knows how known bugs show in them: they speak for none and against none.

    Mutants are not run at full size: what they do there their pages say, and these know only the lab's own checks.
    """
    told = {check_of(name) for its_traits in known.values() for name in its_traits}
    return {
        item.name
        for item in spec.rubric
        if isinstance(item, CasesItem)
        and all(spec.cases[case].limits == "full" for case in item.cases)
        and item.name not in told
    }


def _assigned(found: Match) -> Mapping[str, str]:
    """Give each check that bugs account for to one: to that which accounts for most of it, or for little else."""
    counts: defaultdict[str, Counter[str]] = defaultdict(Counter)
    for bug in found.bugs:
        for one in found.facets[bug]:
            counts[check_of(one)][bug] += 1
    return {check: max(bugs, key=lambda bug: (bugs[bug], -len(found.facets[bug]))) for check, bugs in counts.items()}


def _causes(
    causes: Mapping[str, str], certain: Mapping[str, bool], report: Report, mutants: Mapping[str, Mutant]
) -> Iterable[Cause]:
    """Yield each cause once, in the order in which the checks come that it explains."""
    for bug in dict.fromkeys(causes[check.id] for check in report.checks if check.id in causes):
        checks = [check for check in report.checks if causes.get(check.id) == bug]
        yield Cause(
            name=bug,
            title=mutants[bug].title,
            page=mutants[bug].page_for({check.program for check in checks}),
            certainty="certain" if certain[bug] else "likely",
            checks=tuple(check.id for check in checks),
        )
