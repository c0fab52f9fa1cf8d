"""The reports of a class as students may see them."""

from __future__ import annotations

from collections.abc import Sequence
from contextlib import suppress

from pydantic import ValidationError

from grader.batch.gradebook import Gradebook
from grader.errors import UsageError
from grader.lab.find import load_lab
from grader.model.gradebook import Entry
from grader.model.spec.lab import Spec
from grader.render.views.lab_versions import lab_versions, versions_words


def spec_of_results(book: Gradebook, entries: Sequence[Entry], lab: str | None) -> Spec:
    """Return the spec of these results, which says what students must not see: the kept one, or that of `lab`.

    Raises:
        UsageError: it is not that of all results.
    """
    versions = lab_versions(entries, book.current_version)
    if len(versions) > 1:
        raise UsageError(
            f"the scores belong to several versions of the lab ({versions_words(versions)}); "
            "first bring them to one version with `grader rescore`"
        )
    digests = {entry.report.spec_digest for entry in entries if entry.report.status == "graded"}
    kept = {run.spec_digest: run.spec for run in book.runs()}
    if lab is None and len(digests) == 1 and digests <= kept.keys():
        # An earlier grader may have had other keys. Then the lab is looked for by its name.
        with suppress(ValidationError):
            return Spec.model_validate_json(kept[next(iter(digests))])
    spec, _ = load_lab(lab or entries[0].report.lab)
    if digests - {spec.digest()}:
        raise UsageError(
            f"{spec.lab} has changed since these results: give the lab as it was with --lab, or use `grader rescore`"
        )
    return spec
