"""Bugs of the grader that cost explanations, for those who grade a class."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from grader.model.counted import listed_up_to
from grader.model.gradebook import Entry

MAX_NAMES = 3


def fault_notes(entries: Iterable[Entry]) -> Iterator[str]:
    """Yield what to say about the submissions of which an explanation failed."""
    names = [entry.name for entry in entries if entry.report.grader_faults]
    if names:
        yield (
            f"the grader has a bug, so the explanations of {listed_up_to(MAX_NAMES, names)} are incomplete;"
            " scores are not affected. Please report what `grader_faults` in report.json says."
        )
