"""`grader render OUT`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from grader.batch.batch import render_all
from grader.batch.gradebook_file import open_results
from grader.batch.output_folder import OutputFolder
from grader.cli.common import message_printer, print_message
from grader.cli.exit_status import BROKEN, OK
from grader.cli.mixed_versions import mixed_words, rescore_command
from grader.render.text.escape import one_line


@click.command("render")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
@click.option(
    "--allow-mixed-versions",
    is_flag=True,
    help="Write canvas.csv and moodle.csv even if the scores belong to several versions of the lab.",
)
def command(*, out: Path, allow_mixed_versions: bool) -> int:
    """Write all reports, pages and tables in OUT again from its gradebook, without grading.

    OUT is a folder that `grader grade --out OUT` wrote to.

    Exit status: 0, or 3 if a file for a course system is not written because the scores belong to several versions.
    """
    notify = message_printer()
    with open_results(out) as book:
        book.notify_damage(notify)
        number, conclusion = render_all(book, OutputFolder(out), mixed=allow_mixed_versions)
    for note in conclusion.notes:
        notify(one_line(note))
    print_message(Console(), one_line(f"{number} reports written: {out / 'index.html'}"))
    if conclusion.is_mixed:
        notify(mixed_words(conclusion, rescore_command(out, "LAB")))
    return BROKEN if conclusion.withheld else OK
