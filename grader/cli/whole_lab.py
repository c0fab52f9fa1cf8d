"""A lab with its parts next to the spec, for commands that say what is wrong with them."""

from __future__ import annotations

from grader.grading.reference_run import missing_reference
from grader.lab.find import LabFiles, load_lab
from grader.lab.parts import parts_mistake
from grader.model.spec.lab import Spec


def load_whole_lab(lab: str) -> tuple[Spec, LabFiles]:
    """Return a lab whose parts fit its spec, or whose reference is not complete yet.

    Raises:
        UsageError: There is no such lab.
        SpecError: The spec, or a part of the lab, has a mistake.
    """
    spec, files = load_lab(lab)
    # A spec may well be written before its reference, and then the other parts are not there either.
    mistake = parts_mistake(spec, files) if missing_reference(spec, files) is None else None
    if mistake is not None:
        raise mistake
    return spec, files
