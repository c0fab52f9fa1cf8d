from __future__ import annotations

import pytest

from grader.judge.build import build_results, judge_build
from grader.model.evidence import Ending
from grader.model.report import BuildEvidence
from grader.model.spec.rubric import BuildItem

from .facts import CRASH, FAILURE, build, facts, limit
from .lab import SPEC

ITEM = BuildItem(kind="build", name="build", title="", points={"many": 1})
ERRORS = "many.c: In function 'main':\nmany.c:3:5: error: expected ';'\nmany.c:4:1: error: expected '}'\n"
WARNING = "many.c:3:5: warning: unused variable\n"


@pytest.mark.parametrize(
    ("messages", "says"), [("", "without a warning"), (WARNING, "with a warning"), (WARNING * 3, "with 3 warnings")]
)
def test_warnings_are_counted_and_cost_nothing(messages: str, says: str) -> None:
    outcome = judge_build(facts(builds={"many": build("many", messages=messages)}), "many", ITEM)
    assert outcome.status == "passed"
    assert says in outcome.message
    assert outcome.evidence == BuildEvidence(messages=messages)


def test_the_first_error_is_told_and_all_are_counted() -> None:
    outcome = judge_build(facts(builds={"many": build("many", FAILURE, ERRORS)}), "many", ITEM)
    assert outcome.status == "failed"
    assert outcome.message == "it does not compile: 2 errors; the first: many.c:3:5: error: expected ';'"


def test_a_failure_without_a_word_is_still_one() -> None:
    outcome = judge_build(facts(builds={"many": build("many", FAILURE)}), "many", ITEM)
    assert (outcome.status, outcome.message) == ("failed", "it does not compile: an error")


@pytest.mark.parametrize(
    ("ending", "says"),
    [(limit("wall"), f"stopped after {SPEC.limits.build.wall_s:g} s"), (CRASH, "killed by SIGSEGV")],
)
def test_a_compiler_that_did_not_get_through(ending: Ending, says: str) -> None:
    outcome = judge_build(facts(builds={"many": build("many", ending)}), "many", ITEM)
    assert outcome.status == "failed"
    assert "the compiler did not get through" in outcome.message
    assert says in outcome.message


def test_a_source_that_cannot_be_used_fails_with_its_problem() -> None:
    outcome = judge_build(facts(unusable={"many": "many.c is missing"}), "many", ITEM)
    assert (outcome.status, outcome.message) == ("failed", "many.c is missing")


def test_the_command_is_shown_as_a_student_would_type_it() -> None:
    many, single = build_results(facts(unusable={"many": "many.c is empty"}))
    assert (many.ok, many.messages) == (False, "many.c is empty")
    assert single.ok
    assert single.command == "gcc -std=gnu11 -O2 -o single single.c"
