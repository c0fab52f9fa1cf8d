"""`python -m bench`: how long grading takes, compared with the programs alone."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from bench.lab import MeasuredLab
from bench.measure import GROUPS, Result, measure
from bench.page import SUBMISSION
from bench.results import to_json
from bench.table import notes, table
from grader.cli.common import load_spec
from grader.errors import GraderError, UsageError

CHECKOUT = Path(__file__).parents[1]
MISSED, USAGE, BROKEN, INTERRUPTED = 1, 2, 3, 130


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
@click.option(
    "--only",
    type=click.Choice(GROUPS),
    multiple=True,
    help="Measure this group, and the programs alone; can be repeated.",
)
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write every figure here.")
@click.option("--write", "into_page", is_flag=True, help="Put the table into docs/benchmarks.md.")
@click.option("--check", is_flag=True, help="Exit with 1 if a target is missed, or cannot be measured reliably.")
@click.option("--lab", default="tr2", show_default=True, help="A lab that the grader knows, or the path of a spec.")
@click.option(
    "--submission",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=CHECKOUT / "examples" / "right",
    help="A submission with full marks, to grade and to run alone.  [default: examples/right]",
)
@click.option(
    "--part-bytes",
    type=click.IntRange(min=1),
    default=50_000,
    show_default=True,
    help="Bytes of input that strace gets for a program with many calls; its cost is scaled.",
)
@click.option(
    "--idle-s",
    type=click.FloatRange(min=0.05),
    default=4.0,
    show_default=True,
    help="Seconds per round to watch the idle machine, whose CPU time is subtracted.",
)
def command(  # noqa: PLR0913 - one parameter per option
    *,
    rounds: int,
    only: tuple[str, ...],
    json_file: Path | None,
    into_page: bool,
    check: bool,
    lab: str,
    submission: Path,
    part_bytes: int,
    idle_s: float,
) -> None:
    """Measure and print a table, on a machine that does nothing else.

    Exit status: 0; with --check, 1 if a target is missed or cannot be measured reliably; 2 for a wrong command line;
    3 if something could not be measured; 130 when interrupted.
    """
    if into_page and only:
        raise click.UsageError("--write needs the whole table, but --only leaves rows out")
    # So that SIGTERM also removes the containers.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        measured = MeasuredLab(load_spec(lab), lab, submission.resolve(), part_bytes)
        result = measure(measured, only or GROUPS, rounds, idle_s, lambda text: click.echo(text, err=True))
        _write(result, json_file, into_page=into_page)
    except (GraderError, OSError) as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(USAGE if isinstance(error, UsageError) else BROKEN)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(MISSED if check and not result.all_met else 0)


def _write(result: Result, json_file: Path | None, *, into_page: bool) -> None:
    texts = table(result.lines), notes(result.lines, result.conditions)
    click.echo("\n\n".join(texts))
    if json_file is not None:
        json_file.write_text(to_json(result.conditions, result.rounds, result.lines), encoding="utf-8")
    if into_page:
        SUBMISSION.write(*texts)


if __name__ == "__main__":
    command()
