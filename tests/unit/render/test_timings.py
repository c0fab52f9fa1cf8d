from __future__ import annotations

from grader.model.report import Timing
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
    assert (first.input, second.input) == ("pattern-5m", "random-5m")
    assert first.ratio == "tr2b is 22 times faster than tr2u"
    assert first.reference["tr2u"].real_s == 5.6
    assert first.scale == Scale(power=-1, decades=2)
    assert (dict(second.reference), second.ratio) == ({}, "")
