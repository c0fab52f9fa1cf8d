"""`grader render OUT`."""

from __future__ import annotations

from pathlib import Path

import click

from grader.batch.batch import render_all
from grader.batch.gradebook_file import open_results
from grader.batch.output_folder import OutputFolder
from grader.cli.common import BrokenPipeConsole, message_printer, print_message
from grader.cli.exit_status import OK
from grader.render.text.escape import one_line


@click.command("render")
@click.argument("out", metavar="OUT", type=click.Path(path_type=Path))
def command(*, out: Path) -> int:
    """Write all reports, pages and tables in OUT again from its gradebook, without grading.

    OUT is a folder that `grader grade --out OUT` wrote to.
    """
    with open_results(out) as book:
        book.notify_damage(message_printer())
        number = render_all(book, OutputFolder(out))
    print_message(BrokenPipeConsole(), one_line(f"{number} reports written: {out / 'index.html'}"))
    return OK
