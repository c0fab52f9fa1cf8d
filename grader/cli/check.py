"""`grader check [FOLDER]`."""

from __future__ import annotations

import os
import sys
from collections.abc import Mapping
from contextlib import closing
from functools import partial
from pathlib import Path

import click

from grader.checking import Outcome, find_own, grade_own, outcome, own_sandbox, unjudged
from grader.cli.labs import PatientConsole, known_labs, load_lab, say_on
from grader.cli.main import BROKEN, OK
from grader.cli.progress import LiveProgress
from grader.cli.targets import expect_target
from grader.errors import UsageError
from grader.intake.found import Found, read_submission
from grader.model.gradebook import Entry
from grader.model.report import Isolation, Report, brief
from grader.model.spec import Spec
from grader.preparation import Setting
from grader.render.bytes_text import one_line
from grader.render.files import write_atomic
from grader.render.json_report import report_json
from grader.render.junit import junit_xml
from grader.render.terminal import summary
from grader.render.words import counted, isolation_words, listed, points_counted
from grader.sandbox.choose import SandboxChoice

FAILED = 1

STATUS: Mapping[Outcome, int] = {"passed": OK, "failed": FAILED, "unjudged": BROKEN, "not-graded": BROKEN}
"""What was not judged is neither right nor wrong: 0 would let unlooked-at work through, 1 would blame the student."""


@click.command("check")
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@click.option("--lab", help="A lab that the grader knows, or the path of a spec.  [default: the only one it knows]")
@click.option(
    "--sandbox",
    type=click.Choice(["auto", "docker", "local"]),
    default="auto",
    show_default=True,
    help="auto: without a container where that can be had, else in one.",
)
@click.option("--json", "as_json", is_flag=True, help="Print report.json alone; what people read goes to stderr.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as a page.")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write the checks as JUnit XML.")
def command(  # noqa: PLR0913 - one parameter an option
    *, folder: Path, lab: str | None, sandbox: SandboxChoice, as_json: bool, html: Path | None, junit: Path | None
) -> int:
    """Check your own work: FOLDER, or the one that you are in, is graded as it would be once handed in.

    The exit status is 0 when every check passed, 1 when one failed, 2 when this cannot be asked for, and 3 when
    something could not be judged, which is not your work's fault.
    """
    # Beside JSON on its way to a program nothing is to move.
    console = PatientConsole(stderr=True, force_terminal=False) if as_json else PatientConsole()
    notices = PatientConsole(stderr=True)
    say = partial(say_on, notices)
    spec = load_lab(lab or _only_lab())
    _expect_targets(spec, {"--html": html, "--junit": junit})
    found = find_own(folder, spec)
    submission = read_submission(found, spec)
    with closing(own_sandbox(sandbox, say)) as place, LiveProgress(console, total=1) as progress:
        say(_beginning(spec, place.isolation))
        watch = partial(progress.watch, one_line(found.name))
        report = grade_own(Setting(spec, sandbox), place, submission, say, watch)
    console.print(summary(report), crop=False)
    if as_json:
        _print_json(report)
    for path, render in ((html, _page), (junit, _junit)):
        if path is not None:
            write_atomic(path, render(report, found))
            say(one_line(f"written: {path}"))
    if outcome(report) == "unjudged":
        say_on(console, _unjudged_words(report))
    return STATUS[outcome(report)]


def _only_lab() -> str:
    known = known_labs()
    if len(known) != 1:
        raise UsageError(f"say which lab it is: --lab {' or --lab '.join(known)}")
    return known[0]


def _expect_targets(spec: Spec, targets: Mapping[str, Path | None]) -> None:
    """Make sure, before any work, that files can be written where they are wanted, and nothing of value is there."""
    wanted = {option: path for option, path in targets.items() if path is not None}
    sources = {program.source for program in spec.programs.values()}
    for option, path in wanted.items():
        expect_target(option, path)
        if path.name in sources:
            raise UsageError(f"{option} {path}: a source of the lab has this name, and would be lost")
    if len({path.resolve() for path in wanted.values()}) < len(wanted):
        raise UsageError(f"{listed(wanted)} name the same file")


def _beginning(spec: Spec, isolation: Isolation) -> str:
    sources = listed(program.source for program in spec.programs.values())
    return one_line(f"checking {sources} {isolation_words(isolation)}")


def _print_json(report: Report) -> None:
    try:
        sys.stdout.buffer.write(report_json(report))
        sys.stdout.buffer.flush()
    except BrokenPipeError:
        # Whoever reads it has seen enough; the verdict, and so the exit status, is the same.
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())


def _page(report: Report, _found: Found) -> bytes:
    # Imported here: it takes its time, and most runs want no page.
    from grader.render.html import report_html  # noqa: PLC0415

    return report_html(report)


def _junit(report: Report, found: Found) -> bytes:
    return junit_xml([Entry(name=found.name, origin=found.origin, report=brief(report))])


def _unjudged_words(report: Report) -> str:
    checks = unjudged(report)
    worth = points_counted(sum(check.max_points for check in checks))
    return (
        f"\nNOT ALL WAS JUDGED: {counted(len(checks), 'check')} worth {worth} could not be, for want of"
        " something on this machine and not through your work. `grader doctor` says what is missing."
    )
