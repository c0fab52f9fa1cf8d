"""Times prepared for display, the student's next to the reference's; page and terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.model.report import Report, Timing
from grader.render.text.phrases import ratio_words
from grader.render.views.copies import programs_with_figures, why_not_copied
from grader.render.views.log_scale import Scale, scale_for

SHOWN_DECIMALS = 3
"""Decimals of seconds that are shown."""

MIN_RATIO_S = 0.010
"""Shortest time that a ratio is computed from.

Starting a program takes about a millisecond, and times are shown to the millisecond: of a shorter time, a tenth or
more is not copying, or not certain.
"""


@dataclass(frozen=True)
class TimeGroup:
    """How long the programs took in one run, the student's and the reference's; a ratio is a sentence or "".

    `remarks` name the student's programs whose time is missing, or says nothing because the copy is wrong.
    """

    name: str
    own: tuple[Timing, ...]
    reference: Mapping[str, Timing]
    ratio: str
    reference_ratio: str
    remarks: tuple[str, ...]

    @property
    def scale(self) -> Scale:
        """The scale of the bars, for real time."""
        return scale_for(timing.real_s for timing in (*self.own, *self.reference.values()))


def time_groups(report: Report) -> tuple[TimeGroup, ...]:
    """Return the times of a report by run, next to those of the reference."""
    runs = {timing.run: timing for timing in reversed(report.timing)}
    return tuple(_time_group(runs[run], report) for run in dict.fromkeys(timing.run for timing in report.timing))


def faster_words(timings: Iterable[Timing]) -> str:
    """Say how much faster the fastest program is than the slowest: `blocks is 27 times faster than bytes`.

    The ratio is that of the times as they are shown. The result is "" for fewer than two programs, or if a time is
    shorter than MIN_RATIO_S.
    """
    by_time = sorted((round(timing.real_s, SHOWN_DECIMALS), timing.program) for timing in timings)
    if len(by_time) < 2 or by_time[0][0] < MIN_RATIO_S:  # noqa: PLR2004 - a ratio needs two
        return ""
    (least_s, fastest), (most_s, slowest) = by_time[0], by_time[-1]
    times = ratio_words(most_s / least_s)
    if times == ratio_words(1):
        return f"{fastest} is about as fast as {slowest}"
    return f"{fastest} is {times} times faster than {slowest}"


def _ratios(timings: Mapping[str, Timing], pairs: Iterable[tuple[str, str]]) -> str:
    known = ([timings[program] for program in pair if program in timings] for pair in pairs)
    return "; ".join(filter(None, map(faster_words, known)))


def _time_group(timed: Timing, report: Report) -> TimeGroup:
    own = {timing.program: timing for timing in report.timing if timing.run == timed.run}
    figures = () if report.reference is None else report.reference.timing
    reference = {timing.program: timing for timing in figures if timing.run == timed.run}
    programs = dict.fromkeys([*own, *programs_with_figures(report, timed.run)])
    reasons = {program: why_not_copied(report, program, timed) for program in programs}
    remarks = [
        f"{program} {reason}: {'its time is not compared' if program in own else 'it has no time'}."
        for program, reason in reasons.items()
        if reason
    ]
    remarks += [f"{program} was not timed." for program in reasons if not reasons[program] and program not in own]
    right = {program: timing for program, timing in own.items() if not reasons[program]}
    pairs = [(one.program, one.other) for one in report.comparisons if one.case == timed.case]
    return TimeGroup(
        timed.name,
        tuple(own.values()),
        reference,
        _ratios(right, pairs),
        _ratios(reference, pairs),
        tuple(remarks),
    )
