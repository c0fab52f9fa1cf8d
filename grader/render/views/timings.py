"""Times prepared for display, the student's next to the reference's; page and terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.model.report import Report, Timing
from grader.render.text.phrases import ratio_words
from grader.render.views.copies import why_not_copied
from grader.render.views.failures import by_program
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
    """How long the programs took on one input, the student's and the reference's; a ratio is a sentence or "".

    `remarks` name the student's programs whose time is missing, or says nothing because the copy is wrong.
    """

    input: str
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
    """Return the times of a report by input, next to those of the reference."""
    inputs = dict.fromkeys(timing.input for timing in report.timing)
    return tuple(_time_group(name, report) for name in inputs)


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


def _time_group(name: str, report: Report) -> TimeGroup:
    own = {timing.program: timing for timing in report.timing if timing.input == name}
    figures = () if report.reference is None else report.reference.timing
    reference = {timing.program: timing for timing in figures if timing.input == name}
    reasons = {program: why_not_copied(report, program, name) for program in (own | by_program(report.checks))}
    remarks = [
        f"{program} {reason}: {'its time is not compared' if program in own else 'it has no time'}."
        for program, reason in reasons.items()
        if reason
    ]
    remarks += [f"{program} was not timed." for program in reasons if not reasons[program] and program not in own]
    right = [timing for timing in own.values() if not reasons[timing.program]]
    return TimeGroup(
        name, tuple(own.values()), reference, faster_words(right), faster_words(reference.values()), tuple(remarks)
    )
