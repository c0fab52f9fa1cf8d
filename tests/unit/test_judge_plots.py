"""Reports have what a plot draws: calls as in the tables, times of untraced runs, and whether the run was right."""

from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.verdict import GradingEnvironment, judge
from grader.model.evidence import RunDone
from grader.model.lab import Lab
from grader.model.report import PlotFigures, PlottedRun

from .facts import CRASH, REFERENCE, REFERENCE_TIMES, evidence, facts, run
from .lab import BUFFER, DOCUMENT, FULL_BYTES, INPUTS, SLICE_BYTES, Spec

PLOT = {"title": "By length", "parameter": "LENGTH", "cases": {"pattern": FULL_BYTES, "slice": SLICE_BYTES}}
LAB = Lab(Spec.model_validate({**DOCUMENT, "plots": [PLOT]}), INPUTS, REFERENCE)
RIGHT = evidence().runs


def figures(*changed: RunDone, without: tuple[str, ...] = ()) -> PlotFigures:
    found = replace(facts(*changed, left_out=dict.fromkeys(without, "no-tracer")), lab=LAB)
    (plot,) = judge(found, GradingEnvironment("uid", None)).plots
    return plot


def point(plot: PlotFigures, program: str, case: str) -> PlottedRun:
    (found,) = (one for one in plot.runs if (one.program, one.case) == (program, case))
    return found


def test_each_program_has_its_values_in_order() -> None:
    plot = figures()
    assert (plot.title, plot.parameter) == ("By length", "LENGTH")
    expected = [
        ("many", SLICE_BYTES, 2 + 1),
        ("many", FULL_BYTES, -(-FULL_BYTES // BUFFER) * 2 + 1),
        ("single", SLICE_BYTES, 2 * SLICE_BYTES + 1),
        ("single", FULL_BYTES, 2 * FULL_BYTES + 1),
    ]
    assert [(one.program, one.value, one.calls) for one in plot.runs] == expected
    assert plot.reference == plot.runs
    assert {(one.real_s, one.correct) for one in plot.runs} == {(REFERENCE_TIMES.real_s, True)}


def test_a_wrong_output_is_marked() -> None:
    wrong = RIGHT["single.pattern"].model_copy(update={"stdout": run("x", b"short").stdout})
    plot = figures(wrong)
    assert not point(plot, "single", "pattern").correct
    assert point(plot, "single", "slice").correct
    assert all(one.correct for one in plot.reference)


def test_a_run_that_crashed_has_no_time() -> None:
    crashed = RIGHT["single.slice"].model_copy(update={"ending": CRASH})
    one = point(figures(crashed), "single", "slice")
    assert (one.real_s, one.correct) == (None, False)


@pytest.mark.parametrize("left_out", [("single.slice", "single.slice.strace", "single.pattern")])
def test_what_was_not_run_has_no_figures(left_out: tuple[str, ...]) -> None:
    one = point(figures(without=left_out), "single", "slice")
    assert (one.calls, one.real_s, one.correct) == (None, None, False)
