"""Phrases and numbers that people read; every renderer uses the same ones."""

from __future__ import annotations

from collections.abc import Sequence

from typing_extensions import assert_never

from grader.model.counted import counted, listed
from grader.model.evidence import Ending, Exited, LimitHit, LimitReached, NotStarted, Signalled
from grader.model.report import (
    CaseResult,
    Cause,
    Certainty,
    CheckStatus,
    Difference,
    Grade,
    Isolation,
    Report,
    Window,
)
from grader.model.signals import signal_words
from grader.model.spec.cases import Sink
from grader.model.spelled_bytes import byte_name
from grader.render.text.escape import one_line

_LIMITS: dict[LimitHit, str] = {
    "cpu": "stopped after using more processor time than allowed",
    "wall": "stopped after running longer than allowed",
    "output": "stopped after writing more than allowed",
    "memory": "stopped after using more memory than allowed",
    "log": "stopped after making more calls than the log holds",
}
_ISOLATION: dict[Isolation, str] = {
    "container": "in a container",
    "uid": "without a container, as a separate user",
    "none": "without isolation, as the user who ran the grader",
}
_STATUS: dict[CheckStatus, str] = {"passed": "✓ passed", "failed": "✗ failed", "skipped": "○ skipped"}
_SINKS: dict[Sink, str] = {"file": "to a file", "pipe": "to a pipe", "terminal": "to a terminal"}
_CERTAINTY: dict[Certainty, str] = {
    "proven": "The grader fixed this bug in a copy of the source and ran the failed cases again.",
    "certain": "In every case that this bug changes, your program does what a program with this bug does.",
    "likely": "In most cases that this bug changes, your program does what a program with this bug does. "
    "It may have another bug too.",
}
TENTHS_BELOW = 10
MINUS = "\N{MINUS SIGN}"


def ending_words(ending: Ending | None) -> str:
    """Say how a run ended: `exit status 1`, `killed by SIGSEGV (…)`; None means that there was no run."""
    match ending:
        case None:
            return "not run"
        case Exited(code=code):
            return f"exit status {code}"
        case Signalled(signal=number):
            return f"killed by {signal_words(number)}"
        case LimitReached(limit=limit):
            return _LIMITS[limit]
        case NotStarted(message=message):
            return f"could not be started: {one_line(message)}"
        case _:
            assert_never(ending)


def cost_words(points: float, own: str, elsewhere: str = "") -> str:
    """Say which checks a problem costs. The points of those `elsewhere` count with an earlier problem."""
    if not own:
        return f"Costs no further points: it affects {elsewhere}, too."
    cost = f"Costs {points_counted(points) if points else 'no points'}: {own}."
    return f"{cost} It also affects {elsewhere}." if elsewhere else cost


def last_words(result: CaseResult) -> str:
    """Say how a case ended and whether it wrote a message: `exit status 0, nothing on standard error`."""
    if result.ending is None:
        return ending_words(None)
    return f"{ending_words(result.ending)}, {'a message' if result.stderr else 'nothing'} on standard error"


OWN_DOING = "with files in its own folder, which were then removed"
"""Part of a reason for which nothing is judged if a program of the submission is the cause (guest/folders.py)."""


def is_own_doing(reason: str) -> bool:
    """Return whether a program of the submission, and not the grader, is the reason why there is no grade."""
    return OWN_DOING in reason


def isolation_words(isolation: Isolation) -> str:
    """Say how the programs were isolated, as a continuation of "graded"."""
    return _ISOLATION[isolation]


def status_words(status: CheckStatus) -> str:
    """Return the status of a check as a sign and a word, because colour alone is not enough."""
    return _STATUS[status]


def sink_words(sink: Sink) -> str:
    """Say where standard output went: `to a file`."""
    return _SINKS[sink]


def case_words(result: CaseResult) -> str:
    """Say what a case reads and where it writes: `input letters (53 bytes), output to a file`."""
    size = counted(result.input_size_bytes, "byte")
    unseen = ", hidden from students" if result.hidden else ""
    return f"input {result.input} ({size}), output {sink_words(result.sink)}{unseen}"


def difference_words(difference: Difference) -> tuple[tuple[str, str], ...]:
    """Return the bytes at the first difference as (label, byte) pairs: input, expected, yours.

    There is no byte of the input if the expected one does not come from it.
    """
    pairs = []
    for label, window in windows(difference):
        index = difference.offset - window.offset
        pairs.append((label, byte_name(window.data[index] if 0 <= index < len(window.data) else None)))
    return tuple(pairs)


def windows(difference: Difference) -> tuple[tuple[str, Window], ...]:
    """Return the bytes around a difference with their labels, in the order in which they are shown."""
    given = () if difference.input is None else (("input", difference.input),)
    return (*given, ("expected", difference.expected), ("yours", difference.actual))


def shift_words(difference: Difference) -> str:
    """Say that after the difference, bytes at the same offset need not belong together; "" if they do.

    That is so if the output has another length, and both go on after the difference.
    """
    more = difference.actual_size_bytes - difference.expected_size_bytes
    if not more or difference.offset >= min(difference.actual_size_bytes, difference.expected_size_bytes):
        return ""
    size = f"{counted(abs(more), 'byte')} {'longer' if more > 0 else 'shorter'} than expected"
    return f"Your output is {size}: after the difference, bytes below each other need not belong together."


def ratio_words(ratio: float) -> str:
    """Return a ratio with one decimal below TENTHS_BELOW and none from there on: `3.4`, `27`."""
    return f"{ratio:.1f}" if ratio < TENTHS_BELOW else f"{ratio:,.0f}"


_LABELS: dict[Certainty, str] = {"proven": "Proven", "certain": "Certain", "likely": "Perhaps"}


def certainty_label(certainty: Certainty) -> str:
    """Return the word before the title of a cause: it must be clear at first sight how certain it is."""
    return _LABELS[certainty]


def programs_words(title: str, programs: Sequence[str]) -> str:
    """Return what follows that word: the programs that have the cause in brackets; "" if its title names one."""
    named = any(program in title for program in programs)
    return f" ({listed(programs)})" if programs and not named else ""


_LEGEND: dict[Certainty, str] = {
    "proven": "the grader made this change in a copy of the source, and these checks passed.",
    "certain": "your program fails exactly as a program with this bug does.",
    "likely": "your program fails mostly as a program with this bug does.",
}


def certainty_legend(certainty: Certainty) -> str:
    """Say in one sentence what the word before the title of a cause means."""
    return f"{_LABELS[certainty]}: {_LEGEND[certainty]}"


def certainty_words(cause: Cause) -> str:
    """Say how certain a cause is."""
    return _CERTAINTY[cause.certainty]


def program_label(program: str, *, is_reference: bool) -> str:
    """Say whose program it is, in a plot."""
    return f"{'reference' if is_reference else 'your'} {program}"


def points_words(value: float | None) -> str:
    """Return points with up to two decimals: `93`, `92.5`; None is `-`."""
    if value is None:
        return "-"
    return f"{value:,.2f}".rstrip("0").rstrip(".")


def signed_points(value: float) -> str:
    """Return points with their sign: `+3`, and with a minus sign for a loss."""
    return f"{MINUS if value < 0 else '+'}{points_words(abs(value))}"


def final_words(grade: Grade) -> str:
    """Return what counts in the end: the final score, `excused`, or that another attempt counts."""
    if grade.excused:
        return "excused"
    if not grade.counts:
        return "another attempt counts"
    return "none" if grade.final is None else points_words(grade.final)


def score_words(report: Report) -> str:
    """Return the score, `92.5 of 100`, with a remark if it is not the grade."""
    if report.score is None:
        return f"no score: {len(report.only)} of {counted(len(report.checks), 'check')} selected"
    form = ", inputs shortened by --quick" if report.quick else ""
    return f"{points_words(report.score)} of {points_words(report.max_score)}{form}"


def points_counted(value: float) -> str:
    """Return `1 point`, `92.5 points`."""
    words = points_words(value)
    return f"{words} point" if words == "1" else f"{words} points"


def seconds_words(value: float) -> str:
    """Return seconds to the millisecond, as `time` of the shell prints them."""
    return f"{value:,.3f}"
