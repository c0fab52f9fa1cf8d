"""Make classes to measure with: folders of submissions, and gradebooks as if a class had been graded."""

from __future__ import annotations

import json
import os
import shutil
import sys
import uuid
from collections.abc import Iterator
from contextlib import closing
from dataclasses import dataclass
from functools import cached_property
from pathlib import Path

from bench.figures import Cost
from bench.stopwatch_client import Stopwatch, TimedCommand
from grader.batch.gradebook import Gradebook
from grader.batch.gradebook_file import open_gradebook
from grader.batch.output_folder import OutputFolder
from grader.batch.result_key import ResultKeys, result_keys
from grader.intake.reading import read_submission
from grader.intake.submissions import find_submissions
from grader.lab.find import find_lab
from grader.model.gradebook import Origin
from grader.model.report import Report, SubmissionId
from grader.model.spec.lab import Spec
from grader.sandbox.choose import choose_sandbox

NewRow = tuple[str, Origin, str]
"""A submission's name, its origin, and the key of its result."""


def _other_submissions(count: int, key: str) -> Iterator[NewRow]:
    return ((f"other-{number:04}", Origin(path=""), key) for number in range(count))


@dataclass(frozen=True)
class ClassFactory:
    """Makes classes of copies of `right`, a submission with full marks, in the folder `scratch`."""

    spec: Spec
    lab: str
    right: Path
    scratch: Path
    stopwatch: Stopwatch

    @property
    def processors(self) -> int:
        """Processors that this process can use."""
        return len(os.sched_getaffinity(0))

    def submissions(self, students: int) -> Path:
        """Make a folder of different submissions."""
        folder = self.scratch / f"class-{students}"
        for number in range(students if not folder.exists() else 0):
            student = folder / f"student-{number:04}"
            student.mkdir(parents=True)
            for program in self.spec.programs.values():
                source = (self.right / program.main_source).read_bytes()
                (student / program.main_source).write_bytes(b"%s/* %d */\n" % (source, number))
        return folder

    def various_submissions(self, students: int) -> Path:
        """Make a folder of submissions that are all different: known bugs of the lab, with statements added."""
        folder = self.scratch / f"various-{students}"
        mutants = find_lab(self.lab).mutants
        for program in self.spec.programs.values():
            sources = [path.read_bytes() for path in sorted(mutants.glob(f"*/{program.main_source}"))]
            for number in range(students):
                student = folder / f"student-{number:04}"
                student.mkdir(parents=True, exist_ok=True)
                added = b"".join(
                    b"static int added_%d(int a) { return a %s %d ? a * %d : added(a, %d); }\n"
                    % (step, (b"<", b">", b"==", b"&", b"|")[(number >> step) % 5], number, step, number)
                    + b"int also_%d[%d];\n" % (step, number) * (number // 5**step % 5)
                    for step in range(4)
                )
                (student / program.main_source).write_bytes(sources[number % len(sources)] + added)
        return folder

    def new_results(self, students: int, folder: Path | None = None) -> Path:
        """Make a folder of results with one row per student: of the submissions in `folder`, or of others."""
        out = self.scratch / f"out-{uuid.uuid4().hex}"
        book, results = self.open_results(out)
        with book:
            book.record_run(self._keys.record)
            results.write_report(self._report)
            own_key = self._keys.record.portable("", self._report.notes)
            for name, origin, key in self._known(folder) if folder else _other_submissions(students, own_key):
                report = self._report.model_copy(update={"submission": SubmissionId(name=name, digest="")})
                book.put(origin, key, report)
                # A run makes missing files again, so each needs its own; the content does not matter.
                shutil.copytree(out / self._report.submission.name, out / name, dirs_exist_ok=True)
        return out

    def _known(self, folder: Path) -> Iterator[NewRow]:
        for one in find_submissions([folder], self.spec):
            yield one.name, one.origin, self._keys.portable(read_submission(one, self.spec))

    def open_results(self, out: Path) -> tuple[Gradebook, OutputFolder]:
        """Open the gradebook in a folder of results; the caller closes it."""
        results = OutputFolder(out)
        results.prepare(0)
        return open_gradebook(out, self.spec.lab, print), results

    def grade(self, folder: Path, out: Path, *options: str) -> Cost:
        """Grade a folder with the command that a user types.

        Raises:
            GraderError: not everything was graded.
        """
        command = [sys.executable, "-m", "grader", "grade", str(folder), "--lab", self.lab, "--out", str(out)]
        timing = TimedCommand([*command, "--sandbox", "docker", *options], environment=dict(os.environ))
        return self.stopwatch.run(timing).cost

    def lab_with_other_points(self) -> Path:
        """Make a copy of the spec, next to nothing else, in which the first check has one point more."""
        spec = json.loads(self.spec.model_dump_json(by_alias=True, exclude_defaults=True))
        points = spec["rubric"][0]["points"]
        spec["rubric"][0]["points"] = {program: value + 1 for program, value in points.items()}
        path = self.scratch / f"{uuid.uuid4().hex}.yaml"
        # JSON is YAML.
        path.write_text(json.dumps(spec), encoding="utf-8")
        return path

    def rescore(self, out: Path, lab: Path) -> Cost:
        """Rescore results with the command that a user types.

        Raises:
            GraderError: not every result was rescored.
        """
        command = [sys.executable, "-m", "grader", "rescore", str(out), "--lab", str(lab)]
        return self.stopwatch.run(TimedCommand(command, environment=dict(os.environ))).cost

    @cached_property
    def _report(self) -> Report:
        """The report of `right`."""
        out = self.scratch / f"out-{uuid.uuid4().hex}"
        self.grade(self.right, out)
        book, _ = self.open_results(out)
        with book:
            return next(book.reports())

    @cached_property
    def _keys(self) -> ResultKeys:
        with closing(choose_sandbox("docker", print)) as sandbox:
            return result_keys(self.spec, find_lab(self.lab), sandbox, "slice")
