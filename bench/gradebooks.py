"""Classes to measure with: folders of submissions, and gradebooks as if a class had been graded."""

from __future__ import annotations

import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.figures import Cost
from bench.stopwatches import Stopwatch, Timing
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_gradebook
from grader.batch.output_folder import Results
from grader.batch.result_key import ResultKeys, result_keys
from grader.intake.found import read_submission
from grader.intake.submissions import find_submissions
from grader.model.gradebook import Origin
from grader.model.report import Report, SubmissionId
from grader.model.spec.lab import Spec
from grader.sandbox.choose import choose_sandbox

Row = tuple[str, Origin, str]
"""A submission's name, its origin, and the key of what its result follows from."""


def _strangers(number: int) -> Iterator[Row]:
    return ((f"stranger-{one:04}", Origin(path=""), "another key") for one in range(number))


@dataclass(frozen=True)
class Ground:
    """Where classes are made of one submission with full marks, `model`; all below `scratch`."""

    spec: Spec
    lab: str
    model: Path
    scratch: Path
    stopwatch: Stopwatch

    @property
    def processors(self) -> int:
        """How many submissions are graded at the same time."""
        return len(os.sched_getaffinity(0))

    def folder(self, students: int) -> Path:
        """Return a folder of so many submissions, no two of which are the same."""
        folder = self.scratch / f"class-{students}"
        for number in range(students if not folder.exists() else 0):
            student = folder / f"student-{number:04}"
            student.mkdir(parents=True)
            for program in self.spec.programs.values():
                source = (self.model / program.source).read_bytes()
                (student / program.source).write_bytes(b"%s/* %d */\n" % (source, number))
        return folder

    def filled(self, students: int, folder: Path | None = None) -> Path:
        """Return a new folder of results with so many rows: of the submissions in `folder`, or of strangers."""
        out = self._new_folder()
        book, results = self.held(out)
        with book:
            results.write_report(self._report)
            for name, origin, key in self._known(folder) if folder else _strangers(students):
                report = self._report.model_copy(update={"submission": SubmissionId(name=name, digest="")})
                book.put(origin, key, report)
                # Files of their own, as a run makes what is missing; what is in them does not matter.
                shutil.copytree(out / self._report.submission.name, out / name, dirs_exist_ok=True)
        return out

    def _known(self, folder: Path) -> Iterator[Row]:
        for one in find_submissions([folder], self.spec):
            yield one.name, one.origin, self._keys.portable(read_submission(one, self.spec))

    def held(self, out: Path) -> tuple[Gradebook, Results]:
        """Return the gradebook of a folder of results, which the caller closes, and that folder."""
        results = Results(out)
        results.prepare(0)
        return open_gradebook(out, self.spec.lab, print), results

    def grade(self, folder: Path, out: Path, *options: str) -> Cost:
        """Grade a folder as a user does.

        Raises:
            GraderError: not everything was graded.
        """
        command = [sys.executable, "-m", "grader", "grade", str(folder), "--lab", self.lab, "--out", str(out)]
        timing = Timing([*command, "--sandbox", "docker", *options], environment=dict(os.environ))
        return self.stopwatch.run(timing).cost

    def _new_folder(self) -> Path:
        return self.scratch / f"out-{uuid.uuid4().hex}"

    @cached_property
    def _report(self) -> Report:
        """A real report, of the model."""
        out = self._new_folder()
        self.grade(self.model, out)
        book, _ = self.held(out)
        with book:
            return next(book.reports())

    @cached_property
    def _keys(self) -> ResultKeys:
        sandbox = choose_sandbox("docker", print)
        try:
            return result_keys(self.spec, sandbox, "slice")
        finally:
            sandbox.close()
