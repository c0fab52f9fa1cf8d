from __future__ import annotations

from dataclasses import replace

import pytest

from grader.judge.hints import WRONG_STREAM
from grader.judge.verdict import GradingEnvironment, judge, not_graded
from grader.model.evidence import Evidence
from grader.model.report import Check, Report

from .facts import FAILURE, REFERENCE, SUBMISSION, TOOLCHAIN, accounting, build, facts, run
from .lab import PROGRAMS, SPEC

HERE = GradingEnvironment("container", "sha256:1")
EACH = SPEC.max_score // len(PROGRAMS)


def checks(report: Report) -> dict[str, Check]:
    return {check.id: check for check in report.checks}


def test_all_right_is_all_points() -> None:
    report = judge(facts(), HERE)
    assert (report.status, report.reason) == ("graded", "")
    assert report.score == report.max_score == SPEC.max_score
    assert list(checks(report)) == [f"{program}.{item.name}" for program in PROGRAMS for item in SPEC.rubric]
    assert (report.isolation, report.image_digest, report.notes) == ("container", "sha256:1", ())
    assert report.toolchain["compiler"] == "gcc 12"
    assert report.reference is not None
    assert report.reference.syscalls == report.syscalls


@pytest.mark.parametrize("step", ["many.copy", "many.refuse", "single.random"])
def test_a_failed_check_costs_its_points_and_nothing_else(step: str) -> None:
    # What was counted does not matter where it is not the full-size run.
    wrong = b"wrong"
    counted = accounting(len(wrong) + 1, len(wrong), len(wrong))
    report = judge(facts(run(step, wrong, accounting=counted)), HERE)
    failed = [check for check in report.checks if check.status == "failed"]
    assert len(failed) == 1
    assert (failed[0].points, failed[0].cause) == (0, None)
    assert report.score == SPEC.max_score - failed[0].max_points
    # What was written where only a message belongs tells more than which check it was.
    own = step == "many.refuse"
    assert failed[0].hint == (WRONG_STREAM if own else f"about {failed[0].title}")


def test_what_did_not_compile_skips_the_rest_of_its_checks_and_no_other_s() -> None:
    report = judge(facts(builds={"many": build("many", FAILURE, "many.c:1:1: error: no")}), HERE)
    found = checks(report)
    assert found.pop("many.build").status == "failed"
    for name, check in found.items():
        assert check.status == ("skipped" if check.program == "many" else "passed"), name
        assert check.program != "many" or check.message == "there is no many to run: see many.build"
    assert report.score == EACH


def test_a_source_problem_is_a_failed_build() -> None:
    report = judge(facts(unusable={"single": "single.c is a folder, not a regular file"}), HERE)
    assert checks(report)["single.build"].message == "single.c is a folder, not a regular file"
    assert report.score == EACH


def test_what_could_not_count_here_is_told() -> None:
    why = {
        "strace": "strace is not installed",
        "strace-count": "strace is not installed",
        "filter": "ptrace: refused",
    }
    seen = facts()
    seen = replace(
        seen, evidence=seen.evidence.model_copy(update={"toolchain": TOOLCHAIN.model_copy(update={"missing": why})})
    )
    strace, tally = judge(seen, HERE).notes
    assert strace == "strace could not be used where this ran: strace is not installed"
    assert tally.startswith("tally's filter")
    assert tally.endswith("ptrace: refused")


def test_nothing_to_build_at_all_is_graded_with_the_reference_s_toolchain() -> None:
    nothing = facts(unusable=dict.fromkeys(PROGRAMS, "missing"))
    empty = Evidence(toolchain=None, builds={}, runs={}, left_out={})
    report = judge(type(nothing)(SPEC, nothing.submission, empty, REFERENCE, nothing.inputs, {}), HERE)
    assert (report.status, report.score) == ("graded", 0)
    assert report.toolchain["strace"] == "strace 6.1"


def test_a_skipped_check_has_no_points() -> None:
    report = judge(facts(left_out={"single.slice.strace": "no-tracer"}), HERE)
    assert checks(report)["single.syscalls"].status == "skipped"
    assert checks(report)["single.syscalls"].points == 0


def test_not_graded_is_not_zero_points() -> None:
    report = not_graded(SPEC, SUBMISSION, HERE, "the engine died")
    assert (report.status, report.reason, report.score) == ("not_graded", "the engine died", None)
    assert report.checks == ()
    assert report.submission.digest == SUBMISSION.digest()


def test_items_name_the_programs_that_they_are_about() -> None:
    rubric = tuple(item.model_copy(update={"points": {"many": 1}}) for item in SPEC.rubric)
    only = facts()
    report = judge(type(only)(SPEC.model_copy(update={"rubric": rubric}), *list(vars(only).values())[1:]), HERE)
    assert {check.program for check in report.checks} == {"many"}
    assert report.score == len(rubric)
