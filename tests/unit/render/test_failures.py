from __future__ import annotations

from grader.model.report import BuildResult
from grader.render.html.pages import report_html
from grader.render.views.failures import by_program, explained, lost_points, unbuilt, unexplained

from . import factory


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


def test_warnings_of_a_cause_are_in_the_order_of_its_programs_and_named_after_their_files() -> None:
    programs = [f"p{number}" for number in range(8)]
    warned = "{0}.c:3:5: warning: comparison is always false [-Wtype-limits]\n    3 | while (c != EOF)\n"
    report = factory.diagnosed(
        checks=tuple(factory.check(f"{program}.text", "failed") for program in programs),
        causes=(factory.cause("x", *(f"{program}.text" for program in programs)),),
        builds=tuple(
            BuildResult(program=program, ok=True, command="gcc", messages=warned.format(program))
            for program in programs
        ),
    )
    (one,) = explained(report)
    # Eight of them: a set would hardly ever have this order.
    assert [warning.location for warning in one.warnings] == [f"{program}.c:3:5" for program in programs]
    page = report_html(report).decode()
    assert 'aria-label="Source of p1.c with' in page
    assert page.count('aria-label="Source of p0.c with') == 1
