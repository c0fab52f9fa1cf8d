from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from grader.judge.verdict import GradingEnvironment, judge, judge_check, judge_function, not_graded
from grader.model.evidence import Evidence
from grader.model.report import Check, Report
from grader.model.spec.lab import HiddenChecks, Published
from grader.model.spec.rubric import RubricEntry

from .facts import FAILURE, SUBMISSION, TOOLCHAIN, accounting, build, facts, run, stream, trace
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
    assert report.toolchain == {
        "compiler": "gcc 12", "strace": "strace 6.1", "kernel": "6.1", "python": "3.10.1"
    }  # fmt: skip
    assert (report.only, report.not_run) == ((), ())
    assert report.reference is not None
    assert report.reference.syscalls == report.syscalls


@pytest.mark.parametrize("step", ["many.copy", "many.refuse", "single.random"])
def test_a_failed_check_costs_its_points_and_nothing_else(step: str) -> None:
    # What was counted does not matter where it is not the full-size run.
    wrong = b"wrong"
    counted = accounting(len(wrong) + 1, len(wrong), len(wrong))
    seen = trace(stream(len(wrong) + 1, len(wrong), 1), stream(len(wrong), len(wrong), 1))
    report = judge(facts(run(step, wrong, engine="filter", accounting=counted, trace=seen)), HERE)
    failed = [check for check in report.checks if check.status == "failed"]
    assert len(failed) == 1
    assert (failed[0].points, failed[0].cause) == (0, None)
    assert report.score == SPEC.max_score - failed[0].max_points
    assert failed[0].hint == "", "how the case failed decides which hint helps"


def test_what_did_not_compile_skips_the_rest_of_its_checks_and_no_other_s() -> None:
    report = judge(facts(builds={"many": build("many", FAILURE, "many.c:1:1: error: no")}), HERE)
    found = checks(report)
    assert found.pop("many.build").status == "failed"
    for name, check in found.items():
        assert check.status == ("skipped" if check.program == "many" else "passed"), name
        assert check.program != "many" or check.message == "there is no many to run: see many.build"
    assert report.score == EACH


@pytest.mark.parametrize("unusable", [{}, {"many": "many.c is missing"}])
def test_without_a_check_of_the_build_the_first_check_that_students_see_fails(unusable: dict[str, str]) -> None:
    rubric = [item for item in SPEC.rubric if item.kind != "build"]
    rubric[0] = rubric[0].model_copy(update={"visibility": "hidden"})
    found = facts(builds={"many": build("many", FAILURE, "many.c:1:1: error: no")}, unusable=unusable)
    found = replace(found, lab=replace(found.lab, spec=SPEC.model_copy(update={"rubric": tuple(rubric)})))
    of_many = [check for check in judge(found, HERE).checks if check.program == "many"]
    assert [check.name for check in of_many if check.status == "failed"] == [rubric[1].name]
    first = next(check for check in of_many if check.status == "failed")
    assert first.message == unusable.get("many", "it does not compile: an error; the first: many.c:1:1: error: no")
    assert not first.hint, "the rubric's hint is about what the program does"
    assert {(check.status, check.needs) for check in of_many if check != first} == {("skipped", first.id)}
    selected = replace(found, selected_checks=frozenset([f"many.{rubric[-1].name}"]))
    assert [check.name for check in judge(selected, HERE).checks if check.status == "failed"] == [rubric[-1].name]


def test_a_check_of_the_build_may_have_any_name() -> None:
    rubric = (SPEC.rubric[0].model_copy(update={"name": "compiles"}), *SPEC.rubric[1:])
    found = facts(builds={"many": build("many", FAILURE)})
    found = replace(found, lab=replace(found.lab, spec=SPEC.model_copy(update={"rubric": rubric})))
    skipped = next(check for check in judge(found, HERE).checks if check.status == "skipped")
    assert (skipped.message, skipped.needs) == ("there is no many to run: see many.compiles", "many.compiles")


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
    report = judge(replace(nothing, evidence=empty, differences={}), HERE)
    assert (report.status, report.score) == ("graded", 0)
    assert report.toolchain["strace"] == "strace 6.1"


def test_of_selected_checks_there_is_no_score_and_the_others_are_skipped() -> None:
    selected = frozenset(["many.build", "many.timing"])
    report = judge(replace(facts(), selected_checks=selected), HERE)
    assert (report.score, set(report.only), report.not_run) == (None, selected, ())
    assert {check.id for check in report.checks if check.status == "passed"} == selected
    assert {check.status for check in report.checks if check.id not in selected} == {"skipped"}
    assert [build.program for build in report.builds] == ["many"]
    report = judge(replace(facts(), selected_checks=frozenset(["single.build"])), HERE)
    assert [build.program for build in report.builds] == ["single"]


def test_a_check_is_as_visible_as_its_item() -> None:
    rubric = tuple(
        item.model_copy(update={"visibility": "hidden" if item.name == "large" else "visible"})
        for item in SPEC.rubric
    )
    found = facts()
    report = judge(replace(found, lab=replace(found.lab, spec=SPEC.model_copy(update={"rubric": rubric}))), HERE)
    assert {check.title for check in report.checks if check.visibility == "hidden"} == {"large"}


def test_a_student_s_copy_says_what_was_left_out_of_it() -> None:
    hidden = {"many": HiddenChecks(checks=2, points=5)}
    spec = SPEC.model_copy(update={"published": Published(hidden_checks=hidden)})
    found = facts()
    assert judge(replace(found, lab=replace(found.lab, spec=spec)), HERE).hidden_checks == hidden
    assert not_graded(spec, SUBMISSION, HERE, "the engine died").hidden_checks == hidden
    assert judge(found, HERE).hidden_checks == {}


def test_what_is_decided_already_is_not_judged_again() -> None:
    decided = judge_check(facts(run("many.copy", b"wrong")), "many", SPEC.rubric[1])
    report = judge(facts(), HERE, {decided.id: decided})
    assert checks(report)[decided.id] == decided
    assert report.score == SPEC.max_score - decided.max_points


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
    report = judge(replace(only, lab=replace(only.lab, spec=SPEC.model_copy(update={"rubric": rubric}))), HERE)
    assert {check.program for check in report.checks} == {"many"}
    assert report.score == len(rubric)


def test_every_kind_has_a_function_that_judges_it() -> None:
    items = get_args(get_args(RubricEntry)[0])
    kinds = [get_args(item.model_fields["kind"].annotation)[0] for item in items]
    assert len(kinds) == len(items) > 1
    assert all(callable(judge_function(kind)) for kind in kinds)
