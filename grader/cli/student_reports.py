"""The reports of a class as students may see them."""

from __future__ import annotations

from collections.abc import Sequence

from grader.errors import UsageError
from grader.lab.find import load_lab
from grader.model.gradebook import Entry
from grader.model.spec.lab import Spec
from grader.render.views.lab_versions import lab_versions, versions_words


def spec_of_results(entries: Sequence[Entry], lab: str | None, current: str) -> Spec:
    """Return the spec of the results, which says what students must not see.

    Raises:
        UsageError: it is not that of all results.
    """
    versions = lab_versions(entries, current)
    if len(versions) > 1:
        raise UsageError(
            f"the scores belong to several versions of the lab ({versions_words(versions)}); "
            "first bring them to one version with `grader rescore`"
        )
    spec, _ = load_lab(lab or entries[0].report.lab)
    if any(entry.report.status == "graded" and entry.report.spec_digest != spec.digest() for entry in entries):
        raise UsageError(
            f"{spec.lab} has changed since these results: give the lab as it was with --lab, or use `grader rescore`"
        )
    return spec
