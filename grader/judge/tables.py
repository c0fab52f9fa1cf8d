"""Build a table of system calls for each counted run, in the way that `strace -c` counts."""

from __future__ import annotations

from grader.judge.streams import RunCalls, counted_by, from_accounting
from grader.model.evidence import Accounting, CallCount, Evidence, RunDone, Trace
from grader.model.report import SyscallTable
from grader.model.spec.lab import Spec


def syscall_tables(spec: Spec, evidence: Evidence) -> tuple[SyscallTable, ...]:
    """Return a table for each counted case: from strace, else from tally, else from the kernel's totals.

    Totals that may lack calls make no table, because its numbers would look exact.
    """
    tables = []
    for program in spec.programs:
        for case in spec.cases:
            table = _table(spec, evidence, program, case)
            if table is not None:
                tables.append(table)
    return tuple(tables)


def _table(spec: Spec, evidence: Evidence, program: str, case: str) -> SyscallTable | None:
    if not spec.cases[case].is_counted:
        return None
    traced, run = evidence.traced(program, case), evidence.run(program, case)
    for candidate in (traced, run):
        # The trace of an accounted run is what the filter saw before it gave up.
        if candidate is not None and candidate.trace is not None and candidate.engine != "account":
            return _from_trace(spec, program, case, candidate, candidate.trace)
    slice_case = spec.slice_for(program, case)
    short_run = None if slice_case is None else evidence.traced(program, slice_case)
    calls = (
        from_accounting(case, run, short_run, output_file=spec.cases[case].streams.output)
        if run is not None
        else None
    )
    if run is None or run.accounting is None or calls is None or short_run is None or short_run.trace is None:
        return None
    if calls.is_lower_bound:
        return None
    return _from_totals(spec, program, calls, run.accounting, short_run.trace)


def _from_trace(spec: Spec, program: str, case: str, run: RunDone, trace: Trace) -> SyscallTable:
    return SyscallTable(
        program=program,
        input=spec.cases[case].judged_input,
        case=case,
        by_case=not spec.is_told_by_input(case),
        sink=spec.cases[case].sink,
        engine=counted_by(run),
        complete=trace.complete,
        totals_only=trace.transfers_only,
        calls=trace.calls,
        stdin=trace.stdin,
        stdout=trace.stdout,
    )


def _from_totals(spec: Spec, program: str, calls: RunCalls, totals: Accounting, short: Trace) -> SyscallTable:
    """Build the rows that the totals show: reads and writes, on any descriptor.

    The kernel counts calls such as pread64 as reads; how many of those there are is known from the short log.
    """
    case = spec.cases[calls.case]
    related = {name: short.calls[name] for name in ("pread64", "pwrite64") if name in short.calls}
    reads = totals.reads - (related["pread64"].calls if "pread64" in related else 0)
    writes = totals.writes - (related["pwrite64"].calls if "pwrite64" in related else 0)
    return SyscallTable(
        program=program,
        input=case.judged_input,
        case=calls.case,
        by_case=not spec.is_told_by_input(calls.case),
        sink=case.sink,
        engine="tally",
        totals_only=True,
        complete=True,
        calls={"read": CallCount(calls=reads, errors=0), "write": CallCount(calls=writes, errors=0), **related},
        stdin=calls.stdin,
        stdout=calls.stdout,
    )
