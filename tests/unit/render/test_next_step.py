"""What a check says to begin with."""

from __future__ import annotations

from grader.model.report import BuildEvidence, BuildResult
from grader.render.views.next_step import next_step

from . import factory

FAILED = (
    factory.check("tr2b.silent", "failed", max_points=0.0, title="Left open"),
    factory.check("tr2b.text", "failed", title="Translates text"),
    factory.check("tr2u.text", "failed"),
)


def test_there_is_nothing_to_choose_where_at_most_one_check_failed() -> None:
    assert not next_step(factory.report(checks=(factory.check("tr2b.text"),)))
    assert not next_step(factory.report(checks=FAILED[:1]))


def test_the_first_check_that_costs_points_comes_first() -> None:
    assert next_step(factory.report(checks=FAILED)) == (
        "Begin with tr2b.text (Translates text). With `--only tr2b.text` it is checked alone."
    )


def test_where_nothing_costs_points_it_is_the_first() -> None:
    free = tuple(check.model_copy(update={"max_points": 0.0}) for check in FAILED)
    assert next_step(factory.report(checks=free)).startswith("Begin with tr2b.silent ")


def test_a_known_cause_is_named() -> None:
    report = factory.diagnosed()
    named = {cause.name: cause.title for cause in report.causes}
    first = next(check for check in report.checks if check.status == "failed" and check.max_points)
    assert first.cause in named
    assert next_step(report).startswith(f"Begin with {first.id}: {named[first.cause]}. ")


def test_what_does_not_compile_comes_before_all_else_even_alone() -> None:
    gcc = "tr2u.c:3:5: error: expected ';' before '}' token\n    3 |     }\n"
    build = factory.check("tr2u.build", "failed", evidence=BuildEvidence(messages=gcc))
    unbuilt = (BuildResult(program="tr2u", ok=False, command="gcc", messages=gcc),)
    words = "Begin with tr2u.build: tr2u.c:3:5: expected ';' before '}' token. Nothing else of tr2u is judged before."
    for checks in ((*FAILED[:2], build), (build,)):
        assert next_step(factory.report(checks=checks, builds=unbuilt)) == words


def test_a_source_that_is_missing_is_said() -> None:
    build = factory.check("tr2u.build", "failed", message="tr2u.c is missing", evidence=None)
    unbuilt = (BuildResult(program="tr2u", ok=False, command="", messages=""),)
    assert next_step(factory.report(checks=(build,), builds=unbuilt)).startswith(
        "Begin with tr2u.build: tr2u.c is missing. "
    )
