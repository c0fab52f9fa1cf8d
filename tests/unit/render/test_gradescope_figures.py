from __future__ import annotations

import pytest

from grader.gradescope.results.leaderboard import leaderboard
from grader.gradescope.schema import LeaderboardRow
from grader.model.report import Report
from grader.model.spec.lab import Spec

from . import factory
from .gradescope import results, spec_of

CPU = {"kind": "cpu-time", "name": "CPU", "program": "tr2b", "case": "pattern-5m"}
SAVED = {"kind": "calls-saved", "name": "Saved", "program": "tr2b", "without": "tr2u", "case": "pattern-5m"}
TIMING = factory.check("tr2b.timing", max_points=0.0, points=0.0)
REPORT = factory.report(checks=(TIMING, factory.check("tr2u.text")))
BLOCKS = -(-factory.SIZE // factory.BUFFER)


def spec(report: Report = REPORT) -> Spec:
    return spec_of(report, leaderboard=[CPU, SAVED])


def names(report: Report) -> list[str]:
    return [row.name for row in leaderboard(report, spec())]


def test_figures_are_of_the_run_that_the_spec_names() -> None:
    cpu_s = 0.25 / 4 + 0.25 / 2
    saved = (2 * factory.SIZE + 1) - (2 * BLOCKS + 1)
    assert leaderboard(REPORT, spec()) == (
        LeaderboardRow(name="CPU", value=round(cpu_s, 3), order="asc"),
        LeaderboardRow(name="Saved", value=saved, order="desc"),
    )
    assert results(REPORT, spec=spec()).leaderboard == leaderboard(REPORT, spec())


@pytest.mark.parametrize(("check_id", "left"), [("tr2b.timing", []), ("tr2u.text", ["CPU"])])
@pytest.mark.parametrize("status", ["failed", "skipped"])
def test_nobody_leads_with_a_program_that_is_wrong_or_was_not_judged(
    check_id: str, left: list[str], status: str
) -> None:
    checks = tuple(
        check.model_copy(update={"status": status}) if check.id == check_id else check for check in REPORT.checks
    )
    assert names(REPORT.model_copy(update={"checks": checks})) == left


def test_what_was_not_measured_makes_no_row() -> None:
    assert names(REPORT.model_copy(update={"timing": ()})) == ["Saved"]
    cut = tuple(one.model_copy(update={"complete": False}) for one in REPORT.syscalls)
    no_stream = tuple(one.model_copy(update={"stdout": None}) for one in REPORT.syscalls)
    terminal_only = tuple(one for one in REPORT.syscalls if one.sink == "terminal")
    for syscalls in (cut, no_stream, terminal_only):
        assert names(REPORT.model_copy(update={"syscalls": syscalls})) == ["CPU"]
    assert names(REPORT.model_copy(update={"checks": ()})) == []


@pytest.mark.parametrize("status", ["passed", "failed", "skipped"])
def test_whether_a_hidden_check_passed_does_not_show(status: str) -> None:
    checks = (*REPORT.checks, factory.check("tr2b.secret").model_copy(update={"status": status}))
    report = REPORT.model_copy(update={"checks": checks})
    hiding = spec_of(report, {"secret": "hidden"}, leaderboard=[CPU, SAVED])
    assert leaderboard(report, hiding) == leaderboard(REPORT, spec())
