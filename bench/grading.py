"""Whole grading of one submission, as a user types it."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from bench.figures import Round
from bench.lab import Lab
from bench.machine import Meter
from bench.stopwatches import Run, Stopwatch, Timing
from grader.errors import GraderError
from grader.model.report import Report


class Grading:
    """`grader grade`, again and again; the first time, which is not measured, fills the cache."""

    def __init__(self, lab: Lab, stopwatch: Stopwatch) -> None:
        """Grade once.

        Raises:
            GraderError: that fails.
        """
        self._lab = lab
        self._stopwatch = stopwatch
        self._grade(Meter(idle=0.0))

    def measure(self, idle: float) -> Round:
        """Grade; return the whole machine's cost, and that of the grader's process."""
        meter = Meter(idle)
        run = self._grade(meter)
        return {"grading": meter.cost, "grading process": run.cost}

    def _grade(self, meter: Meter) -> Run:
        with tempfile.TemporaryDirectory(prefix="iolab-bench-") as folder:
            out = Path(folder)
            command = [sys.executable, "-m", "grader", "grade", str(self._lab.submission)]
            command += ["--lab", self._lab.name, "--out", str(out)]
            timing = Timing(command, stdout=f"{out}/stdout", stderr=f"{out}/stderr", environment=dict(os.environ))
            with meter.running():
                run = self._stopwatch.run(timing)
            _check(out / self._lab.submission.name / "report.json")
        return run


def _check(path: Path) -> None:
    report = Report.model_validate_json(path.read_bytes())
    if report.status != "graded" or report.score != report.max_score:
        raise GraderError(
            f"the submission to measure with got {report.score} of {report.max_score} ({report.status})"
        )
    if report.isolation != "container":
        raise GraderError(f"it was graded with isolation {report.isolation}, and grading in a container is measured")
