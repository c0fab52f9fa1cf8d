"""Times ready to be laid out, the student's beside the reference's; the page and the terminal show the same ones."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from grader.model.report import Report, Timing
from grader.render.text.phrases import ratio_words
from grader.render.views.log_scale import Scale, scale_for


@dataclass(frozen=True)
class TimeGroup:
    """How long the programs took on one input, the student's and the reference's; `ratio` in words, or empty."""

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
    """Return the report's times by input; the reference's beside them."""
    theirs = () if report.reference is None else report.reference.timing
    return tuple(_time_group(name, report.timing, theirs) for name in _inputs(report.timing))


def faster_words(timings: Iterable[Timing]) -> str:
    """Say how much faster the fastest program is than the slowest: `tr2b is 27 times faster than tr2u`.

    Empty with fewer than two programs, or where a time is too short to divide by.
    """
    by_time = sorted(timings, key=lambda timing: timing.real_s)
    if len(by_time) < 2 or by_time[0].real_s <= 0:  # noqa: PLR2004 - a ratio needs two
        return ""
    fastest, slowest = by_time[0], by_time[-1]
    times = ratio_words(slowest.real_s / fastest.real_s)
    return f"{fastest.program} is {times} times faster than {slowest.program}"


def _inputs(timings: Iterable[Timing]) -> Iterable[str]:
    return dict.fromkeys(timing.input for timing in timings)


def _time_group(name: str, own: Sequence[Timing], theirs: Sequence[Timing]) -> TimeGroup:
    mine = tuple(timing for timing in own if timing.input == name)
    reference = {timing.program: timing for timing in theirs if timing.input == name}
    return TimeGroup(name, mine, reference, faster_words(mine), faster_words(reference.values()))
