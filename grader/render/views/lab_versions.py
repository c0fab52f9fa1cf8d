"""The versions of the lab that the scores of a class belong to."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from grader.model.counted import counted
from grader.model.gradebook import Entry
from grader.model.report import Report
from grader.render.text.phrases import points_words

SHOWN_DIGITS = 7
"""Digits of a digest that people see, as in git."""


@dataclass(frozen=True)
class LabVersion:
    """A version of the lab and the number of scores of it; `is_current` if the last run was with it."""

    digest: str
    scores: int
    max_score: float
    is_current: bool

    @property
    def name(self) -> str:
        """Its name for people."""
        return version_name(self.digest)


def version_name(digest: str) -> str:
    """Return a short name of a version."""
    return digest.removeprefix("sha256:")[:SHOWN_DIGITS]


def lab_versions(entries: Iterable[Entry], current: str = "") -> tuple[LabVersion, ...]:
    """Return the versions that have scores: the current one first, if it is known, then the most common.

    If it is not known and there is only one version, that is the current one.

    Scores of several versions must not be compared, added up or exported together.
    """
    reports = [entry.report for entry in entries if entry.report.status == "graded"]
    numbers = Counter(report.lab_version for report in reports)
    most = {report.lab_version: report.max_score for report in reports}
    if not current and len(numbers) == 1:
        (current,) = numbers
    found = [LabVersion(one, number, most[one], one == current) for one, number in numbers.items()]
    return tuple(sorted(found, key=lambda version: (not version.is_current, -version.scores, version.digest)))


def is_of(report: Report, version: LabVersion) -> bool:
    """Return whether a report belongs to a version."""
    return report.lab_version == version.digest


def versions_words(versions: Iterable[LabVersion]) -> str:
    """Say how many scores each version has: `7e4f1b2 (the current one): 4 scores of at most 107 points; …`."""
    return "; ".join(
        f"{one.name}{' (the current one)' if one.is_current else ''}: "
        f"{counted(one.scores, 'score')} of at most {points_words(one.max_score)} points"
        for one in versions
    )
