"""`grader notebook FILE`."""

from __future__ import annotations

import os
import stat
from pathlib import Path

import click
from rich.console import Console

from grader.cli.common import message_printer, print_bytes
from grader.cli.exit_status import OK
from grader.cli.own_lab import lab_of_notebook
from grader.errors import UsageError
from grader.grading.notebook import read_in_child
from grader.lab.find import load_lab
from grader.model.report import Report
from grader.model.visible import readable
from grader.notebook.text import MAX_BYTES
from grader.render.text.escape import visible_json

MAX_REPORT_BYTES = 64_000_000


@click.command("notebook")
@click.argument("file", metavar="FILE", type=click.Path(path_type=Path))
@click.option(
    "--lab",
    help="Name of a lab, path of its folder, or path of a spec.  [default: that of FILE]",
)
@click.option(
    "--report", metavar="report.json", type=click.Path(path_type=Path), help="Also compare it with this report."
)
@click.option("--json", "as_json", is_flag=True, help="Print only JSON. Messages go to standard error.")
def command(*, file: Path, lab: str | None, report: Path | None, as_json: bool) -> int:
    """Read a lab notebook: its command lines, strace tables and times, and what follows from their numbers.

    FILE is a text of any layout. Nothing in it is run, and what it shows earns no points.

    Exit status: 0 if the file was read, whatever it contains, and 2 if it cannot be.
    """
    data, size_bytes = _beginning(file)
    spec, _ = load_lab(lab) if lab else lab_of_notebook(file, data, message_printer())
    known = None if report is None else _read_report(report)
    notebook = read_in_child(data, spec, file=readable(str(file)), size_bytes=size_bytes, report=known)
    if as_json:
        print_bytes(visible_json(notebook.model_dump_json(indent=2, exclude={"text"})) + b"\n")
        return OK
    # Imported here: with --json nothing is rendered.
    from grader.render.terminal.notebook import notebook_view  # noqa: PLC0415

    Console().print(notebook_view(notebook), crop=False, soft_wrap=True)
    return OK


def _beginning(file: Path) -> tuple[bytes, int]:
    """Return the part of a file that is read, and its size.

    Raises:
        UsageError: it is not a regular file, or cannot be read.
    """
    try:
        # A named pipe would wait for somebody to write to it.
        with os.fdopen(os.open(file, os.O_RDONLY | getattr(os, "O_NONBLOCK", 0)), "rb") as opened:
            status = os.fstat(opened.fileno())
            if not stat.S_ISREG(status.st_mode):
                raise UsageError(f"{file} is not a regular file")
            return opened.read(MAX_BYTES), status.st_size
    except OSError as error:
        raise UsageError(f"{file} cannot be read: {error.strerror}") from error


def _read_report(path: Path) -> Report:
    try:
        if path.stat().st_size > MAX_REPORT_BYTES:
            raise UsageError(f"{path} is too large for a report")
        return Report.model_validate_json(path.read_bytes())
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error
    except ValueError as error:
        raise UsageError(f"{path} is not a report of this version of the grader") from error
