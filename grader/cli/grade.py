"""`grader grade PATH… --lab tr2 --out DIR`."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import click
from rich.console import Console

from grader.batch import Output, grade_all
from grader.bugs import Catalogue
from grader.cache import Cache
from grader.cli.labs import PatientConsole, load_lab, say_on
from grader.cli.main import BROKEN, INTERRUPTED, OK
from grader.cli.progress import LiveProgress
from grader.intake.folder import Found, find_submissions
from grader.measurement import Measurement
from grader.model.report import Report
from grader.model.spec import Spec, input_bytes
from grader.oracle import obtain_reference
from grader.pipeline import Grading
from grader.planning import StraceMode
from grader.render.bytes_text import one_line
from grader.render.terminal import line, summary
from grader.render.words import isolation_words
from grader.sandbox.base import Sandbox
from grader.sandbox.choose import SandboxChoice, choose_sandbox


@click.command("grade")
@click.argument("paths", metavar="PATH...", nargs=-1, required=True, type=click.Path(path_type=Path))
@click.option("--lab", required=True, help="A lab that the grader knows (tr2), or the path of a spec.")
@click.option("--out", required=True, type=click.Path(path_type=Path), help="The folder for reports and grades.")
@click.option("--sandbox", type=click.Choice(["auto", "docker", "local"]), default="auto", show_default=True)
@click.option("--jobs", type=click.IntRange(min=1), default=1, show_default=True, help="Submissions at a time.")
@click.option(
    "--strace",
    type=click.Choice(["slice", "full"]),
    default="slice",
    show_default=True,
    help="full: count every call of the 5,000,000-byte runs under strace as well; takes minutes.",
)
@click.option("--no-cache", is_flag=True, help="Run the reference again instead of using kept results.")
def command(  # noqa: PLR0913 - one parameter an option
    *,
    paths: tuple[Path, ...],
    lab: str,
    out: Path,
    sandbox: SandboxChoice,
    jobs: int,
    strace: StraceMode,
    no_cache: bool,
) -> int:
    """Grade submissions: a PATH is a folder with the lab's programs, or a folder of such folders.

    Writes OUT/NAME/report.html and report.json for each, OUT/index.html and OUT/grades.csv. The exit status is 0
    when all were graded, whatever their scores, and 3 when one could not be.
    """
    spec = load_lab(lab)
    found = find_submissions(paths, spec, leave_out=out)
    output = Output(out)
    output.prepare()
    console, notices = PatientConsole(), Console(stderr=True)
    place = choose_sandbox(sandbox, lambda text: say_on(notices, text))
    try:
        grading = _prepare(spec, place, strace, None if no_cache else Cache(), notices)
        return _grade(grading, found, output, jobs, console)
    finally:
        place.close()


def _prepare(spec: Spec, place: Sandbox, strace: StraceMode, cache: Cache | None, notices: Console) -> Grading:
    inputs = {name: input_bytes(source) for name, source in spec.inputs.items()}
    reference = obtain_reference(spec, place, inputs, cache, lambda text: say_on(notices, text))
    measurement = Measurement(spec, place, reference, inputs)
    bugs = Catalogue(measurement, cache, lambda text: say_on(notices, text))
    return Grading(spec, place, reference, inputs, strace, bugs)


def _grade(grading: Grading, found: Sequence[Found], output: Output, jobs: int, console: Console) -> int:
    reports: list[Report] = []
    interrupted = False
    width = max(len(one.name) for one in found)
    try:
        with LiveProgress(console, len(found)) as progress:
            for report in grade_all(grading, found, output, jobs, progress.watch):
                reports.append(report)
                progress.finished(report.submission.name)
                if len(found) == 1:
                    progress.show(summary(report))
                progress.show(line(report, name_width=width))
    except KeyboardInterrupt:
        interrupted = True
    finally:
        # What was finished is worth its overview, whatever ended the rest.
        if reports:
            output.write_overview(reports)
    _conclude(reports, len(found), grading, output, console)
    if interrupted:
        left = len(found) - len(reports)
        say_on(console, f"interrupted: {left} of {len(found)} were not graded; run the same command again for all")
        return INTERRUPTED
    return OK if all(report.status == "graded" for report in reports) else BROKEN


def _conclude(reports: Sequence[Report], total: int, grading: Grading, output: Output, console: Console) -> None:
    graded = sum(report.status == "graded" for report in reports)
    where = isolation_words(grading.sandbox.isolation)
    say_on(console, f"\n{graded} of {total} graded {where}")
    if reports:
        page = Path(reports[0].submission.name, "report.html") if total == 1 else Path("index.html")
        say_on(console, one_line(f"report: {output.folder / page}"))
