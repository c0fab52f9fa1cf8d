from __future__ import annotations

import pytest

from grader.model.report import CaseResult, CasesEvidence, Timing
from grader.render.views.log_scale import Scale
from grader.render.views.timings import MIN_RATIO_S, faster_words, time_groups

from . import factory


def test_ratio_in_words() -> None:
    assert faster_words(factory.times(0.2, 5.4)) == "tr2b is 27 times faster than tr2u"
    assert faster_words(factory.times(0.2, 0.3)) == "tr2b is 1.5 times faster than tr2u"
    assert faster_words(factory.times(2.0, 1.0)) == "tr2u is 2.0 times faster than tr2b"


def test_no_ratio_where_there_is_nothing_to_divide() -> None:
    assert faster_words(()) == ""
    assert faster_words(factory.times(0.2, 5.4)[:1]) == ""
    assert faster_words(factory.times(0.0, 5.4)) == ""


def test_no_ratio_is_computed_from_milliseconds() -> None:
    assert faster_words(factory.times(MIN_RATIO_S - 0.001, 5.4)) == ""
    assert faster_words(factory.times(MIN_RATIO_S, 5.4)) == "tr2b is 540 times faster than tr2u"


def test_times_by_input_beside_the_reference() -> None:
    other = Timing(program="tr2b", input="random-5m", real_s=1.0, user_s=0.5, sys_s=0.5)
    first, second = time_groups(factory.report(timing=(*factory.times(0.25, 5.5), other)))
    assert (first.name, second.name) == ("pattern-5m", "random-5m")
    assert first.ratio == "tr2b is 22 times faster than tr2u"
    assert first.reference["tr2u"].real_s == 5.6
    assert first.scale == Scale(power=-1, decades=2)
    assert (dict(second.reference), second.ratio) == ({}, "")


def test_only_programs_that_the_lab_compares_are_compared() -> None:
    (group,) = time_groups(factory.report(timing=factory.times(0.25, 5.5), comparisons=()))
    assert (group.ratio, group.reference_ratio) == ("", "")
    (group,) = time_groups(factory.report(timing=factory.times(0.25, 5.5), comparisons=factory.COMPARISONS[1:]))
    assert group.ratio == ""


def test_times_of_two_cases_with_one_input_are_two_groups() -> None:
    def of_case(timings: tuple[Timing, ...], name: str) -> tuple[Timing, ...]:
        return tuple(timing.model_copy(update={"case": name, "by_case": True}) for timing in timings)

    report = factory.report(
        timing=(*of_case(factory.times(0.2, 5.0), "one"), *of_case(factory.times(3.0, 4.0), "two"))
    )
    assert [(group.name, [timing.real_s for timing in group.own]) for group in time_groups(report)] == [
        ("one", [0.2, 5.0]),
        ("two", [3.0, 4.0]),
    ]


def test_a_ratio_is_that_of_the_numbers_shown() -> None:
    assert faster_words(factory.times(0.0126, 3.1)) == f"tr2b is {3.1 / 0.013:,.0f} times faster than tr2u"
    assert faster_words(factory.times(0.0004, 3.1)) == ""
    assert faster_words(factory.times(1.0, 1.02)) == "tr2b is about as fast as tr2u"


def test_a_program_that_copies_nothing_is_not_faster() -> None:
    wrong = factory.copied(passed=False, problem="nothing was written")
    checks = (
        factory.check("tr2b.text", "failed", evidence=CasesEvidence(cases=(wrong,))),
        factory.check("tr2u.text", evidence=CasesEvidence(cases=(factory.copied(),))),
    )
    (group,) = time_groups(factory.report(checks=checks, timing=factory.times(0.001, 5.5)))
    assert (len(group.own), group.ratio) == (2, "")
    assert group.reference_ratio
    assert group.remarks == ("tr2b does not copy pattern-5m correctly: its time is not compared.",)


@pytest.mark.parametrize(
    ("case", "remark"),
    [
        (factory.copied(passed=False, ending=None), "tr2b was not run on pattern-5m: it has no time."),
        (factory.copied(passed=False, ending=factory.ENDINGS[1]), "tr2b does not copy pattern-5m correctly: it has"),
        (factory.case(), "tr2b was not judged on pattern-5m: it has no time."),
        (factory.copied(), "tr2b was not timed."),
    ],
)
def test_a_program_without_a_time_is_named(case: CaseResult, remark: str) -> None:
    checks = (factory.check("tr2b.text", evidence=CasesEvidence(cases=(case,))), factory.report().checks[1])
    (group,) = time_groups(factory.report(checks=checks, timing=factory.times(1.0, 5.5)[1:]))
    assert group.remarks[0].startswith(remark)
