"""`python -m bench`: how long grading takes beside the programs alone, as ratios within one run."""

from __future__ import annotations

import signal
import sys
from pathlib import Path

import click

from bench.lab import Lab
from bench.measure import GROUPS, Result, measure
from bench.readme import SUBMISSION
from bench.results import to_json
from bench.table import notes, table
from grader.cli.common import load_lab
from grader.errors import GraderError, UsageError

CHECKOUT = Path(__file__).parents[1]
MISSED, USAGE, BROKEN, INTERRUPTED = 1, 2, 3, 130


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--rounds", type=click.IntRange(min=1), default=5, show_default=True)
@click.option("--only", type=click.Choice(GROUPS), multiple=True, help="Beside the programs alone; may be repeated.")
@click.option("--json", "json_file", type=click.Path(path_type=Path, dir_okay=False), help="Write every figure here.")
@click.option("--readme", "into_readme", is_flag=True, help="Put the table into README.md.")
@click.option("--check", is_flag=True, help="Exit status 1 where a target is not met for sure.")
@click.option("--lab", default="tr2", show_default=True, help="A lab that the grader knows, or the path of a spec.")
@click.option(
    "--submission",
    type=click.Path(path_type=Path, exists=True, file_okay=False),
    default=CHECKOUT / "examples" / "right",
    help="A submission with full marks: what is graded, and what is run alone.  [default: examples/right]",
)
@click.option(
    "--part-bytes",
    type=click.IntRange(min=1),
    default=50_000,
    show_default=True,
    help="What strace gets of the input of a program with many calls; its cost is scaled.",
)
@click.option(
    "--idle-s",
    type=click.FloatRange(min=0.05),
    default=4.0,
    show_default=True,
    help="Seconds a round of watching the idle machine, whose CPU is taken off.",
)
def command(  # noqa: PLR0913 - one parameter an option
    *,
    rounds: int,
    only: tuple[str, ...],
    json_file: Path | None,
    into_readme: bool,
    check: bool,
    lab: str,
    submission: Path,
    part_bytes: int,
    idle_s: float,
) -> None:
    """Measure, and print a table. Wants a machine that does nothing else.

    Exit status: 0, and 1 with --check where a target is not met for sure; 2 for a wrong command line; 3 where
    something could not be measured; 130 when interrupted.
    """
    if into_readme and only:
        raise click.UsageError("--readme wants the whole table, and --only leaves rows out")
    # Being told to end is to be orderly as well: containers are removed.
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    try:
        measured = Lab(load_lab(lab), lab, submission.resolve(), part_bytes)
        result = measure(measured, only or GROUPS, rounds, idle_s, lambda text: click.echo(text, err=True))
        _write(result, json_file, into_readme=into_readme)
    except (GraderError, OSError) as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(USAGE if isinstance(error, UsageError) else BROKEN)
    except KeyboardInterrupt:
        sys.exit(INTERRUPTED)
    sys.exit(MISSED if check and not result.all_met else 0)


def _write(result: Result, json_file: Path | None, *, into_readme: bool) -> None:
    texts = table(result.lines), notes(result.lines, result.circumstances)
    click.echo("\n\n".join(texts))
    if json_file is not None:
        json_file.write_text(to_json(result.circumstances, result.rounds, result.lines), encoding="utf-8")
    if into_readme:
        readme = CHECKOUT / "README.md"
        readme.write_text(SUBMISSION.with_table(readme.read_text(encoding="utf-8"), *texts), encoding="utf-8")


if __name__ == "__main__":
    command()
