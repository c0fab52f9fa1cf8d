"""`grader similar RESULTS`."""

from __future__ import annotations

from pathlib import Path

import click
from rich.console import Console

from grader.batch.batch import conclude
from grader.batch.gradebook_file import open_results
from grader.batch.output_folder import SIMILAR, OutputFolder
from grader.batch.similar import class_sources, compare_class, corpus_sources
from grader.cli.common import message_printer, print_bytes, print_message
from grader.cli.exit_status import BROKEN, OK
from grader.errors import UsageError
from grader.lab.find import load_lab
from grader.render.exports.similar_json import similar_json
from grader.render.html.similar import similar_html
from grader.render.terminal.similar import similar_lines
from grader.render.text.escape import one_line


@click.command("similar")
@click.argument("results", metavar="RESULTS", type=click.Path(path_type=Path))
@click.option("--lab", help="Name of a lab, path of its folder, or path of a spec.  [default: that of the results]")
@click.option(
    "--corpus",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Submissions of an earlier term, to compare with. Can be repeated.",
)
@click.option(
    "--submissions",
    metavar="PATH",
    multiple=True,
    type=click.Path(path_type=Path),
    help="Where the submissions are now, if they have moved. Can be repeated.",
)
@click.option("--json", "as_json", is_flag=True, help="Print only JSON. Messages go to standard error.")
def command(
    *, results: Path, lab: str | None, corpus: tuple[Path, ...], submissions: tuple[Path, ...], as_json: bool
) -> int:
    """Find submissions whose programs are alike.

    RESULTS is a folder that `grader grade --out RESULTS` wrote to. Programs are compared by their structure, without
    names, comments, layout and the order of functions, and without what the template or much of the class has. The
    pairs are in RESULTS/similar.html. Nothing leaves this machine, and no score changes.

    Exit status: 0, or 3 if a submission could not be compared because its sources are gone.
    """
    console, notify = Console(), message_printer()
    with open_results(results) as book:
        book.notify_damage(notify)
        entries = book.entries()
        if not entries:
            raise UsageError(f"{results} has no results")
        spec, files = load_lab(lab or entries[0].report.lab)
        if spec.lab != entries[0].report.lab:
            raise UsageError(f"{results} holds results of the lab {entries[0].report.lab}, not of {spec.lab}")
        sources = class_sources(book, spec, submissions)
        comparison = compare_class(sources, corpus_sources(corpus, spec, notify), spec, files)
        folder = OutputFolder(results)
        folder.write_similar(similar_html(comparison))
        # Its page has a link to this one now.
        conclude(book, folder, book.current_version, book.commands(), book.rules())
    if as_json:
        print_bytes(similar_json(comparison))
        return BROKEN if comparison.gone else OK
    for line in similar_lines(comparison):
        console.print(line, crop=False)
    print_message(console, one_line(f"report: {results / SIMILAR}"))
    return BROKEN if comparison.gone else OK
