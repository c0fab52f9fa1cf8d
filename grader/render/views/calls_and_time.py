"""Calls against time on the input that was timed, of the student's programs and of the reference's."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.counted import counted
from grader.model.report import Report, SyscallTable, Timing
from grader.render.text.phrases import program_label, seconds_words
from grader.render.views.call_derivation import VERBS, shown_calls
from grader.render.views.copies import programs_with_figures, why_not_copied
from grader.render.views.timings import SHOWN_DECIMALS


@dataclass(frozen=True)
class MeasuredProgram:
    """The reads and writes that a program made and the seconds that it took, both as the tables show them."""

    program: str
    is_reference: bool
    calls: int
    real_s: float

    @property
    def label(self) -> str:
        """Whose program it is."""
        return program_label(self.program, is_reference=self.is_reference)


@dataclass(frozen=True)
class CallsAndTime:
    """What is measured in one run; `left_out` says of each program of the student's why it is not there."""

    name: str
    sentence: str
    measured: tuple[MeasuredProgram, ...]
    left_out: tuple[str, ...]


def calls_and_time(report: Report) -> CallsAndTime | None:
    """Return what was measured in the first run that was timed, None if no program copied it correctly.

    The student's programs come first.
    """
    timed = next(iter(report.timing), None)
    if timed is None:
        return None
    programs = programs_with_figures(report, timed.run)
    reasons = {program: why_not_copied(report, program, timed) for program in programs}
    own = _measured(report.syscalls, report.timing, timed.run, is_reference=False)
    drawn = tuple(one for program, one in own.items() if reasons.get(program) == "")
    if not drawn:
        return None
    figures = report.reference
    reference = {} if figures is None else _measured(figures.syscalls, figures.timing, timed.run, is_reference=True)
    left_out = tuple(
        f"{program} is not drawn: {f'it {reason}' if reason else 'its calls or its time could not be measured'}."
        for program, reason in reasons.items()
        if reason or program not in own
    )
    return CallsAndTime(timed.name, _sentence(report, timed.run, drawn), (*drawn, *reference.values()), left_out)


def _measured(
    tables: Iterable[SyscallTable], timings: Iterable[Timing], run: str, *, is_reference: bool
) -> dict[str, MeasuredProgram]:
    seconds = {timing.program: round(timing.real_s, SHOWN_DECIMALS) for timing in timings if timing.run == run}
    found: dict[str, MeasuredProgram] = {}
    for table in tables:
        # The runs that are timed write to a file.
        if (table.run, table.sink) == (run, "file") and table.complete and seconds.get(table.program):
            calls = sum(shown_calls(table, verb) or 0 for verb in VERBS)
            if table.stdin is not None and table.stdout is not None and calls:
                one = MeasuredProgram(table.program, is_reference, calls, seconds[table.program])
                found.setdefault(table.program, one)
    return found


def _sentence(report: Report, run: str, drawn: Iterable[MeasuredProgram]) -> str:
    """Say the numbers of the student's programs, the one with the most calls first."""
    sizes = {table.stdin.bytes for table in report.syscalls if table.run == run and table.stdin is not None}
    first, *rest = sorted(drawn, key=lambda one: -one.calls)
    clauses = [
        f"{first.program} makes {first.calls:,} reads and writes and takes {seconds_words(first.real_s)} seconds"
    ]
    clauses += [f"{one.program} {one.calls:,} and {seconds_words(one.real_s)} seconds" for one in rest]
    return f"To copy {counted(max(sizes), 'byte')}, {'; '.join(clauses)}."
