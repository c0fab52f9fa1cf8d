"""Grade for the verdicts alone."""

from __future__ import annotations

from grader.options import GradeOptions, Stop


def verdicts_only() -> GradeOptions:
    """Return options without the search for explanations, which takes far longer than the verdicts."""
    stop = Stop()
    stop.set()
    return GradeOptions(stop=stop)
