from __future__ import annotations

from grader.model.report import Timing
from grader.render.figures import call_groups, engine_words, faster_words, time_groups

from . import factory

BLOCKS = -(-factory.SIZE // factory.BUFFER)


def test_rows_are_sorted_by_calls_and_sum_up() -> None:
    program = call_groups(factory.report())[0].programs[0]
    calls = [row.calls for row in program.rows]
    assert calls == sorted(calls, reverse=True)
    assert (program.rows[0].syscall, program.rows[0].calls) == ("read", BLOCKS + 1 + factory.LOADER_READS)
    assert program.total.calls == sum(calls)
    assert program.total.errors == 1
    assert program.total.reference_calls == program.total.calls


def test_a_call_that_only_the_reference_makes_has_a_row() -> None:
    own = factory.buffered().model_copy(update={"calls": factory.counts(read=7)})
    rows = {row.syscall: row for row in call_groups(factory.report(syscalls=(own,)))[0].programs[0].rows}
    assert (rows["write"].calls, rows["write"].reference_calls) == (0, BLOCKS)


def test_groups_are_by_input_and_sink_files_first() -> None:
    tables = (factory.buffered("terminal"), factory.buffered(), factory.unbuffered())
    groups = call_groups(factory.report(syscalls=tables))
    assert [(group.sink, [program.program for program in group.programs]) for group in groups] == [
        ("file", ["tr2b", "tr2u"]),
        ("terminal", ["tr2b"]),
    ]


def test_without_a_reference_nothing_is_compared() -> None:
    program = call_groups(factory.report(reference=None))[0].programs[0]
    assert program.reference is None
    assert {row.reference_calls for row in (*program.rows, program.total)} == {None}


def test_the_reference_counted_by_the_same_engine_is_preferred() -> None:
    traced = factory.buffered()
    totals = traced.model_copy(update={"engine": "tally"})
    reference = factory.report().reference
    assert reference is not None
    both = reference.model_copy(update={"syscalls": (traced, totals)})
    groups = call_groups(factory.report(syscalls=(totals,), reference=both))
    assert groups[0].programs[0].reference == totals


def test_engines_in_words() -> None:
    table = factory.buffered()
    assert engine_words(table) == "counted by strace"
    assert "incomplete" in engine_words(table.model_copy(update={"complete": False}))
    assert "without tracing" in engine_words(table.model_copy(update={"engine": "tally", "totals_only": True}))
    assert "every call" in engine_words(table.model_copy(update={"engine": "tally"}))


def test_ratio_in_words() -> None:
    assert faster_words(factory.times(0.2, 5.4)) == "tr2b is 27 times faster than tr2u"
    assert faster_words(factory.times(0.2, 0.3)) == "tr2b is 1.5 times faster than tr2u"
    assert faster_words(factory.times(2.0, 1.0)) == "tr2u is 2.0 times faster than tr2b"


def test_no_ratio_where_there_is_nothing_to_divide() -> None:
    assert faster_words(()) == ""
    assert faster_words(factory.times(0.2, 5.4)[:1]) == ""
    assert faster_words(factory.times(0.0, 5.4)) == ""


def test_times_by_input_beside_the_reference() -> None:
    other = Timing(program="tr2b", input="random-5m", real_s=1.0, user_s=0.5, sys_s=0.5)
    first, second = time_groups(factory.report(timing=(*factory.times(0.25, 5.5), other)))
    assert (first.input, second.input) == ("pattern-5m", "random-5m")
    assert first.ratio == "tr2b is 22 times faster than tr2u"
    assert first.reference["tr2u"].real_s == 5.6
    assert (dict(second.reference), second.ratio) == ({}, "")
