"""`grader gradescope`: the zip that an instructor uploads, and what runs inside of it."""

from __future__ import annotations

import click

from grader.cli.lazy import LazyGroup

SUMMARIES = {
    "build": "Make the zip that you upload to Gradescope.",
    "prepare": "Run the reference where submissions will be graded (used by setup.sh).",
    "run": "Grade the submission in /autograder (used by run_autograder).",
    "try": "Run a zip as Gradescope would, on this machine, with Docker.",
}


@click.group("gradescope", cls=LazyGroup, modules="grader.cli.gradescope_commands", summaries=SUMMARIES)
def command() -> None:
    """Make an autograder for Gradescope, and try it."""
