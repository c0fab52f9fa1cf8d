"""Find the submissions of a gradebook again, whose sources it does not keep."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

from grader.batch.gradebook import Gradebook
from grader.errors import GraderError
from grader.intake.reading import DiscoveredSubmission
from grader.intake.submissions import find_submissions
from grader.model.spec.lab import Spec


def find_again(
    book: Gradebook, spec: Spec, paths: Sequence[Sequence[str]] = ()
) -> dict[str, list[DiscoveredSubmission]]:
    """Return the submissions at the paths of all earlier commands, by name; `paths`, if given, are used instead.

    A path that no longer exists is left out: the caller reports who is not found.
    """
    found: dict[str, list[DiscoveredSubmission]] = {}
    for together in paths or book.paths():
        try:
            submissions = find_submissions([Path(path) for path in together], spec)
        except GraderError:
            continue
        for one in submissions:
            found.setdefault(one.name, []).append(one)
    return found
