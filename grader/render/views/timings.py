"""Times prepared for display, the student's next to the reference's; page and terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from grader.model.report import Report, Timing
from grader.render.text.phrases import ratio_words
from grader.render.views.log_scale import Scale, scale_for

MIN_RATIO_S = 0.010
"""Shortest time that a ratio is computed from.

Starting a program takes about a millisecond, and times are shown to the millisecond: of a shorter time, a tenth or
more is not copying, or not certain.
"""


@dataclass(frozen=True)
class TimeGroup:
    """How long the programs took on one input, the student's and the reference's; a ratio is a sentence or ""."""

    input: str
    own: tuple[Timing, ...]
    reference: Mapping[str, Timing]
    ratio: str
    reference_ratio: str

    @property
    def scale(self) -> Scale:
        """The scale of the bars, for real time."""
        return scale_for(timing.real_s for timing in (*self.own, *self.reference.values()))


def time_groups(report: Report) -> tuple[TimeGroup, ...]:
    """Return the times of a report by input, next to those of the reference."""
    reference = () if report.reference is None else report.reference.timing
    inputs = dict.fromkeys(timing.input for timing in report.timing)
    return tuple(_time_group(name, report.timing, reference) for name in inputs)


def faster_words(timings: Iterable[Timing]) -> str:
    """Say how much faster the fastest program is than the slowest: `tr2b is 27 times faster than tr2u`.

    The result is "" for fewer than two programs, or if a time is shorter than MIN_RATIO_S.
    """
    by_time = sorted(timings, key=lambda timing: timing.real_s)
    if len(by_time) < 2 or by_time[0].real_s < MIN_RATIO_S:  # noqa: PLR2004 - a ratio needs two
        return ""
    fastest, slowest = by_time[0], by_time[-1]
    ratio = ratio_words(slowest.real_s / fastest.real_s)
    return f"{fastest.program} is {ratio} times faster than {slowest.program}"


def _time_group(name: str, own: Iterable[Timing], reference: Iterable[Timing]) -> TimeGroup:
    own_timings = tuple(timing for timing in own if timing.input == name)
    by_program = {timing.program: timing for timing in reference if timing.input == name}
    return TimeGroup(name, own_timings, by_program, faster_words(own_timings), faster_words(by_program.values()))
