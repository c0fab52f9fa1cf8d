from __future__ import annotations

from grader.model.evidence import StreamCalls
from grader.model.report import Derived, SyscallTable
from grader.render.views.syscalls import CallGroup, call_groups, source_words

from . import factory
from .factory import BUFFER, LOADER_READS, SIZE, TERMINAL_BUFFER

BLOCKS = -(-SIZE // BUFFER)


def first(*tables: SyscallTable, **changes: object) -> CallGroup:
    return call_groups(factory.report(**({"syscalls": tables} | changes)))[0]


def again(table: SyscallTable, **changes: object) -> SyscallTable:
    return table.model_copy(update={"input": "random-5m", **changes})


def test_rows_are_sorted_by_calls_and_sum_up() -> None:
    table = first(factory.buffered()).tables[0]
    calls = [row.calls for row in table.rows]
    assert calls == sorted(calls, reverse=True)
    assert (table.rows[0].syscall, table.rows[0].calls) == ("read", BLOCKS + 1 + LOADER_READS)
    assert table.total.calls == sum(calls)
    assert table.total.errors == 1
    assert table.total.reference_calls == table.total.calls


def test_a_call_that_only_the_reference_makes_has_a_row() -> None:
    own = factory.buffered().model_copy(update={"calls": factory.counts(read=7)})
    rows = {row.syscall: row for row in first(own).tables[0].rows}
    assert (rows["write"].calls, rows["write"].reference_calls) == (0, BLOCKS)


def test_groups_are_by_size_and_sink_the_largest_first() -> None:
    short = factory.table("tr2u", reads=4097, writes=4096, nbyte=1).model_copy(
        update={"input": "slice", "stdin": StreamCalls(calls=4097, bytes=4096, nbyte_min=1, nbyte_max=1)}
    )
    tables = (short, factory.buffered("terminal"), factory.buffered(), factory.unbuffered())
    groups = call_groups(factory.report(syscalls=tables))
    assert [(group.size_bytes, group.sink, [table.program for table in group.tables]) for group in groups] == [
        (SIZE, "file", ["tr2b", "tr2u"]),
        (SIZE, "terminal", ["tr2b"]),
        (4096, "file", ["tr2u"]),
    ]


def test_what_is_the_same_on_two_inputs_is_one_row() -> None:
    own = factory.buffered()
    reference = factory.report().reference
    assert reference is not None
    both = reference.model_copy(update={"syscalls": (own, again(own))})
    group = first(own, again(own), reference=both)
    assert [(row.verb, row.runs) for row in group.streams] == [
        ("read", ("pattern-5m", "random-5m")),
        ("write", ("pattern-5m", "random-5m")),
    ]
    assert len(group.tables) == 1


def test_totals_are_rows_and_no_table() -> None:
    group = first(factory.unbuffered().model_copy(update={"totals_only": True, "engine": "tally"}))
    assert group.tables == ()
    assert [row.calls for row in group.streams] == [SIZE + 2, SIZE]


def test_without_a_reference_nothing_is_compared() -> None:
    group = first(factory.buffered(), reference=None)
    assert {row.reference_calls for row in (*group.tables[0].rows, group.tables[0].total)} == {None}
    assert {row.reference_calls for row in group.streams} == {None}


def test_the_reference_counted_by_the_same_engine_is_preferred() -> None:
    traced = factory.buffered()
    counted = traced.model_copy(update={"engine": "tally", "calls": factory.counts(read=9)})
    reference = factory.report().reference
    assert reference is not None
    both = reference.model_copy(update={"syscalls": (traced, counted)})
    assert first(counted, reference=both).tables[0].total.reference_calls == 9


def test_how_much_more_one_program_asks() -> None:
    # Both programs' reads include the one that returns 0, and the dynamic loader's, as in the table.
    ratio = (2 * SIZE + 1 + factory.LOADER_READS) / (2 * BLOCKS + 1 + factory.LOADER_READS)
    assert first(factory.buffered(), factory.unbuffered()).ratio == (
        f"tr2u makes {ratio:,.0f} times as many reads and writes as tr2b"
    )
    assert first(factory.buffered()).ratio == ""


def test_only_programs_that_the_lab_compares_are_compared() -> None:
    tables = (factory.buffered(), factory.unbuffered())
    assert first(*tables, comparisons=()).ratio == ""
    assert first(*tables, comparisons=factory.COMPARISONS[1:]).ratio == ""


def test_runs_that_differ_are_compared_by_name() -> None:
    def copied(table: SyscallTable, case: str) -> SyscallTable:
        return table.model_copy(update={"case": case, "by_case": True})

    tables = [copied(table, "one") for table in (factory.buffered(), factory.unbuffered())]
    tables += [copied(factory.buffered(), "two"), copied(factory.unbuffered(), "two")]
    compared = [factory.COMPARISONS[0].model_copy(update={"case": case}) for case in ("one", "two")]
    same = first(*tables, comparisons=tuple(compared)).ratio
    assert same.startswith("tr2u makes ")
    assert ";" not in same
    tables[3] = factory.table("tr2u", reads=SIZE // 2 + 1, writes=SIZE // 2, nbyte=2)
    tables[3] = copied(tables[3], "two")
    one, two = first(*tables, comparisons=tuple(compared)).ratio.split("; ")
    assert one == f"{same} (case one)"
    assert two.endswith(" (case two)")
    tables[2:] = [again(table, case="two") for table in tables[2:]]
    assert first(*tables, comparisons=tuple(compared)).ratio == same


def test_programs_that_ask_about_as_much_have_no_factor() -> None:
    alike = factory.unbuffered().model_copy(update={"program": "tr2b"})
    more = factory.table("tr2u", reads=SIZE + 2, writes=SIZE, nbyte=1)
    assert first(alike, more).ratio == "tr2u makes about as many reads and writes as tr2b"


def test_sources_in_words() -> None:
    table = factory.buffered()
    assert source_words(table) == "counted by strace"
    assert "incomplete" in source_words(table.model_copy(update={"complete": False}))
    assert "without tracing" in source_words(table.model_copy(update={"engine": "tally", "totals_only": True}))
    assert "every call" in source_words(table.model_copy(update={"engine": "tally"}))


def test_a_log_that_was_cut_is_not_explained() -> None:
    rows = first(factory.buffered().model_copy(update={"complete": False})).streams
    assert {(row.complete, row.derivation) for row in rows} == {(False, "")}


def test_a_terminal_takes_the_words_of_the_check() -> None:
    words = f"one write per newline or per {TERMINAL_BUFFER} bytes, whichever comes first"
    writes = -(-SIZE // TERMINAL_BUFFER)
    own = factory.buffered("terminal").model_copy(
        update={
            "stdout": StreamCalls(
                calls=writes, bytes=SIZE, nbyte_min=TERMINAL_BUFFER // 2, nbyte_max=TERMINAL_BUFFER
            ),
        }
    )
    judged = factory.stream(
        sink="terminal",
        stream="stdout",
        calls=writes,
        expected_calls=writes,
        derived=Derived(each=words),
        passed=True,
    )
    check = factory.check("tr2b.terminal", evidence=factory.CallsEvidence(streams=(judged,)))
    row = first(own, checks=(check,)).streams[1]
    assert row.derivation == words
    fewer = own.model_copy(update={"stdout": StreamCalls(calls=7, bytes=SIZE, nbyte_min=None, nbyte_max=None)})
    assert (
        first(fewer.model_copy(update={"calls": factory.counts(write=7)}), checks=(check,)).streams[1].derivation
        == ""
    )


def test_a_program_of_which_only_the_references_calls_were_counted_is_named() -> None:
    assert first(factory.buffered()).uncounted == ("tr2u",)
    assert first(factory.buffered(), factory.unbuffered()).uncounted == ()
    assert first(factory.buffered(), reference=None).uncounted == ()
