"""Turn facts into a report: one check per rubric item and program, each judged by the module of its kind."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from importlib import import_module
from typing import Any

import grader
from grader.judge.build import build_results, judge_build
from grader.judge.cases import judge_cases
from grader.judge.facts import NOT_SELECTED, Facts, Outcome
from grader.judge.plots import plot_figures
from grader.judge.remarks import remarks
from grader.judge.tables import syscall_tables
from grader.judge.timing import timings
from grader.model.evidence import Engine, Toolchain, run_id
from grader.model.report import Check, ComparedPrograms, Isolation, ReferenceFigures, Report, SubmissionId
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import BuildItem, CasesItem, NotebookItem, RubricEntry, check_id
from grader.model.submission import Submission

JudgeFunction = Callable[[Facts, str, Any], Outcome]

_ENGINES: dict[Engine, str] = {
    "strace": "strace",
    "filter": "tally's filter, which looks at every call,",
    "account": "the kernel's I/O accounting",
}


@dataclass(frozen=True)
class GradingEnvironment:
    """The environment that a submission was graded in; `lab_digest` is for the report."""

    isolation: Isolation
    image_digest: str | None
    lab_digest: str = ""


def judge(facts: Facts, environment: GradingEnvironment, decided: Mapping[str, Check] | None = None) -> Report:
    """Return the report of a submission. `decided` has, by id, the checks that need not be judged again."""
    decided = decided or {}
    checks = tuple(
        decided.get(check_id(program, item.name)) or judge_check(facts, program, item)
        for program in facts.lab.spec.programs
        for item in facts.lab.spec.rubric
        if program in item.points
    )
    evidence, reference = facts.evidence, facts.lab.reference.evidence
    own_tables, reference_tables = (syscall_tables(facts.lab.spec, one) for one in (evidence, reference))
    return Report(
        **_origin(facts.lab.spec, facts.submission, environment),
        status="graded",
        reason="",
        # If only some checks are selected there is no score: a reader would take it for the grade.
        score=float(sum(check.points for check in checks)) if facts.selected_checks is None else None,
        checks=checks,
        syscalls=own_tables,
        timing=timings(facts.lab, evidence),
        builds=build_results(facts),
        reference=ReferenceFigures(syscalls=reference_tables, timing=timings(facts.lab, reference)),
        plots=plot_figures(facts, own_tables, reference_tables),
        toolchain=_toolchain(evidence.toolchain or reference.toolchain),
        remarks=remarks(facts),
        notes=(*facts.submission.notes, *_notes(evidence.toolchain)),
        oddities=facts.submission.oddities,
        doubts=facts.submission.doubts,
        not_run=_checks_out_of_time(facts, checks),
        only=tuple(check.id for check in checks if facts.selected_checks is not None and facts.is_selected(check.id)),
    )


def not_graded(  # noqa: PLR0913 - the submission, where it was graded, and why there is no result
    spec: Spec,
    submission: Submission,
    environment: GradingEnvironment,
    reason: str,
    *,
    interrupted: bool = False,
    undecided: bool = False,
) -> Report:
    """Return the report of a submission that has no result, which is not the student's fault.

    `interrupted` and `undecided`: nothing failed, see `Report`.
    """
    return Report(
        **_origin(spec, submission, environment),
        status="not_graded",
        reason=reason,
        interrupted=interrupted,
        undecided=undecided,
        score=None,
        checks=(),
        syscalls=(),
        timing=(),
        builds=(),
        reference=None,
        toolchain={},
    )


def _origin(spec: Spec, submission: Submission, environment: GradingEnvironment) -> dict[str, Any]:
    """Return the fields of a report that do not depend on how the grading went."""
    return {
        "grader_version": grader.__version__,
        "lab": spec.lab,
        "lab_title": spec.title,
        "spec_digest": spec.digest(),
        "lab_digest": environment.lab_digest,
        "image_digest": environment.image_digest,
        "isolation": environment.isolation,
        "submission": SubmissionId(name=submission.name, digest=submission.digest()),
        "max_score": float(spec.max_score),
        "shows_fixes": spec.students_see_fixes,
        "comparisons": tuple(
            ComparedPrograms(program=one.program, other=one.other, case=one.case) for one in spec.comparisons
        ),
        "hidden_checks": {} if spec.published is None else spec.published.hidden_checks,
    }


def judge_check(facts: Facts, program: str, item: RubricEntry) -> Check:
    """Return the outcome of one check, which does not depend on other programs."""
    max_points, check = float(item.points[program]), check_id(program, item.name)
    outcome = _outcome(facts, program, item) if facts.is_selected(check) else Outcome("skipped", NOT_SELECTED)
    return Check(
        id=check,
        program=program,
        title=item.title,
        status=outcome.status,
        points=max_points if outcome.status == "passed" else 0.0,
        max_points=max_points,
        cause=None,
        message=outcome.message,
        hint=item.hint if outcome.hint is None else outcome.hint,
        evidence=outcome.evidence,
        visibility=item.visibility,
        needs=outcome.needs,
    )


def _outcome(facts: Facts, program: str, item: RubricEntry) -> Outcome:
    cut_short = facts.cut_short(program)
    if cut_short is not None:
        return Outcome("skipped", cut_short)
    if isinstance(item, BuildItem | NotebookItem):
        return judge_function(item.kind)(facts, program, item)
    if not facts.built(program):
        about_build = _item_about_build(facts, program)
        if about_build is item:
            # The rubric's hint is about what the program does.
            outcome = judge_build(facts, program, item)
            return replace(outcome, hint=outcome.hint or "")
        needs = check_id(program, about_build.name)
        return Outcome("skipped", f"there is no {program} to run: see {needs}", needs=needs)
    reason = facts.out_of_time(item.steps(program))
    if reason is not None:
        return _early_failure(facts, program, item) or Outcome("skipped", reason)
    return judge_function(item.kind)(facts, program, item)


def _item_about_build(facts: Facts, program: str) -> RubricEntry:
    """Return the item whose check fails if a program is not built: if the rubric has none for that, another one.

    Otherwise no report would say why, and every check would seem to need something that the machine does not have.
    """
    items = [item for item in facts.lab.spec.rubric if program in item.points and not isinstance(item, NotebookItem)]
    builds = [item for item in items if isinstance(item, BuildItem)]
    selected = [item for item in items if facts.is_selected(check_id(program, item.name))]
    return min(builds or selected, key=lambda item: item.visibility != "visible")


def judge_function(kind: str) -> JudgeFunction:
    """Return the function that judges a kind of check: `judge_KIND` in the module KIND next to this one."""
    name = kind.replace("-", "_")
    function: JudgeFunction = getattr(import_module(f"grader.judge.{name}"), f"judge_{name}")
    return function


def _checks_out_of_time(facts: Facts, checks: tuple[Check, ...]) -> tuple[str, ...]:
    items = {item.name: item for item in facts.lab.spec.rubric}
    return tuple(
        check.id
        for check in checks
        if check.status == "skipped"
        and facts.is_selected(check.id)
        and (facts.cut_short(check.program) or facts.out_of_time(items[check.name].steps(check.program)))
    )


def _early_failure(facts: Facts, program: str, item: RubricEntry) -> Outcome | None:
    """Return a failure that the completed cases already show, None if they show none."""
    if not isinstance(item, CasesItem):
        return None
    completed = tuple(case for case in item.cases if facts.out_of_time([run_id(program, case)]) is None)
    outcome = judge_cases(facts, program, item.model_copy(update={"cases": completed})) if completed else None
    return outcome if outcome is not None and outcome.status == "failed" else None


def _toolchain(toolchain: Toolchain | None) -> dict[str, str]:
    if toolchain is None:
        return {}
    return {
        "compiler": toolchain.compiler,
        "strace": toolchain.strace or "not installed",
        "kernel": toolchain.kernel,
        "python": toolchain.python,
    }


def _notes(toolchain: Toolchain | None) -> tuple[str, ...]:
    """List the engines that could not count calls here, which explains why checks were skipped."""
    missing = toolchain.missing if toolchain is not None else {}
    return tuple(
        f"{name} could not be used where this ran: {missing[engine]}"
        for engine, name in _ENGINES.items()
        if engine in missing
    )
