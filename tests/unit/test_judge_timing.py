from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.timing import judge_timing, timings
from grader.model.evidence import Ending, Evidence, Times
from grader.model.reference import Reference
from grader.model.report import TimingEvidence
from grader.model.spec.rubric import TimingItem

from .facts import CRASH, FAILURE, LAB, REFERENCE_TIMES, evidence, facts, limit, run
from .lab import INPUTS, PROGRAMS, SPEC

ITEM = TimingItem(kind="timing", name="timing", title="", points={"many": 0}, case="pattern")
SLOW = Times(real_s=3.25, user_s=1.0, sys_s=2.0)


def test_the_figures_stand_beside_the_reference_s() -> None:
    outcome = judge_timing(facts(run("many.pattern", INPUTS["pattern"], times=SLOW)), "many", ITEM)
    assert outcome.status == "passed"
    assert outcome.evidence == TimingEvidence(real_s=SLOW.real_s, reference_real_s=REFERENCE_TIMES.real_s)
    assert f"{SLOW.real_s:g} s" in outcome.message


def test_figures_without_the_reference_s_stand_alone() -> None:
    found = facts(run("many.pattern", INPUTS["pattern"], times=SLOW))
    without = Reference(Evidence(toolchain=None, builds={}, runs={}, left_out={}), {})
    outcome = judge_timing(replace(found, lab=replace(found.lab, reference=without)), "many", ITEM)
    assert (outcome.status, outcome.message, outcome.evidence) == ("passed", f"{SLOW.real_s:g} s", None)


@pytest.mark.parametrize("ending", [CRASH, limit("cpu")])
def test_a_program_that_did_not_end_by_itself_has_no_figures(ending: Ending) -> None:
    stopped = run("many.pattern", ending=ending)
    outcome = judge_timing(facts(stopped), "many", ITEM)
    assert (outcome.status, outcome.evidence) == ("skipped", None)
    assert "crashed or was stopped on pattern" in outcome.message
    shown = timings(LAB, evidence({"many.pattern": stopped}))
    assert [figure.program for figure in shown] == ["single"]


def test_a_run_for_which_there_was_no_time_is_not_blamed_on_the_program() -> None:
    outcome = judge_timing(facts(left_out={"many.pattern": "submission-time"}), "many", ITEM)
    assert outcome.status == "skipped"
    assert outcome.message.startswith(f"not run: the program had used up its {SPEC.program_wall_s:g} s")
    assert "limits.submission_wall_s" in outcome.message


def test_figures_are_of_the_case_that_the_rubric_asks_for_whatever_the_exit_status() -> None:
    changed = run("many.pattern", times=SLOW, ending=FAILURE)
    shown = timings(LAB, evidence({"many.pattern": changed}))
    assert [(figure.program, figure.input) for figure in shown] == [(program, "pattern") for program in PROGRAMS]
    assert (shown[0].real_s, shown[0].user_s, shown[0].sys_s) == (SLOW.real_s, SLOW.user_s, SLOW.sys_s)


def test_a_figure_says_whether_the_copy_was_correct() -> None:
    short = run("many.pattern", INPUTS["pattern"][:-1], times=SLOW)
    assert [one.correct for one in timings(LAB, evidence({"many.pattern": short}))] == [False, True]
    without = replace(LAB, reference=Reference(Evidence(toolchain=None, builds={}, runs={}, left_out={}), {}))
    assert {one.correct for one in timings(without, evidence())} == {None}
