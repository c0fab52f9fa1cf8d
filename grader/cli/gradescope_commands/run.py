"""`grader gradescope run`, which run_autograder starts."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import click

from grader.cli.common import message_printer
from grader.cli.exit_status import BROKEN, OK
from grader.cli.options import lab_option
from grader.errors import GraderError
from grader.gradescope.directories import AUTOGRADER, AutograderDirs
from grader.gradescope.run import GradescopeRun, put_fault
from grader.gradescope.time_out import TimeOut, allowed_s
from grader.lab.find import load_lab


@click.command("run")
@lab_option
@click.option(
    "--folder",
    type=click.Path(path_type=Path, file_okay=False, exists=True),
    default=AUTOGRADER,
    show_default=True,
    help="The platform's folder, with submission/ to read and results/results.json to write.",
)
def command(*, lab: str, folder: Path) -> int:
    """Grade the submission in the platform's folder, as root, in a container that is thrown away afterwards.

    Exit status: 0 if it was graded, and 3 if it could not be. results.json says which, in words.
    """
    notify = message_printer(stderr=False)
    dirs = AutograderDirs(folder.resolve())
    try:
        spec, files = load_lab(lab)
        # Students do not have the paths of this container.
        spec = spec.at("")
    except GraderError as error:
        put_fault(dirs, str(error))
        raise
    time_out = TimeOut(allowed_s(os.environ, spec.gradescope.timeout_s))
    # In any other folder somebody tries this out, on a machine that is not ours to close.
    run = GradescopeRun(dirs, spec, files, time_out, notify, owns_container=dirs.root == AUTOGRADER)
    with _ended_in_time(run):
        return OK if run.run() else BROKEN


@contextmanager
def _ended_in_time(run: GradescopeRun) -> Iterator[None]:
    """End this process just before the platform would end it and replace our results with its own.

    That closes the guest's input, so the guest ends too, with everything that it runs.
    """

    def end(_signal: int, _frame: object) -> None:
        try:
            run.time_is_up()
        finally:
            os._exit(BROKEN)

    before = signal.signal(signal.SIGALRM, end)
    signal.setitimer(signal.ITIMER_REAL, run.time_out.until_last_s)
    try:
        yield
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
