"""`grader gradescope prepare`, the last step of setup.sh."""

from __future__ import annotations

from contextlib import closing

import click

from grader.cli.common import load_lab
from grader.errors import UsageError
from grader.gradescope.directories import AUTOGRADER, close_writable, scratch_folder, writable_folders
from grader.grading.setup import RunConfig, prepare
from grader.render.text.escape import visible_text
from grader.sandbox.local import HostEnvironment, LocalSandbox


@click.command("prepare")
@click.option("--lab", required=True, help="A lab that the grader knows (tr2), or the path of a spec.")
def command(*, lab: str) -> None:
    """Run the reference here, once, so that no submission has to wait for it; and try that grading works here.

    For an image that is the grader's alone: no user but root may write to its folders afterwards.
    """

    def notify(text: str) -> None:
        click.echo(visible_text(text, keep="\n"))

    if not AUTOGRADER.is_dir():
        raise UsageError(
            f"there is no {AUTOGRADER} here: this is for setup.sh, in an image that is the grader's alone"
        )
    spec = load_lab(lab)
    close_writable(writable_folders())
    with closing(LocalSandbox(HostEnvironment(in_container=True, scratch=scratch_folder()))) as sandbox:
        grading = prepare(RunConfig(spec, "local"), sandbox, notify)
        # For a changed lab this measures the known bugs, which takes a minute, so that no submission waits for it.
        known = grading.known_bugs.get() if grading.known_bugs is not None else None
    found = grading.lab.reference.evidence.toolchain
    for engine, why in (found.missing if found is not None else {}).items():
        notify(f"note: {engine} cannot be used here: {why}")
    checks = sum(len(item.points) for item in spec.rubric)
    bugs = len(known.mutants) if known is not None else 0
    notify(f"ready: {spec.title}, {checks} checks, {spec.max_score} points, {bugs} known bugs")
