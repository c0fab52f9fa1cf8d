"""`grader check [FOLDER]`: its options, and its first line, which appears before anything slow is imported."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import TYPE_CHECKING, TextIO

import click

from grader.cli.options import own_sandbox_option
from grader.errors import UsageError
from grader.render.text.escape import visible_text

if TYPE_CHECKING:
    from grader.sandbox.choose import SandboxChoice


@click.command("check")
@click.argument("folder", metavar="[FOLDER]", default=".", type=click.Path(path_type=Path))
@click.option("--lab", help="Name of a lab, path of its folder, or path of a spec.  [default: the lab of your files]")
@click.option(
    "--quick", is_flag=True, help="Cut large inputs to 64 KiB. This takes seconds, but does not show the grade."
)
@click.option(
    "--only",
    metavar="ID",
    multiple=True,
    help="Judge only a check (PROGRAM.CHECK, or CHECK for all programs) or a program. Can be repeated.",
)
@click.option(
    "-v", "--verbose", is_flag=True, help="Show every check, the evidence of those that failed, and all tables."
)
@click.option("--watch", is_flag=True, help="Check again whenever a source is saved, until Ctrl-C.")
@own_sandbox_option
@click.option("--json", "as_json", is_flag=True, help="Print only report.json. Messages go to standard error.")
@click.option("--html", metavar="FILE", type=click.Path(path_type=Path), help="Write the report as a page.")
@click.option("--junit", metavar="FILE", type=click.Path(path_type=Path), help="Write the checks as JUnit XML.")
def command(  # noqa: PLR0913 - one parameter per option
    *,
    folder: Path,
    lab: str | None,
    quick: bool,
    only: tuple[str, ...],
    watch: bool,
    verbose: bool,
    sandbox: SandboxChoice,
    as_json: bool,
    html: Path | None,
    junit: Path | None,
) -> int:
    """Check your own work exactly as it will be graded.

    FOLDER may also be an archive. By default it is the current folder. The report says what is wrong,
    where, and which command shows it.

    Exit status: 0 if every check passed, 1 if one failed, 2 for a wrong option or folder, and 3 if something could
    not be judged, which is not a mistake in your work.
    """
    if watch and as_json:
        raise UsageError("--watch and --json cannot be used together")
    for stream in (sys.stdout, sys.stderr):
        _replace_unencodable(stream)
    _print_first_line(folder, sys.stderr if as_json else sys.stdout, quick=quick)
    # Imported here: it takes a while to load, and the first line must not wait for it.
    from grader.cli.check_run import CheckOptions, run_check  # noqa: PLC0415

    return run_check(CheckOptions(folder, lab, quick, only, watch, verbose, sandbox, as_json, html, junit))


def _replace_unencodable(stream: TextIO) -> None:
    """Print "?" for a sign that the terminal's encoding lacks, instead of failing: a word follows each sign."""
    reconfigure = getattr(stream, "reconfigure", None)
    if reconfigure is not None:
        reconfigure(errors="replace")


def _print_first_line(folder: Path, stream: TextIO, *, quick: bool) -> None:
    if not folder.exists():
        # The error message comes later, when the folder is read.
        return
    form = ", inputs shortened by --quick" if quick else ""
    print(visible_text(f"checking {folder.resolve()}{form}"), file=stream, flush=True)
