from __future__ import annotations

from grader.judge.tables import syscall_tables
from grader.model.evidence import CallCount, RunDone
from grader.model.report import SyscallTable

from .facts import LOADER, NONE, accounting, evidence, run, stream, trace
from .lab import BUFFER, FULL_BYTES, INPUTS, SPEC


def tables(*changed: RunDone, without: tuple[str, ...] = ()) -> dict[tuple[str, str, str], SyscallTable]:
    left_out = dict.fromkeys(without, "no-tracer")
    seen = evidence({done.step: done for done in changed}, left_out=left_out)
    return {(table.program, table.input, table.sink): table for table in syscall_tables(SPEC, seen)}


def test_each_counted_run_has_a_table() -> None:
    traced = [("slice", "file"), ("slice", "terminal"), ("random", "file"), ("pattern", "file")]
    expected = {(program, *where) for program in ("many", "single") for where in traced}
    assert set(tables()) == expected | {("many", "pattern", "terminal"), ("many", "random", "terminal")}


def test_where_there_is_a_log_the_table_is_strace_s() -> None:
    table = tables()["many", "random", "file"]
    assert (table.engine, table.totals_only, table.complete) == ("strace", False, True)
    assert table.calls["write"].calls == -(-FULL_BYTES // BUFFER)


def test_else_it_is_tally_s() -> None:
    table = tables()["single", "random", "file"]
    assert (table.engine, table.totals_only, table.complete) == ("tally", False, True)
    assert table.stdin == stream(FULL_BYTES + 1, FULL_BYTES, 1)


def test_else_it_is_the_kernel_s_totals_with_the_loader_s_reads_as_strace_counts() -> None:
    table = tables()["single", "pattern", "file"]
    assert (table.engine, table.totals_only, table.complete) == ("tally", True, True)
    assert table.calls["read"].calls == FULL_BYTES + 1 + LOADER.calls
    assert table.calls["write"].calls == FULL_BYTES
    assert table.stdin == stream(FULL_BYTES + 1, FULL_BYTES)


def test_calls_that_the_kernel_counts_with_the_reads_have_a_row_of_their_own() -> None:
    # The loader of some systems reads twice with pread64.
    short = trace(stream(257, 256, 1), stream(256, 256, 1))
    other = LOADER.model_copy(update={"calls": LOADER.calls + 2})
    related = {"pread64": CallCount(calls=2, errors=0), "pwrite64": CallCount(calls=3, errors=1)}
    short = short.model_copy(
        update={"calls": {**short.calls, **related}, "other_reads": other, "other_writes": stream(3, 0)}
    )
    totals = accounting(FULL_BYTES + 1 + 2, FULL_BYTES + 3, FULL_BYTES)
    table = tables(
        run("single.slice.strace", INPUTS["slice"], trace=short),
        run("single.pattern", INPUTS["pattern"], accounting=totals),
    )["single", "pattern", "file"]
    rest = {"read": FULL_BYTES + 1 + LOADER.calls, "write": FULL_BYTES}
    assert table.calls == {**related, **{name: CallCount(calls=calls, errors=0) for name, calls in rest.items()}}
    assert (table.stdin, table.stdout) == (stream(FULL_BYTES + 1, FULL_BYTES), stream(FULL_BYTES, FULL_BYTES))


def test_without_a_complete_slice_the_totals_cannot_be_told_apart() -> None:
    cut = run("single.slice.strace", trace=trace(NONE, NONE, complete=False))
    found = tables(cut)
    assert ("single", "pattern", "file") not in found
    assert not found["single", "slice", "file"].complete
    assert ("single", "pattern", "file") not in tables(without=("single.slice.strace",))
