"""What was not run because the time was up, and whose doing that is."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.grading.plan_builder import build_plan
from grader.judge.time_used import IDLE_SPARE_S, SLOW_SPARE_S, SLOW_TIMES
from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import StepLeftOut
from grader.model.report import Check, Report

from .facts import REFERENCE, REFERENCE_TIMES, SUBMISSION, Facts, facts, run
from .lab import PROGRAMS, SPEC

FULL = [step.id for step in build_plan(SPEC, SUBMISSION).runs if SPEC.cases[step.case].limits == "full"]
DUE_S = REFERENCE_TIMES.real_s


def cut(*steps: str, own_s: float = 0.0, slow_s: float = 0.0, queue_s: float = 0.0) -> Facts:
    """The time was up before these steps; the first had taken `own_s` after `queue_s`, another run took `slow_s`."""
    slow = REFERENCE.evidence.runs["many.refuse"].model_copy(update={"took_s": slow_s, "own_s": slow_s})
    found = facts(slow, left_out=dict.fromkeys(steps, "deadline"))
    first = StepLeftOut(step=steps[0], why="deadline", took_s=own_s + queue_s, own_s=own_s)
    seen = found.evidence.model_copy(update={"left_out": {**found.evidence.left_out, steps[0]: first}})
    return Facts(found.lab, found.submission, seen, found.differences)


def report_of(found: Facts) -> tuple[Report, dict[str, Check]]:
    report = judge(found, GradingEnvironment("uid", None))
    return report, {check.id: check for check in report.checks}


def test_checks_without_their_runs_are_not_run_and_the_others_stand() -> None:
    report, checks = report_of(cut(*FULL))
    waiting = {f"{program}.{name}" for program in PROGRAMS for name in ("large", "syscalls", "terminal", "timing")}
    assert set(report.not_run) == waiting
    for name, check in checks.items():
        assert check.status == ("skipped" if name in waiting else "passed"), name
        if name in waiting:
            assert "time" in check.message
            assert check.points == 0


def test_one_run_that_is_missing_is_enough() -> None:
    report, checks = report_of(cut("many.piped"))
    assert report.not_run == ("many.output",)
    assert checks["many.output"].status == "skipped"


def test_what_had_failed_already_has_failed() -> None:
    found = facts(run("many.copy", b"other"), left_out={"many.piped": "deadline"})
    report, checks = report_of(found)
    assert report.not_run == ()
    assert checks["many.output"].status == "failed"
    assert "piped" not in checks["many.output"].message


@pytest.mark.parametrize("where", ["before", "at work"])
def test_who_used_up_the_time_has_failed(where: str) -> None:
    long_s = SLOW_TIMES * DUE_S * len(REFERENCE.evidence.runs) + SLOW_SPARE_S + 1
    found = cut(*FULL, slow_s=long_s) if where == "before" else cut(*FULL, own_s=long_s)
    report, checks = report_of(found)
    assert report.not_run == ()
    assert {checks[f"{program}.large"].status for program in PROGRAMS} == {"failed"}
    assert "the submission had used up its time" in checks["many.large"].message


def slept(took_s: float, cpu_s: float, slept_s: float) -> Facts:
    """The time was up before full size; the first run was at work for `took_s`."""
    found = cut(*FULL)
    first = StepLeftOut(step=FULL[0], why="deadline", took_s=took_s, own_s=cpu_s + slept_s, slept_s=slept_s)
    seen = found.evidence.model_copy(update={"left_out": {**found.evidence.left_out, FULL[0]: first}})
    reference = REFERENCE.evidence
    long = {step: run.model_copy(update={"own_s": MISSING_S / len(FULL)}) for step, run in reference.runs.items()}
    lab = replace(found.lab, reference=replace(REFERENCE, evidence=reference.model_copy(update={"runs": long})))
    return Facts(lab, found.submission, seen, found.differences)


MISSING_S = 9.0
"""Seconds that the reference took for the missing steps."""

ENOUGH_S = MISSING_S + IDLE_SPARE_S + 1


@pytest.mark.parametrize(
    ("used", "its_doing"),
    [
        ((ENOUGH_S, 0.0, ENOUGH_S), True),  # it slept, and the rest would have fitted
        ((ENOUGH_S, 0.1, ENOUGH_S - 0.2), True),
        ((IDLE_SPARE_S / 2, 0.0, IDLE_SPARE_S / 2), False),  # it slept, and the rest would not have fitted
        ((ENOUGH_S, 0.0, 0.0), False),  # it waited for a CPU all the time
        ((1000 * ENOUGH_S, 0.0, 0.0), False),
        ((ENOUGH_S, ENOUGH_S, 0.0), False),  # it computed, not much more than the reference
    ],
)
def test_who_slept_has_used_up_the_time(used: tuple[float, float, float], *, its_doing: bool) -> None:
    report, checks = report_of(slept(*used))
    assert (checks["many.large"].status == "failed") is its_doing
    assert bool(report.not_run) is not its_doing


def test_who_computed_many_times_as_much_has_used_up_the_time() -> None:
    own_s = (REFERENCE_TIMES.user_s + REFERENCE_TIMES.sys_s) * len(REFERENCE.evidence.runs)
    for cpu_s, its_doing in ((SLOW_TIMES * own_s / 2, False), (SLOW_TIMES * own_s * 9 + 1000, True)):
        report, _ = report_of(slept(cpu_s, cpu_s, 0.0))
        assert bool(report.not_run) is not its_doing


def test_a_busy_machine_is_nobodys_doing() -> None:
    report, _ = report_of(cut(*FULL, queue_s=100 * SLOW_SPARE_S))
    assert report.not_run


def uncompiled(slow_s: float) -> Facts:
    """The time was up while `many` was being compiled."""
    steps = [step.id for step in build_plan(SPEC, SUBMISSION).runs if step.program == "many"]
    slow = REFERENCE.evidence.runs["single.refuse"].model_copy(update={"took_s": slow_s, "own_s": slow_s})
    cut_build = REFERENCE.evidence.builds["many"].model_copy(update={"cut_short": True})
    return facts(slow, builds={"many": cut_build}, left_out=dict.fromkeys(steps, "deadline"))


def test_a_compilation_that_the_time_cut_short_is_no_failure_to_compile() -> None:
    report, checks = report_of(uncompiled(0.0))
    of_many = {name for name in checks if name.startswith("many.")}
    assert set(report.not_run) == of_many
    assert {checks[name].status for name in of_many} == {"skipped"}
    assert {check.status for name, check in checks.items() if name not in of_many} == {"passed"}


def test_it_is_one_for_who_used_up_the_time() -> None:
    report, checks = report_of(uncompiled(1000.0))
    assert report.not_run == ()
    assert checks["many.build"].status == "failed"
    assert "used up all the time" in checks["many.build"].message
    assert sum(check.points for name, check in checks.items() if name.startswith("many.")) == 0
