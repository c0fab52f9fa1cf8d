"""Kept reports under another version of the lab: without running programs, or with checks that were run again."""

from __future__ import annotations

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass
from typing import TypeVar

from grader.batch.lab_changes import LabChanges
from grader.judge.cases import outcome_of
from grader.model.mutant import Mutant
from grader.model.report import (
    CallsEvidence,
    CasesEvidence,
    Cause,
    Check,
    ComparedPrograms,
    Finding,
    PlotFigures,
    PlottedRun,
    ReferenceFigures,
    Report,
    Symptom,
    SyscallTable,
    Timing,
)
from grader.model.spec.rubric import TimingItem, program_of

FAILED_THERE = "it failed a check of this program, and causes and symptoms come from all of its runs"


@dataclass(frozen=True)
class NeedsRun:
    """A report that cannot be rescored without running programs: `checks` must be run again, None for all of them."""

    checks: frozenset[str] | None
    reasons: tuple[str, ...]


class _CannotSayError(Exception):
    """What a report says about failures is not known under the new version."""


def rescored(report: Report, changes: LabChanges, mutants: Mapping[str, Mutant]) -> Report | NeedsRun:
    """Return a report under the new version of the lab, or what must be run to know it; `mutants` by name."""
    if changes.run_everything:
        return NeedsRun(None, changes.run_everything)
    failing = failing_programs(report, changes)
    reasons: list[str] = []
    for program in sorted(failing):
        own = {check: why for check, why in changes.must_run.items() if program_of(check) == program}
        reasons += [f"{check}: {_listed(why)}; {FAILED_THERE}" for check, why in own.items()]
        reasons += [f"{program}: {_listed(changes.unexplained[program])}"] if program in changes.unexplained else []
    if reasons:
        return NeedsRun(None, tuple(reasons))
    try:
        kept = without_runs(report, changes, mutants)
    except _CannotSayError as error:
        return NeedsRun(None, (str(error),))
    if changes.must_run:
        reasons = [f"{check}: {_listed(why)}" for check, why in changes.must_run.items()]
        return NeedsRun(frozenset(changes.must_run), tuple(reasons))
    return kept


def _listed(reasons: Sequence[str]) -> str:
    return ", ".join(reasons)


def failing_programs(report: Report, changes: LabChanges) -> frozenset[str]:
    """Return the programs that fail a check; one that is not compiled fails only that, and has no cause."""
    added = {program_of(check) for check in changes.must_run}
    failed = {check.program for check in report.checks if check.status == "failed"}
    return frozenset(failed - (report.unbuilt_programs - added))


def without_runs(report: Report, changes: LabChanges, mutants: Mapping[str, Mutant]) -> Report:
    """Return a report with everything that needs no run; checks that must be run are left out.

    Raises:
        _CannotSayError: a failure would have to be explained again.
    """
    before = {check.id: check for check in report.checks}
    checks = tuple(
        _check(before[check], changes)
        for check in changes.checks
        if check in before and check not in changes.must_run
    )
    kept = report.model_copy(update={**_of_lab(report, changes), **_figures(report, changes)})
    return with_score(kept.model_copy(update=_failures(report, checks, changes, mutants)), changes)


def _of_lab(report: Report, changes: LabChanges) -> dict[str, object]:
    """Return what the new version of the lab decides alone."""
    spec = changes.spec
    compared = (ComparedPrograms(program=pair.program, other=pair.other, case=pair.case) for pair in spec.comparisons)
    kept = changes.checks.keys() - changes.must_run.keys()
    return {
        "spec_digest": changes.spec_digest,
        "lab_digest": changes.lab_digest,
        "lab_title": spec.title,
        "not_run": tuple(check for check in report.not_run if check in kept),
        "shows_fixes": spec.students_see_fixes,
        "comparisons": tuple(compared),
        "hidden_checks": {} if spec.published is None else spec.published.hidden_checks,
    }


def _figures(report: Report, changes: LabChanges) -> dict[str, object]:
    """Return what was counted and measured in cases that are still there."""
    reference = report.reference and ReferenceFigures(
        syscalls=_counted(report.reference.syscalls, changes), timing=_timed(report.reference.timing, changes)
    )
    return {
        "syscalls": _counted(report.syscalls, changes),
        "timing": _timed(report.timing, changes),
        "reference": reference,
        "plots": _plots(report.plots, changes),
    }


def _failures(
    report: Report, checks: Sequence[Check], changes: LabChanges, mutants: Mapping[str, Mutant]
) -> dict[str, object]:
    """Return the checks, with the symptoms, causes and findings of those that fail.

    Raises:
        _CannotSayError: a failure would have to be explained again.
    """
    by_id = {check.id: check for check in checks}
    place = {check: number for number, check in enumerate(by_id)}
    lost = {check.id: check.max_points - check.points for check in checks}
    failed = {check.id for check in checks if check.status == "failed"}
    gone = {check.id for check in report.checks if check.status == "failed"} - failed
    symptoms = [_symptom(one, changes) for one in report.symptoms if _remains(one, gone)]
    causes = [_cause(one, gone, mutants) for one in report.causes if not gone.issuperset(one.checks)]
    explained = {check for cause in causes for check in cause.checks}
    failing = {by_id[check].program for check in failed}
    return {
        "checks": tuple(check if check.id in explained else _without_cause(check) for check in checks),
        "symptoms": tuple(sorted(symptoms, key=lambda one: -sum(lost[check] for check in one.checks))),
        "causes": tuple(sorted(causes, key=lambda cause: min(place[check] for check in cause.checks))),
        "findings": tuple(_finding(one, gone, by_id) for one in report.findings if not gone.issuperset(one.checks)),
        # Only sources of programs that fail are searched.
        "unsearched": {program: why for program, why in report.unsearched.items() if program in failing},
    }


def _without_cause(check: Check) -> Check:
    return check if check.cause is None else check.model_copy(update={"cause": None})


def with_score(report: Report, changes: LabChanges) -> Report:
    """Return a report with the total of its checks."""
    score = float(sum(check.points for check in report.checks))
    return report.model_copy(update={"score": score, "max_score": float(changes.spec.max_score)})


def merged(kept: Report, run: Report, changes: LabChanges) -> Report | None:
    """Return a report with the checks that were run again; None if one of them did not pass.

    Then more has to be run: a failure is explained by all runs of a program. `kept` is from `without_runs`.
    """
    selected = {check.id: check for check in run.checks if check.id in run.only}
    if run.status != "graded" or any(check.status != "passed" for check in selected.values()):
        return None
    by_id = {check.id: check for check in kept.checks} | selected
    return with_score(
        kept.model_copy(
            update={
                "checks": tuple(by_id[check] for check in changes.checks if check in by_id),
                "syscalls": _replaced(kept.syscalls, run.syscalls),
                "timing": _replaced(kept.timing, run.timing),
                "reference": run.reference,
                "plots": _merged_plots(kept.plots, run.plots),
            }
        ),
        changes,
    )


def _check(check: Check, changes: LabChanges) -> Check:
    _, item = changes.checks[check.id]
    check = _without_cases(check, changes)
    max_points = float(item.points[check.program])
    evidence = check.evidence
    if isinstance(evidence, CasesEvidence):
        cases = changes.spec.cases
        results = (one.model_copy(update={"hidden": cases[one.case].hidden}) for one in evidence.cases)
        evidence = CasesEvidence(cases=tuple(results))
    return check.model_copy(
        update={
            "title": item.title,
            "visibility": item.visibility,
            "max_points": max_points,
            "points": max_points if check.status == "passed" else 0.0,
            "hint": _hint(check.hint, [check.id], changes, is_own=check.status != "failed"),
            "evidence": evidence,
        }
    )


def _without_cases(check: Check, changes: LabChanges) -> Check:
    """Return a check without the cases that it no longer has.

    Raises:
        _CannotSayError: it still fails, and the sentences about it may be about those cases.
    """
    removed = changes.removed_cases.get(check.id)
    if removed is not None and isinstance(check.evidence, CallsEvidence):
        wrong = {stream.case for stream in check.evidence.streams if not stream.passed}
        # A short case counts only if it goes wrong.
        if check.status == "failed" and (not wrong or not wrong.isdisjoint(removed)):
            raise _CannotSayError(f"{check.id}: it may fail because of {', '.join(sorted(removed))}")
        return check
    if removed is None or not isinstance(check.evidence, CasesEvidence):
        return check
    results = tuple(one for one in check.evidence.cases if one.case not in removed)
    outcome = outcome_of(results)
    if outcome.status == "failed":
        raise _CannotSayError(
            f"{check.id}: it still fails without {', '.join(sorted(removed))}, which its symptoms may be about"
        )
    update = {"status": outcome.status, "message": outcome.message, "evidence": outcome.evidence, "cause": None}
    # A check that passes has the rubric's hint.
    old_hint = changes.old_checks[check.id][1].hint
    return check.model_copy(update=update if check.status == "passed" else {**update, "hint": old_hint})


def _hint(text: str, checks: Collection[str], changes: LabChanges, *, is_own: bool) -> str:
    """Return a hint or advice with the new words of the rubric, if it has the old words of one of these checks.

    `is_own`: it is the rubric's in any case.
    """
    old, new = changes.old_checks, changes.checks
    for check in checks:
        if check not in old or check not in new:
            continue
        before, after = old[check][1].hint, new[check][1].hint
        if is_own or text == before:
            return after
        # A memory checker's sentence comes first, see with_lines in diagnose/behaviour/symptoms.py.
        if before and text.endswith(f" {before}"):
            return f"{text.removesuffix(before)}{after}".rstrip()
    return text


def _remains(symptom: Symptom, gone: Collection[str]) -> bool:
    """Return whether a symptom is about failures that remain.

    Raises:
        _CannotSayError: it is about others as well, and its sentence may be true of those only.
    """
    left = set(symptom.checks) - set(gone)
    if left and len(left) < len(symptom.checks):
        raise _CannotSayError(f"{', '.join(sorted(left))}: failed in the same way as a check that no longer fails")
    return bool(left)


def _symptom(symptom: Symptom, changes: LabChanges) -> Symptom:
    texts = (_hint(part.text, symptom.checks, changes, is_own=False) for part in symptom.advice_parts)
    parts = zip(symptom.advice_parts, texts, strict=True)
    return symptom.advised(*(part.model_copy(update={"text": text}) for part, text in parts))


def _cause(cause: Cause, gone: Collection[str], mutants: Mapping[str, Mutant]) -> Cause:
    """Return a cause with the checks that it still explains, and with its present texts.

    Raises:
        _CannotSayError: it was proven by a check that no longer fails.
    """
    checks = tuple(check for check in cause.checks if check not in gone)
    if cause.proof is not None and not set(gone).isdisjoint(cause.proof.checks):
        raise _CannotSayError(f"{cause.name}: it was proven by a check that no longer fails")
    mutant = mutants[cause.name]
    return cause.model_copy(
        update={
            "checks": checks,
            "title": mutant.title_for(is_found=cause.has_construct),
            "page": mutant.page_for({program_of(check) for check in checks}, is_found=cause.has_construct),
            "warnings": mutant.warnings,
        }
    )


def _finding(finding: Finding, gone: Collection[str], checks: Mapping[str, Check]) -> Finding:
    """Return a finding with the checks that still fail; students see it only if they see one of them."""
    left = tuple(check for check in finding.checks if check not in gone)
    unseen = all(checks[check].visibility != "visible" for check in left)
    return finding.model_copy(update={"checks": left, "hidden": finding.hidden or unseen})


def _counted(tables: Sequence[SyscallTable], changes: LabChanges) -> tuple[SyscallTable, ...]:
    cases = changes.spec.cases
    return tuple(one for one in tables if not one.case or (one.case in cases and cases[one.case].is_counted))


def _timed(timings: Sequence[Timing], changes: LabChanges) -> tuple[Timing, ...]:
    timed = {item.case for item in changes.spec.rubric if isinstance(item, TimingItem)}
    return tuple(one for one in timings if not one.case or one.case in timed)


Figure = TypeVar("Figure", SyscallTable, Timing)


def _replaced(kept: Sequence[Figure], run: Sequence[Figure]) -> tuple[Figure, ...]:
    by_run = {(one.program, one.run): one for one in kept} | {(one.program, one.run): one for one in run}
    return tuple(by_run.values())


def _plots(plots: Sequence[PlotFigures], changes: LabChanges) -> tuple[PlotFigures, ...]:
    own = {(run.program, run.case): run for plot in plots for run in plot.runs}
    reference = {(run.program, run.case): run for plot in plots for run in plot.reference}
    return tuple(
        PlotFigures(
            title=plot.title,
            parameter=plot.parameter,
            runs=_plotted(own, plot.cases, changes),
            reference=_plotted(reference, plot.cases, changes),
        )
        for plot in changes.spec.plots
    )


def _plotted(
    runs: Mapping[tuple[str, str], PlottedRun], cases: Mapping[str, float], changes: LabChanges
) -> tuple[PlottedRun, ...]:
    """Return the runs of a plot by program and value, see judge/plots.py."""
    return tuple(
        runs[program, case].model_copy(update={"value": value})
        for program in changes.spec.programs
        for case, value in sorted(cases.items(), key=lambda item: item[1])
        if (program, case) in runs
    )


def _merged_plots(kept: Sequence[PlotFigures], run: Sequence[PlotFigures]) -> tuple[PlotFigures, ...]:
    """Return the plots of `kept` with the runs that were made again."""
    merged_plots = []
    for before, after in zip(kept, run, strict=True):
        again = {
            (one.program, one.case): one for one in after.runs if one.calls is not None or one.real_s is not None
        }
        runs = tuple(again.get((one.program, one.case), one) for one in before.runs)
        merged_plots.append(before.model_copy(update={"runs": runs, "reference": after.reference}))
    return tuple(merged_plots)
