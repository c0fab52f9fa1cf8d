"""Measure `grader grade` with one submission."""

from __future__ import annotations

import os
import sys
import tempfile
from pathlib import Path

from bench.figures import Round
from bench.lab import MeasuredLab
from bench.machine import Meter
from bench.stopwatch_client import Stopwatch, TimedCommand, TimedRun
from grader.errors import GraderError
from grader.model.report import Report


class Grading:
    """Runs `grader grade` repeatedly. The first run fills the cache and is not measured."""

    def __init__(self, lab: MeasuredLab, stopwatch: Stopwatch) -> None:
        self._lab = lab
        self._stopwatch = stopwatch
        self._grade(Meter(idle=0.0))

    def measure(self, idle: float) -> Round:
        """Grade once; return the cost of the whole machine, and of the grader's process."""
        meter = Meter(idle)
        run = self._grade(meter)
        return {"grading": meter.cost, "grading process": run.cost}

    def _grade(self, meter: Meter) -> TimedRun:
        with tempfile.TemporaryDirectory(prefix="iolab-bench-") as folder:
            out = Path(folder)
            command = [sys.executable, "-m", "grader", "grade", str(self._lab.submission)]
            command += ["--lab", self._lab.name, "--out", str(out)]
            timing = TimedCommand(
                command, stdout=f"{out}/stdout", stderr=f"{out}/stderr", environment=dict(os.environ)
            )
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
        raise GraderError(f"it was graded with isolation {report.isolation}, but the bench measures containers")
