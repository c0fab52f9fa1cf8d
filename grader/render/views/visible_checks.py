"""The checks of a report as lines of the rubric, and the part of a report that the reader of a line may know."""

from __future__ import annotations

import math
import re
from collections.abc import Collection, Iterable, Iterator
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from grader.model.counted import counted
from grader.model.mutant import FENCE
from grader.model.report import CasesEvidence, Cause, Check, Finding, Report, Restriction
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem, RubricEntry, Visibility, check_id

WITHHELD = "It is about a check that students do not see. Your instructor finds it in the autograder's own output."
_STRICTNESS: tuple[Visibility, ...] = ("visible", "after_due_date", "after_published", "hidden")


@dataclass(frozen=True)
class RubricLine:
    """A check with its number, PROGRAM.ITEM in the order of the spec, and its item of the rubric."""

    number: str
    check: Check
    item: RubricEntry


def rubric_lines(report: Report, spec: Spec) -> tuple[RubricLine, ...]:
    """Return the checks of a report, in its order.

    Raises:
        KeyError: the report has a check that is not in the spec.
    """
    numbered = {
        check_id(program, item.name): (f"{number}.{index}", item)
        for number, program in enumerate(spec.programs, 1)
        for index, item in enumerate((item for item in spec.rubric if program in item.points), 1)
    }
    return tuple(RubricLine(numbered[check.id][0], check, numbered[check.id][1]) for check in report.checks)


def numbers_of(report: Report, spec: Spec) -> dict[str, str]:
    """Return the numbers of the checks by id."""
    return {line.check.id: line.number for line in rubric_lines(report, spec)}


def strictest(spec: Spec) -> Visibility:
    """Return when a student may see the total: as soon as every check is shown."""
    return max((item.visibility for item in spec.rubric), key=_STRICTNESS.index)


def reason_for_students(reason: str, spec: Spec) -> str:
    """Return why nothing was graded, unless it names a case or an input that only hidden checks use."""
    seen = {name for item in spec.rubric if item.visibility == "visible" for _, name in spec.shown_references(item)}
    unseen = {*spec.cases} - seen | {*spec.inputs} - {spec.cases[name].input for name in seen}
    names_hidden = any(re.search(rf"(?<![\w-]){re.escape(name)}(?![\w-])", reason) for name in unseen)
    return WITHHELD if names_hidden else reason


def part(report: Report, spec: Spec, seen: Collection[Visibility]) -> Report:
    """Return the part of a report for a reader who sees only the checks of these visibilities.

    A cause keeps only the checks that are seen. If it explains others too, and none that every student sees, its page
    loses the shell lines, which name programs; otherwise they name those of visible checks. The part does not say
    that a cause is only likely, because hidden checks contribute to that. A finding of a run that students do not see
    is only for readers who see more than the visible checks.
    """
    every = rubric_lines(report, spec)
    lines = [line for line in every if line.item.visibility in seen]
    ids = {line.check.id for line in lines}
    findings = tuple(_findings(report, ids, only_visible={*seen} == {"visible"}))
    if len(lines) == len(every):
        return report.model_copy(update={"findings": findings})
    visible = {line.check.id for line in every if line.item.visibility == "visible"}
    builds = [item for item in spec.rubric if isinstance(item, BuildItem) and item.visibility not in seen]
    unseen_builds = {program for item in builds for program in item.points}
    return report.model_copy(
        update={
            "score": math.fsum(line.check.points for line in lines),
            "max_score": math.fsum(line.check.max_points for line in lines),
            "checks": tuple(line.check for line in lines),
            "symptoms": tuple(symptom for symptom in report.symptoms if ids.issuperset(symptom.checks)),
            "findings": findings,
            "restrictions": tuple(_restrictions(report, [line.check for line in lines])),
            "causes": tuple(_cause(cause, ids, visible) for cause in report.causes if ids & set(cause.checks)),
            "builds": tuple(build for build in report.builds if build.program not in unseen_builds),
            "not_run": tuple(check_id for check_id in report.not_run if check_id in ids),
        }
    )


def for_students(report: Report, spec: Spec, seen: Collection[Visibility]) -> Report:
    """Return a report to give to students who see only the checks of these visibilities.

    Besides what `part` leaves out, it lacks what was measured in cases of the others, and the final score. Both would
    say something about the others.

    Raises:
        KeyError: the report has a check that is not in the spec.
    """
    unseen = [item for item in spec.rubric if item.visibility not in seen]
    if not unseen:
        return _given_out(report)
    of_shown = {case for item in spec.rubric if item not in unseen for _, case in spec.shown_references(item)}
    of_unseen = {case for item in unseen for _, case in item.case_references()}
    declared_hidden = {name for name, case in spec.cases.items() if case.hidden}
    cases = {*spec.cases} - ((of_unseen | declared_hidden) - of_shown)
    shown = _given_out(part(report, spec, seen))
    left_out = len(report.checks) - len(shown.checks)
    figures = report.reference
    return shown.model_copy(
        update={
            "syscalls": tuple(table for table in report.syscalls if table.case in cases),
            "timing": tuple(timing for timing in report.timing if timing.case in cases),
            "reference": None
            if figures is None
            else figures.model_copy(
                update={
                    "syscalls": tuple(table for table in figures.syscalls if table.case in cases),
                    "timing": tuple(timing for timing in figures.timing if timing.case in cases),
                }
            ),
            "plots": tuple(
                plot for plot in report.plots if cases.issuperset(run.case for run in (*plot.runs, *plot.reference))
            ),
            "comparisons": tuple(pair for pair in report.comparisons if pair.case in cases),
            "remarks": (),
            # An error may name bytes of a hidden input.
            "grader_faults": (),
            "grade": None,
            "notes": (*report.notes, *([_left_out_words(left_out)] if left_out else [])),
        }
    )


def _given_out(report: Report) -> Report:
    """Return a report whose checks are no longer held back from the reader."""
    shown = (check.model_copy(update={"visibility": "visible"}) for check in report.checks)
    return report.model_copy(update={"checks": tuple(shown)})


def _left_out_words(checks: int) -> str:
    counts = "It counts" if checks == 1 else "They count"
    return f"{counted(checks, 'check')} of this lab {'is' if checks == 1 else 'are'} not shown here. {counts} too."


def _restrictions(report: Report, checks: Iterable[Check]) -> Iterator[Restriction]:
    """Yield the restrictions of which every case is in one of these checks."""
    shown = {
        (check.program, result.case)
        for check in checks
        if isinstance(check.evidence, CasesEvidence)
        for result in check.evidence.cases
    }
    for restriction in report.restrictions:
        if shown.issuperset((restriction.program, case) for case in restriction.cases):
            yield restriction


def _findings(report: Report, ids: Collection[str], *, only_visible: bool) -> Iterator[Finding]:
    for finding in report.findings:
        shown = tuple(check_id for check_id in finding.checks if check_id in ids)
        if shown and not (finding.hidden and only_visible):
            yield finding.model_copy(update={"checks": shown})


def _cause(cause: Cause, ids: Collection[str], visible: AbstractSet[str]) -> Cause:
    shown = tuple(check_id for check_id in cause.checks if check_id in ids)
    page = cause.page if shown == cause.checks or not visible.isdisjoint(shown) else _without_code(cause.page)
    # Only runs that students see prove a cause.
    proof = cause.proof if cause.proof is not None and {*cause.proof.checks} <= {*shown} else None
    certainty = "proven" if proof is not None else "certain"
    return cause.model_copy(update={"checks": shown, "page": page, "certainty": certainty, "proof": proof})


def _without_code(page: str) -> str:
    kept, in_block = [], False
    for line in page.splitlines(keepends=True):
        fence = line.startswith(FENCE)
        if not (fence or in_block):
            kept.append(line)
        in_block ^= fence
    return "".join(kept)
