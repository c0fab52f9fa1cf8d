"""A gradebook of a class whose programs were never run, for commands that read results and sources."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path

from grader.batch.gradebook_file import open_gradebook
from grader.batch.output_folder import OutputFolder
from grader.intake.reading import read_submission
from grader.intake.submissions import find_submissions
from grader.lab.find import load_lab
from grader.model.report import Report, SubmissionId
from grader.model.spec.lab import Spec
from grader.model.spec.rubric import check_id

from .render import factory


def kept_class(folder: Path, works: Mapping[str, Mapping[str, bytes]]) -> tuple[Path, Path]:
    """Write the files of each student, and results for them; return the folders of the class and of the results."""
    for name, files in works.items():
        for file, source in files.items():
            path = folder / "class" / name / file
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_bytes(source)
    return folder / "class", kept_results(folder / "class", folder / "results")


def kept_results(submissions: Path, out: Path, lab: str = "tr2") -> Path:
    """Write results for all submissions of a folder or an archive."""
    spec, _ = load_lab(lab)
    folder = OutputFolder(out)
    folder.prepare(0)
    with open_gradebook(out, spec.lab, print) as book:
        book.record_paths([str(submissions.resolve())])
        for number, one in enumerate(find_submissions([submissions], spec)):
            identity = SubmissionId(name=one.name, digest=read_submission(one, spec).digest())
            report = report_of(spec).model_copy(update={"submission": identity})
            book.put(one.origin, f"key {number}", report)
            folder.write_report(report)
        folder.write_class(book.entries())
    return out


def report_of(spec: Spec) -> Report:
    """A report in which every check of a lab has passed."""
    checks = tuple(
        factory.check(
            check_id(program, item.name),
            points=float(points),
            max_points=float(points),
            visibility=item.visibility,
            message=f"message of {item.name}",
        )
        for program in spec.programs
        for item in spec.rubric
        if (points := item.points.get(program)) is not None
    )
    total = sum(check.points for check in checks)
    known = {"lab": spec.lab, "spec_digest": spec.digest(), "checks": checks, "score": total, "max_score": total}
    return factory.report().model_copy(update=known)
