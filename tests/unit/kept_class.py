"""A gradebook of a class whose programs were never run, for commands that read results and sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.batch.gradebook_file import open_gradebook
from grader.batch.output_folder import OutputFolder
from grader.intake.reading import read_submission
from grader.intake.submissions import find_submissions
from grader.lab.find import load_lab
from grader.model.report import SubmissionId

from .render import factory


def kept_class(folder: Path, works: Mapping[str, Mapping[str, bytes]]) -> tuple[Path, Path]:
    """Write the files of each student, and results for them; return the folders of the class and of the results."""
    for name, files in works.items():
        for file, source in files.items():
            path = folder / "class" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source)
    return folder / "class", kept_results(folder / "class", folder / "results")


def kept_results(submissions: Path, out: Path) -> Path:
    """Write results for all submissions of a folder or an archive."""
    spec, _ = load_lab("tr2")
    folder = OutputFolder(out)
    folder.prepare(0)
    with open_gradebook(out, spec.lab, print) as book:
        book.record_paths([str(submissions.resolve())])
        for number, one in enumerate(find_submissions([submissions], spec)):
            identity = SubmissionId(name=one.name, digest=read_submission(one, spec).digest())
            report = factory.report().model_copy(update={"lab": "tr2", "submission": identity})
            book.put(one.origin, f"key {number}", report)
            folder.write_report(report)
        folder.write_class(book.entries())
    return out
