"""From facts to a report: one check a rubric item and program, by one table of kinds."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from typing_extensions import assert_never

import grader
from grader.judge.build import build_results, judge_build
from grader.judge.calls import judge_calls
from grader.judge.cases import judge_cases
from grader.judge.facts import NOT_ASKED, Facts, Outcome
from grader.judge.steps import steps_of
from grader.judge.symbols import judge_symbols
from grader.judge.tables import syscall_tables
from grader.judge.terminal import judge_terminal
from grader.judge.timing import judge_timing, timings
from grader.model.evidence import Engine, Toolchain, run_id
from grader.model.report import Check, Isolation, ReferenceFigures, Report, SubmissionId
from grader.model.spec.lab import HiddenChecks, Spec
from grader.model.spec.rubric import (
    BuildItem,
    CallPatternItem,
    CasesItem,
    RubricEntry,
    SymbolsItem,
    TerminalItem,
    TimingItem,
)
from grader.model.submission import Submission

_ENGINES: dict[Engine, str] = {
    "strace": "strace",
    "filter": "tally's filter, which looks at every call,",
    "account": "the kernel's I/O accounting",
}


@dataclass(frozen=True)
class GradingEnvironment:
    """Where a submission was graded."""

    isolation: Isolation
    image_digest: str | None


def judge(facts: Facts, environment: GradingEnvironment) -> Report:
    """Return the report of a submission that was graded."""
    checks = tuple(check for program in facts.spec.programs for check in checks_of(facts, program))
    evidence, reference = facts.evidence, facts.reference.evidence
    return Report(
        grader_version=grader.__version__,
        lab=facts.spec.lab,
        lab_title=facts.spec.title,
        spec_digest=facts.spec.digest(),
        image_digest=environment.image_digest,
        isolation=environment.isolation,
        submission=_name(facts.submission),
        status="graded",
        reason="",
        # Of some of the checks there is no score: it would be taken for the grade.
        score=float(sum(check.points for check in checks)) if facts.asked is None else None,
        max_score=float(facts.spec.max_score),
        checks=checks,
        syscalls=syscall_tables(facts.spec, evidence),
        timing=timings(facts.spec, evidence),
        builds=build_results(facts),
        reference=ReferenceFigures(
            syscalls=syscall_tables(facts.spec, reference), timing=timings(facts.spec, reference)
        ),
        toolchain=_toolchain(evidence.toolchain or reference.toolchain),
        notes=(*facts.submission.notes, *_notes(evidence.toolchain)),
        not_run=_not_run(facts, checks),
        only=tuple(check.id for check in checks if facts.asked is not None and facts.wanted(check.id)),
        hidden_checks=_hidden_checks(facts.spec),
    )


def checks_of(facts: Facts, program: str) -> tuple[Check, ...]:
    """Return the outcome of every check of one program."""
    return tuple(check_of(facts, program, item) for item in facts.spec.rubric if program in item.points)


def not_graded(spec: Spec, submission: Submission, environment: GradingEnvironment, reason: str) -> Report:
    """Return the report of a submission that could not be graded, through no fault of the student's."""
    return Report(
        grader_version=grader.__version__,
        lab=spec.lab,
        lab_title=spec.title,
        spec_digest=spec.digest(),
        image_digest=environment.image_digest,
        isolation=environment.isolation,
        submission=_name(submission),
        status="not_graded",
        reason=reason,
        score=None,
        max_score=float(spec.max_score),
        checks=(),
        syscalls=(),
        timing=(),
        builds=(),
        reference=None,
        toolchain={},
        hidden_checks=_hidden_checks(spec),
    )


def _hidden_checks(spec: Spec) -> Mapping[str, HiddenChecks]:
    return {} if spec.published is None else spec.published.hidden_checks


def _name(submission: Submission) -> SubmissionId:
    return SubmissionId(name=submission.name, digest=submission.digest())


def check_of(facts: Facts, program: str, item: RubricEntry) -> Check:
    """Return the outcome of one check; what is not known of other programs does not matter."""
    max_points, check = float(item.points[program]), f"{program}.{item.name}"
    outcome = _outcome(facts, program, item) if facts.wanted(check) else Outcome("skipped", NOT_ASKED)
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
    )


def _outcome(facts: Facts, program: str, item: RubricEntry) -> Outcome:  # noqa: PLR0911 - one return a kind
    cut_short = facts.cut_short(program)
    if cut_short is not None:
        return Outcome("skipped", cut_short)
    if isinstance(item, BuildItem):
        return judge_build(facts, program, item)
    if not facts.built(program):
        return Outcome("skipped", f"there is no {program} to run: see {program}.build")
    reason = facts.unreached(steps_of(program, item))
    if reason is not None:
        return _as_far_as_it_went(facts, program, item) or Outcome("skipped", reason)
    match item:
        case CasesItem():
            return judge_cases(facts, program, item)
        case CallPatternItem():
            return judge_calls(facts, program, item)
        case SymbolsItem():
            return judge_symbols(facts, program, item)
        case TerminalItem():
            return judge_terminal(facts, program, item)
        case TimingItem():
            return judge_timing(facts, program, item)
        case _ as unreachable:
            assert_never(unreachable)


def _not_run(facts: Facts, checks: tuple[Check, ...]) -> tuple[str, ...]:
    items = {item.name: item for item in facts.spec.rubric}
    return tuple(
        check.id
        for check in checks
        if check.status == "skipped"
        and facts.wanted(check.id)
        and (facts.cut_short(check.program) or facts.unreached(steps_of(check.program, items[check.name])))
    )


def _as_far_as_it_went(facts: Facts, program: str, item: RubricEntry) -> Outcome | None:
    """Return a failure that the cases which were run show already, None where they show none."""
    if not isinstance(item, CasesItem):
        return None
    reached = tuple(case for case in item.cases if facts.unreached([run_id(program, case)]) is None)
    outcome = judge_cases(facts, program, item.model_copy(update={"cases": reached})) if reached else None
    return outcome if outcome is not None and outcome.status == "failed" else None


def _toolchain(found: Toolchain | None) -> dict[str, str]:
    if found is None:
        return {}
    return {
        "compiler": found.compiler,
        "strace": found.strace or "not installed",
        "kernel": found.kernel,
        "python": found.python,
    }


def _notes(found: Toolchain | None) -> tuple[str, ...]:
    """Tell of what counts calls elsewhere and could not here, so that nobody wonders at skipped checks."""
    missing = found.missing if found is not None else {}
    return tuple(
        f"{name} could not be used where this ran: {missing[engine]}"
        for engine, name in _ENGINES.items()
        if engine in missing
    )
