"""`python -m bench.classes`: what grading a class costs, compared with the targets."""

from __future__ import annotations

import os
import shutil
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import click

from bench.gradebooks import ClassFactory
from bench.lab import MeasuredLab
from bench.page import CLASS
from bench.parallel_speedup import parallel_speedup
from bench.stopwatch_client import TimedCommand, stopwatch_here
from grader.cli.common import load_spec
from grader.errors import GraderError, UsageError
from grader.intake.reading import read_submission
from grader.intake.submissions import find_submissions
from grader.judge.verdict import GradingEnvironment, not_graded
from grader.messages import Notify

CHECKOUT = Path(__file__).parents[1]
MISSED, USAGE, BROKEN = 1, 2, 3
HEAD = "| | measured | target | met |\n| --- | ---: | --- | --- |"
GROUPS = ("grading", "programs", "unchanged", "page", "similar", "rescore")
"""Parts of the table that can be measured alone, in its order."""

COURSE, LARGE = 15 / 2, 25
"""How many times the submissions that are graded there are in the class of a course, and in a large one."""


@dataclass(frozen=True)
class Figure:
    """One row of the table: a value with its unit, and whether the target is met."""

    title: str
    measured: str
    target: str
    met: bool | None = None

    def __str__(self) -> str:
        answer = "" if self.met is None else "yes" if self.met else "NO"
        return f"| {self.title} | {self.measured} | {self.target} | {answer} |"


def speed(factory: ClassFactory, students: int, rounds: int, notify: Notify) -> list[Figure]:
    """Grade a class again and again: one submission at a time, then one per processor."""
    ratios, slow_s, fast_s, memory_bytes = [], [], [], []
    for number in range(rounds):
        # Other rows in the gradebook show how much memory a large class takes.
        runs = {}
        for jobs in (1, factory.processors):
            notify(f"round {number + 1}: {students} submissions, {jobs} at a time")
            runs[jobs] = factory.grade(
                factory.submissions(students), factory.new_results(LARGE * students), "--jobs", str(jobs)
            )
        one, all_of_them = runs[1], runs[factory.processors]
        ratios.append(one.wall_s / all_of_them.wall_s)
        slow_s.append(one.wall_s)
        fast_s.append(all_of_them.wall_s)
        memory_bytes.append(all_of_them.peak_memory_bytes or 0)
    ratio, target = statistics.median(ratios), 0.9 * factory.processors
    peak = max(memory_bytes) / 1e6
    return [
        Figure(f"{students} submissions, one at a time", f"{statistics.median(slow_s):,.0f} s", ""),
        Figure(f"{students} submissions, {factory.processors} at a time", f"{statistics.median(fast_s):,.0f} s", ""),
        Figure("one at a time ÷ one a processor", f"{ratio:.2f}", f"≥ {target:.2f}", ratio >= target),
        Figure(
            f"memory of the grader, {LARGE * students:,} in the gradebook",
            f"{peak:.0f} MB",
            "≤ 250 MB",
            peak <= 250,  # noqa: PLR2004
        ),
    ]


def programs_alone(lab: MeasuredLab, scratch: Path) -> Figure:
    """Measure the limit of this machine: two processors can be less than twice as fast as one."""
    return Figure("the same of the programs alone", f"{parallel_speedup(lab, scratch):.2f}", "")


def unchanged_class(factory: ClassFactory, students: int, limit_s: float) -> Figure:
    """Grade a class in which nothing has changed."""
    folder = factory.submissions(students)
    out = factory.new_results(students, folder)
    took_s = statistics.median(factory.grade(folder, out).wall_s for _ in range(5))
    title = f"a second run over {students:,} unchanged submissions"
    return Figure(title, f"{took_s:.2f} s", f"≤ {limit_s:.0f} s", took_s <= limit_s)


def class_page(factory: ClassFactory, students: int, limit_s: float) -> Figure:
    """Make the class page and all tables of a large class."""
    book, results = factory.open_results(factory.new_results(students))
    with book:
        start = time.perf_counter()
        results.write_class(book.entries())
        took_s = time.perf_counter() - start
    title = f"index.html and tables of {students:,} results"
    return Figure(title, f"{took_s:.2f} s", f"≤ {limit_s:.0f} s", took_s <= limit_s)


def rescored_class(factory: ClassFactory, students: int, limit_s: float) -> Figure:
    """Rescore a class after a change of points, with the command that a user types."""
    out, lab = factory.new_results(students), factory.lab_with_other_points()
    took_s = factory.rescore(out, lab).wall_s
    title = f"rescoring of {students:,} results with other points, pages included"
    return Figure(title, f"{took_s:.1f} s", f"≤ {limit_s:.0f} s", took_s <= limit_s)


def similar(factory: ClassFactory, students: int, limit_s: float) -> Figure:
    """Compare the programs of a class, all of which are different."""
    out = factory.scratch / "similar"
    folder = factory.various_submissions(students)
    book, results = factory.open_results(out)
    with book:
        book.record_paths([str(folder)])
        for one in find_submissions([folder], factory.spec):
            submission = read_submission(one, factory.spec)
            environment = GradingEnvironment("none", None)
            book.put(one.origin, one.name, not_graded(factory.spec, submission, environment, "only compared"))
        results.write_class(book.entries())
    command = [sys.executable, "-m", "grader", "similar", str(out), "--lab", factory.lab]
    took_s = factory.stopwatch.run(TimedCommand(command, environment=dict(os.environ))).cost.wall_s
    title = f"similar submissions among {students:,}"
    return Figure(title, f"{took_s:.1f} s", f"≤ {limit_s:.0f} s", took_s <= limit_s)


@click.command(context_settings={"help_option_names": ["-h", "--help"]})
@click.option(
    "--students",
    type=click.IntRange(min=2),
    default=40,
    show_default=True,
    help="Number of submissions to grade; larger classes have multiples.",
)
@click.option("--rounds", type=click.IntRange(min=1), default=1, show_default=True)
@click.option("--only", type=click.Choice(GROUPS), multiple=True, help="Measure these rows only; can be repeated.")
@click.option(
    "--write",
    "into_page",
    is_flag=True,
    help="Put the table into docs/benchmarks.md. With --only, its other rows stay.",
)
@click.option("--check", is_flag=True, help="Exit with 1 if a target is missed.")
@click.option("--lab", default="tr2", show_default=True, help="A lab that the grader knows, or the path of a spec.")
def command(  # noqa: PLR0913 - one parameter per option
    *, students: int, rounds: int, only: tuple[str, ...], into_page: bool, check: bool, lab: str
) -> None:
    """Measure and print a table, on a machine that does nothing else: about 15 s per submission and round.

    Exit status: 0; with --check, 1 if a target is missed; 2 for a wrong command line; 3 if something could not be
    measured.
    """
    scratch = Path(tempfile.mkdtemp(prefix="iolab-bench-"))
    try:
        with stopwatch_here() as stopwatch:
            factory = ClassFactory(load_spec(lab), lab, CHECKOUT / "examples" / "right", scratch, stopwatch)
            of_course = int(COURSE * students)
            measure: dict[str, Callable[[], Sequence[Figure]]] = {
                "grading": lambda: speed(factory, students, rounds, lambda text: click.echo(text, err=True)),
                "programs": lambda: [programs_alone(MeasuredLab(factory.spec, lab, factory.right, 1), scratch)],
                "unchanged": lambda: [unchanged_class(factory, of_course, 2)],
                "page": lambda: [class_page(factory, LARGE * students, 10)],
                "similar": lambda: [similar(factory, of_course, 30)],
                "rescore": lambda: [rescored_class(factory, of_course, 5)],
            }
            figures = [figure for group in GROUPS if group in (only or GROUPS) for figure in measure[group]()]
            _write(figures, factory, rounds, into_page=into_page, partly=bool(only))
    except (GraderError, OSError) as error:
        click.echo(f"bench: {error}", err=True)
        sys.exit(USAGE if isinstance(error, UsageError) else BROKEN)
    finally:
        shutil.rmtree(scratch)
    sys.exit(MISSED if check and any(figure.met is False for figure in figures) else 0)


def _write(figures: Sequence[Figure], factory: ClassFactory, rounds: int, *, into_page: bool, partly: bool) -> None:
    table = "\n".join([HEAD, *map(str, figures)])
    counted = "One round" if rounds == 1 else f"Medians of {rounds} rounds"
    notes = (
        f"{counted}, {factory.processors} processors; copies of examples/right, each with a comment of its own, in"
        " containers. The gradebook of a large class is filled with copies of one result."
    )
    click.echo(f"{table}\n\n{notes}")
    if into_page and partly:
        CLASS.write_rows([str(figure) for figure in figures])
    elif into_page:
        CLASS.write(table, notes)


if __name__ == "__main__":
    command()
