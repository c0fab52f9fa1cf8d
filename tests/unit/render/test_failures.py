from __future__ import annotations

from grader.model.report import BuildEvidence, BuildResult
from grader.render.views.failures import by_program, explained, lost_points, next_step, unbuilt, unexplained

from . import factory

FAILED = (
    factory.check("tr2b.silent", "failed", max_points=0.0, title="Left open"),
    factory.check("tr2b.text", "failed", title="Translates text"),
    factory.check("tr2u.text", "failed"),
)


def test_a_cause_holds_its_checks_and_what_they_cost() -> None:
    (one,) = explained(factory.diagnosed())
    assert [check.id for check in one.checks] == ["tr2b.byte-ff", "tr2b.random-5m"]
    assert (one.lost_points, one.programs, one.elsewhere) == (7.0, ("tr2b",), ())
    assert [check.id for check in unexplained(factory.diagnosed())] == ["tr2u.syscalls"]


def test_a_check_of_two_causes_belongs_to_the_first() -> None:
    causes = (factory.cause("one", "tr2b.byte-ff"), factory.cause("two", "tr2b.byte-ff", "tr2b.random-5m"))
    first, second = explained(factory.diagnosed(causes=causes))
    assert [check.id for check in first.checks] == ["tr2b.byte-ff"]
    assert [check.id for check in second.checks] == ["tr2b.random-5m"]
    assert [check.id for check in second.elsewhere] == ["tr2b.byte-ff"]
    assert second.lost_points == 7.0


def test_a_cause_explains_nothing_that_passed() -> None:
    (one,) = explained(factory.diagnosed(causes=(factory.cause("x", "tr2b.text", "no.such-check"),)))
    assert (one.checks, one.lost_points) == ((), 0)


def test_what_does_not_compile_needs_no_cause() -> None:
    assert [check.id for check in unbuilt(factory.unbuilt())] == ["tr2b.build"]
    assert unexplained(factory.unbuilt()) == ()


def test_checks_by_program() -> None:
    checks = factory.diagnosed().checks
    assert {name: len(own) for name, own in by_program(checks).items()} == {"tr2b": 3, "tr2u": 1}
    assert lost_points(checks) == 13.0


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
