"""`python -m bench.classes`: what a class costs, beside what it has to cost at most."""

from __future__ import annotations

import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from bench.ceiling import ceiling
from bench.gradebooks import Ground
from bench.lab import Lab
from bench.readme import CLASS
from bench.stopwatches import stopwatch_here
from grader.cli.common import load_lab
from grader.errors import GraderError, UsageError
from grader.messages import Notify

CHECKOUT = Path(__file__).parents[1]
MISSED, USAGE, BROKEN = 1, 2, 3
HEAD = "| | measured | target | met |\n| --- | ---: | --- | --- |"


@dataclass(frozen=True)
class Figure:
    """One line: what was measured, with its unit, and whether it is what it has to be."""

    title: str
    measured: str
    target: str
    met: bool | None = None

    def __str__(self) -> str:
        """Return a row of the table."""
        answer = "" if self.met is None else "yes" if self.met else "NO"
        return f"| {self.title} | {self.measured} | {self.target} | {answer} |"


def speed(ground: Ground, students: int, rounds: int, notify: Notify) -> list[Figure]:
    """Grade a class one submission at a time, and as many as there are processors, by turns, each time anew."""
    ratios, slow_s, fast_s, memory_bytes = [], [], [], []
    for number in range(rounds):
        # The rows beside them are for the memory that a large class takes.
        runs = {}
        for jobs in (1, ground.processors):
            notify(f"round {number + 1}: {students} submissions, {jobs} at a time")
            runs[jobs] = ground.grade(ground.folder(students), ground.filled(1000), "--jobs", str(jobs))
        one, all_of_them = runs[1], runs[ground.processors]
        ratios.append(one.wall_s / all_of_them.wall_s)
        slow_s.append(one.wall_s)
        fast_s.append(all_of_them.wall_s)
        memory_bytes.append(all_of_them.peak_memory_bytes or 0)
    ratio, target = statistics.median(ratios), 0.9 * ground.processors
    peak = max(memory_bytes) / 1e6
    return [
        Figure(f"{students} submissions, one at a time", f"{statistics.median(slow_s):,.0f} s", ""),
        Figure(f"{students} submissions, {ground.processors} at a time", f"{statistics.median(fast_s):,.0f} s", ""),
        Figure("one at a time ÷ one a processor", f"{ratio:.2f}", f"≥ {target:.2f}", ratio >= target),
        Figure("memory of the grader, 1,000 in the gradebook", f"{peak:.0f} MB", "≤ 250 MB", peak <= 250),  # noqa: PLR2004
    ]


def most(lab: Lab, scratch: Path) -> Figure:
    """Measure what the machine gives: two processors may be less than twice one."""
    return Figure("the same of the programs alone", f"{ceiling(lab, scratch):.2f}", "")


def again(ground: Ground, students: int, limit_s: float) -> Figure:
    """Run over a class in which nothing has changed."""
    folder = ground.folder(students)
    out = ground.filled(students, folder)
    took_s = statistics.median(ground.grade(folder, out).wall_s for _ in range(5))
    title = f"a second run over {students:,} unchanged submissions"
    return Figure(title, f"{took_s:.2f} s", f"≤ {limit_s:.0f} s", took_s <= limit_s)


def page(ground: Ground, students: int, limit_s: float) -> Figure:
    """Make the class page and all tables of a large class."""
    book, results = ground.held(ground.filled(students))
    with book:
        start = time.perf_counter()
        results.write_class(book.entries())
        took_s = time.perf_counter() - start
    title = f"index.html and tables of {students:,} results"
    return Figure(title, f"{took_s:.2f} s", f"≤ {limit_s:.0f} s", took_s <= limit_s)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option("--students", type=click.IntRange(min=2), default=40, show_default=True, help="That are graded.")
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--readme", "into_readme", is_flag=True, help="Put the table into README.md.")
@click.option("--check", is_flag=True, help="Exit status 1 where a target is not met.")
@click.option("--lab", default="tr2", show_default=True, help="A lab that the grader knows, or the path of a spec.")
def command(*, students: int, rounds: int, into_readme: bool, check: bool, lab: str) -> None:
    """Measure, and print a table. Wants a machine that does nothing else; takes about 15 s a submission and round.

    Exit status: 0, and 1 with --check where a target is not met; 2 for a wrong command line; 3 where something could
    not be measured.
    """
    scratch = Path(tempfile.mkdtemp(prefix="iolab-bench-"))
    try:
        with stopwatch_here() as stopwatch:
            ground = Ground(load_lab(lab), lab, CHECKOUT / "examples" / "right", scratch, stopwatch)
            figures = [
                *speed(ground, students, rounds, lambda text: click.echo(text, err=True)),
                most(Lab(ground.spec, lab, ground.model, part_bytes=1), scratch),
                again(ground, 300, 2),
                page(ground, 1000, 10),
            ]
            _tell(figures, ground, rounds, into_readme=into_readme)
    except (GraderError, OSError) as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(USAGE if isinstance(error, UsageError) else BROKEN)
    finally:
        shutil.rmtree(scratch)
    sys.exit(MISSED if check and any(figure.met is False for figure in figures) else 0)


def _tell(figures: Sequence[Figure], ground: Ground, rounds: int, *, into_readme: bool) -> None:
    table = "\n".join([HEAD, *map(str, figures)])
    counted = "One round" if rounds == 1 else f"Medians of {rounds} rounds"
    notes = (
        f"{counted}, {ground.processors} processors; copies of examples/right, each with a comment of its own, in"
        " containers. The gradebook of a large class is filled with copies of one result."
    )
    click.echo(f"{table}\n\n{notes}")
    if into_readme:
        readme = CHECKOUT / "README.md"
        readme.write_text(CLASS.with_table(readme.read_text(encoding="utf-8"), table, notes), encoding="utf-8")


if __name__ == "__main__":
    command()
