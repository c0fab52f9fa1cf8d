"""Name the causes of the failed checks of a report."""

from __future__ import annotations

import re
from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping

from grader.diagnose.bugs.match import Match, match
from grader.diagnose.bugs.traits import NO_CALLS, kind_of, traits
from grader.model.evidence import Evidence
from grader.model.mutant import Mutant
from grader.model.report import Cause, Check, Report, SymbolsEvidence
from grader.model.signature import Signatures, Traits, bug_of, check_of_facet
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import CasesItem, check_id, program_of


def needs_explaining(report: Report) -> bool:
    """Return whether a check failed that a known bug may explain; a program that does not compile needs no cause."""
    unbuilt = report.unbuilt_programs
    return any(check.status == "failed" and check.program not in unbuilt for check in report.checks)


def explain(  # noqa: PLR0913, PLR0917 - everything that is known of one submission, and of the bugs
    spec: Spec,
    report: Report,
    evidence: Evidence,
    signatures: Signatures,
    mutants: Iterable[Mutant],
    failing_calls: Collection[str] = (),
) -> Report:
    """Return the report with the causes of those failed checks that known bugs explain.

    `failing_calls` are the programs of which strace saw a call fail. If such a program only refuses, crashes or
    writes nothing, as many do for many reasons, that call says more than a bug with the same effect.

    The cause of a check follows only from checks that everyone who sees it sees too. Otherwise a program could tell
    its student a bit of a hidden operand: by doing, or not, in a hidden run what a bug does that visible runs show.
    """
    causes: dict[str, str] = {}
    certain: dict[str, bool] = {}
    for visibility in sorted(
        dict.fromkeys(check.visibility for check in report.checks), key=lambda one: one != "visible"
    ):
        part = report.model_copy(
            update={"checks": tuple(check for check in report.checks if check.visibility in ("visible", visibility))}
        )
        withheld = {check.id for check in report.checks} - {check.id for check in part.checks}
        found, is_certain = _found(spec, part, evidence, signatures, failing_calls, withheld)
        causes |= {
            check.id: found[check.id] for check in part.checks if check.visibility == visibility and check.id in found
        }
        certain = {**is_certain, **certain}
    return report.model_copy(
        update={
            "checks": tuple(check.model_copy(update={"cause": causes.get(check.id)}) for check in report.checks),
            "causes": tuple(_causes(causes, certain, report, {mutant.name: mutant for mutant in mutants})),
        }
    )


def _found(  # noqa: PLR0913, PLR0917 - as `explain`
    spec: Spec,
    report: Report,
    evidence: Evidence,
    signatures: Signatures,
    failing_calls: Collection[str],
    withheld: Collection[str],
) -> tuple[Mapping[str, str], Mapping[str, bool]]:
    """Return the bug that explains each check, by id, and whether each bug is certain.

    Nothing is known of the checks in `withheld`, which the report lacks.
    """
    causes: dict[str, str] = {}
    certain: dict[str, bool] = {}
    for program in spec.programs:
        seen = traits(spec, program, report.checks, evidence)
        matched = _match(spec, program, report, seen, signatures, withheld)
        if matched is None:
            continue
        skipped = {check.name for check in report.checks if check.program == program and check.status == "skipped"}
        for check, bug in _bug_by_check(matched).items():
            # Only what it copies, not which calls are missing, tells such bugs apart.
            cases = [seen[name] for name in matched.exact[bug] if not seen[name].endswith(f" {NO_CALLS}")]
            if program in failing_calls and all(map(kind_of, cases)):
                continue
            causes[check_id(program, check)] = bug
            # Checks that were not selected or could not be judged might have contradicted the bug.
            is_seen = not report.only and skipped.isdisjoint(_checks_of(bug, signatures.traits.get(program, {})))
            certain[bug] = certain.get(bug, True) and bug in matched.certain and is_seen
    return causes, certain


def _checks_of(bug: str, known: Mapping[str, Traits]) -> frozenset[str]:
    """Return the checks in which a form of a bug shows."""
    return frozenset(
        check_of_facet(facet) for name, traits in known.items() if bug_of(name) == bug for facet in traits
    )


def with_reasons(
    report: Report, mutants: Iterable[Mutant], found: Mapping[str, Collection[tuple[str, int]]]
) -> Report:
    """Return the report with the reasons of those causes whose lines have the construct of the bug.

    What a program does may have another reason than the bug that the cause is named for. `found` has the files and
    lines of the construct, by cause.
    """
    known = {mutant.name: mutant for mutant in mutants}

    def explained(cause: Cause) -> Cause:
        if not any((line.file, line.number) in found.get(cause.name, ()) for line in cause.lines):
            return cause
        mutant = known[cause.name]
        title = mutant.title_for(is_found=True)
        page = mutant.page_for(_shown_programs(cause.checks, report), is_found=True)
        return cause.model_copy(update={"title": title, "page": page, "has_construct": True})

    return report.model_copy(update={"causes": tuple(map(explained, report.causes))})


def with_calls_of_causes(report: Report) -> Report:
    """Let a cause explain also that functions are called, if its lines in the source are what calls them."""
    causes = {check.id: cause for check in report.checks if (cause := _cause_of_calls(check, report.causes))}
    if not causes:
        return report
    added = {
        cause.name: cause.model_copy(update={"checks": tuple(check.id for check in report.checks if check.id in ids)})
        for cause in report.causes
        for ids in [{*cause.checks, *(check for check, one in causes.items() if one.name == cause.name)}]
    }
    return report.model_copy(
        update={
            "causes": tuple(added[cause.name] for cause in report.causes),
            "checks": tuple(
                check.model_copy(update={"cause": causes[check.id].name}) if check.id in causes else check
                for check in report.checks
            ),
        }
    )


def _cause_of_calls(check: Check, causes: Iterable[Cause]) -> Cause | None:
    """Return the only cause of which the lines call all the functions that a check forbids; None otherwise."""
    evidence = check.evidence
    if check.status != "failed" or check.cause is not None or not isinstance(evidence, SymbolsEvidence):
        return None
    if evidence.missing or not evidence.forbidden or check.visibility != "visible":
        return None
    found = [
        cause
        for cause in causes
        if check.program in map(program_of, cause.checks)
        and all(
            any(re.search(rf"\b{re.escape(name)}\s*\(", line.text) for line in cause.lines)
            for name in evidence.forbidden
        )
    ]
    return found[0] if len(found) == 1 else None


def _match(  # noqa: PLR0913, PLR0917 - as `explain`
    spec: Spec, program: str, report: Report, deviations: Traits, signatures: Signatures, withheld: Collection[str]
) -> Match | None:
    known = signatures.traits.get(program, {})
    unmeasured = _unmeasured(spec, known)
    seen = {name: trait for name, trait in deviations.items() if check_of_facet(name) not in unmeasured}
    if not seen:
        return None
    checks = [check for check in report.checks if check.program == program]
    # What the lab leaves open differs between programs with the same bug.
    undecided = {check.name for check in checks if check.status == "skipped" or not check.max_points}
    undecided |= {item.name for item in spec.rubric if check_id(program, item.name) in withheld}
    return match(seen, undecided, known)


def _unmeasured(spec: Spec, known: Mapping[str, Traits]) -> Collection[str]:
    """Return the checks that cannot confirm or contradict a bug, because nobody knows how known bugs show in them.

    Mutants are not run at full size. Their pages list the full-size checks that they fail, but only the lab's own.
    """
    listed = {check_of_facet(name) for mutant_traits in known.values() for name in mutant_traits}
    return {
        item.name
        for item in spec.rubric
        if isinstance(item, CasesItem)
        and all(spec.cases[case].limits == "full" for case in item.cases)
        and item.name not in listed
    }


def _bug_by_check(matched: Match) -> Mapping[str, str]:
    """Return the bug that explains most of each check; of several, the one that explains fewest facets overall.

    A check is left out if the bugs do not explain everything that was seen in it: another reason may do so. It is
    left out too if only several uncertain bugs explain it together: what each of them does is not what was seen.
    """
    shown = _shown(matched)
    explained: defaultdict[str, defaultdict[str, set[str]]] = defaultdict(lambda: defaultdict(set))
    for bug in shown:
        for facet in matched.facets[bug]:
            if check_of_facet(facet) in matched.whole:
                explained[check_of_facet(facet)][bug].add(facet)
    chosen: dict[str, str] = {}
    for check, facets in explained.items():
        best = max(facets, key=lambda bug: (len(facets[bug]), -len(matched.facets[bug])))
        if facets[best] == set().union(*facets.values()) or matched.certain & facets.keys():
            chosen[check] = best
    return chosen


def _shown(matched: Match) -> list[str]:
    """Return the bugs that show: alone in a check that is explained, or only together with one that does."""
    alone = [bug for bug in matched.bugs if any(check_of_facet(name) in matched.whole for name in matched.exact[bug])]
    together = [
        bug
        for bug in matched.bugs
        if bug not in alone and matched.whole >= {check_of_facet(name) for name in matched.facets[bug]}
    ]
    return [*alone, *together] if alone else []


def _causes(
    causes: Mapping[str, str], certain: Mapping[str, bool], report: Report, mutants: Mapping[str, Mutant]
) -> Iterable[Cause]:
    """Yield each cause once, in the order of the checks that they explain."""
    for bug in dict.fromkeys(causes[check.id] for check in report.checks if check.id in causes):
        checks = tuple(check.id for check in report.checks if causes.get(check.id) == bug)
        yield Cause(
            name=bug,
            title=mutants[bug].title,
            page=mutants[bug].page_for(_shown_programs(checks, report), is_found=False),
            certainty="certain" if certain[bug] else "likely",
            checks=checks,
            warnings=mutants[bug].warnings,
        )


def _shown_programs(checks: Collection[str], report: Report) -> Collection[str]:
    """Return the programs that a page is about; it must not show that a hidden check has the cause, too."""
    named = [check for check in report.checks if check.id in checks]
    return {check.program for check in named if check.visibility == "visible"} or {check.program for check in named}
