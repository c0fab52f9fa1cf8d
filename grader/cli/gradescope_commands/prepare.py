"""`grader gradescope prepare`, the last step of setup.sh."""

from __future__ import annotations

from contextlib import closing

import click

from grader.cli.common import message_printer
from grader.cli.options import lab_option
from grader.errors import UsageError
from grader.gradescope.bundle.autograder import secret_of
from grader.gradescope.directories import AUTOGRADER, close_writable, scratch_folder, writable_folders
from grader.grading.setup import RunConfig, prepare
from grader.lab.find import load_lab
from grader.model.counted import counted
from grader.render.text.phrases import points_counted
from grader.sandbox.local import HostEnvironment, LocalSandbox


@click.command("prepare")
@lab_option
def command(*, lab: str) -> None:
    """Run the reference once, so that no submission has to wait for it, and test that grading works here.

    Only for an image that is used for nothing else: afterwards only root can write to its folders.
    """
    notify = message_printer(stderr=False)
    if not AUTOGRADER.is_dir():
        raise UsageError(
            f"there is no {AUTOGRADER} here: this is for setup.sh, in an image that is the grader's alone"
        )
    spec, files = load_lab(lab)
    close_writable(writable_folders())
    with closing(LocalSandbox(HostEnvironment(in_container=True, scratch=scratch_folder()))) as sandbox:
        grading = prepare(RunConfig(spec, files, "local", secret=secret_of(files)), sandbox, notify)
        # For a changed lab this measures the known bugs, which takes a minute, so that no submission waits for them.
        known = grading.known_bugs.get() if grading.known_bugs is not None else None
        grading.lab.fresh_runs()
    found = grading.lab.reference.evidence.toolchain
    for engine, why in (found.missing if found is not None else {}).items():
        notify(f"note: {engine} cannot be used here: {why}")
    checks = sum(len(item.points) for item in spec.rubric)
    bugs = len(known.mutants) if known is not None else 0
    counts = (counted(checks, "check"), points_counted(spec.max_score), counted(bugs, "known bug"))
    notify(f"ready: {spec.title}, {', '.join(counts)}")
