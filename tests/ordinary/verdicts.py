"""Grades every submission in a folder, as the current user and in one process: the library as `grader check` uses it.

    python -m tests.ordinary.verdicts LAB FOLDER

Prints, as JSON, each submission's isolation, score and checks by id, each with its status and cause.
"""

from __future__ import annotations

import json
import sys
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing
from pathlib import Path
from typing import Any

from grader.grading.pipeline import GradingContext, grade
from grader.grading.reference_run import obtain_reference
from grader.intake.reading import DiscoveredSubmission, read_submission
from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.model.lab import Lab
from grader.model.spec.lab import all_inputs
from grader.options import GradeOptions
from grader.sandbox.choose import local_sandbox
from grader.sandbox.slots import Slots
from tests.corpus.known_bugs import Shipped


def verdicts(lab: Path, folder: Path) -> dict[str, Any]:
    """Grade as many at a time as there are processors."""
    spec = read_spec(lab)
    inputs = all_inputs(spec)
    with closing(local_sandbox()) as place:
        reference = obtain_reference(spec, find_lab(str(lab)), place, inputs, None, lambda _message: None)
        grading = GradingContext(Lab(spec, inputs, reference), place, known_bugs=Shipped())

        def verdict(path: Path) -> dict[str, Any]:
            with slots.taken() as own:
                report = grade(
                    grading, read_submission(DiscoveredSubmission(path.name, path), spec), GradeOptions(slots=own)
                )
            return {
                "reason": report.reason,
                "isolation": report.isolation,
                "score": report.score,
                "checks": {check.id: (check.status, check.cause) for check in report.checks},
            }

        slots = Slots(place.cpus)
        paths = sorted(folder.iterdir())
        with ThreadPoolExecutor(place.cpus) as pool:
            return dict(zip((path.name for path in paths), pool.map(verdict, paths), strict=True))


if __name__ == "__main__":
    print(json.dumps(verdicts(*map(Path, sys.argv[1:]))))  # noqa: T201 - that is what it is for
