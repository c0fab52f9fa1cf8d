"""Collect calls and times over a parameter, for the plots of the spec; they are never judged."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from grader.judge.cases import case_result
from grader.judge.facts import Facts
from grader.model.evidence import Evidence, Exited
from grader.model.report import PlotFigures, PlottedRun, SyscallTable
from grader.model.spec.lab import Plot


def plot_figures(
    facts: Facts, own_tables: Sequence[SyscallTable], reference_tables: Sequence[SyscallTable]
) -> tuple[PlotFigures, ...]:
    """Return the figures of each plot, from the tables of the submission and of the reference."""
    reference = facts.lab.reference.evidence
    return tuple(
        PlotFigures(
            title=plot.title,
            parameter=plot.parameter,
            runs=tuple(_runs(facts, plot, facts.evidence, own_tables, is_reference=False)),
            reference=tuple(_runs(facts, plot, reference, reference_tables, is_reference=True)),
        )
        for plot in facts.lab.spec.plots
    )


def _runs(
    facts: Facts, plot: Plot, evidence: Evidence, tables: Sequence[SyscallTable], *, is_reference: bool
) -> Iterator[PlottedRun]:
    """Yield the runs by program and value, also those that were not made: pages name them."""
    spec = facts.lab.spec
    calls = {(table.program, table.case): _calls(table) for table in tables}
    for program in filter(facts.concerns, spec.programs):
        for case, value in sorted(plot.cases.items(), key=lambda item: item[1]):
            if not spec.cases[case].runs(program):
                continue
            run = evidence.run(program, case)
            ended = run is not None and isinstance(run.ending, Exited)
            yield PlottedRun(
                program=program,
                case=case,
                value=value,
                calls=calls.get((program, case)),
                real_s=run.times.real_s if run is not None and ended else None,
                correct=is_reference or case_result(facts, program, case).passed,
            )


def _calls(table: SyscallTable) -> int | None:
    """Return the reads of the input and the writes of the output; other calls are not what the parameter changes."""
    if table.stdin is None or table.stdout is None or not table.complete:
        return None
    return table.stdin.calls + table.stdout.calls
