"""`grader gradescope try ZIP SUBMISSION`."""

from __future__ import annotations

import json
from collections.abc import Sequence
from contextlib import closing
from datetime import datetime, timedelta, timezone
from pathlib import Path
from typing import Any

import click
from docker.errors import DockerException
from docker.utils import parse_bytes
from rich.console import Console

from grader.atomic_write import write_atomic
from grader.cli.common import message_printer, print_message
from grader.cli.exit_status import BROKEN, OK
from grader.cli.targets import require_target
from grader.errors import UsageError
from grader.gradescope.results.student_view import student_view
from grader.gradescope.simulator.image import build
from grader.gradescope.simulator.metadata import metadata, previous_submission
from grader.gradescope.simulator.outcome import SimulatedRun
from grader.gradescope.simulator.run import CPUS, MEMORY, TIMEOUT_S, run
from grader.gradescope.simulator.submission import read_files
from grader.render.text.escape import one_line
from grader.sandbox.engine import BASE_IMAGE, connect

MIB = 1 << 20
LONGEST_S = 2400
"""The longest time limit of the platform."""

MISTAKES_SHOWN = 10
_FILE = click.Path(path_type=Path)
_THERE = click.Path(path_type=Path, exists=True)


@click.command("try")
@click.argument("upload", metavar="ZIP", type=_THERE)
@click.argument("submission", metavar="SUBMISSION", type=_THERE)
@click.option(
    "--timeout",
    metavar="S",
    type=click.IntRange(1, LONGEST_S),
    default=TIMEOUT_S,
    show_default=True,
    help="Seconds that a run may take.",
)
@click.option(
    "--cpus",
    metavar="N",
    type=click.FloatRange(min=0.01),
    default=CPUS,
    show_default=True,
    help="Processors, or a part of one.",
)
@click.option(
    "--memory", metavar="BYTES", default=MEMORY, show_default=True, help="Bytes, or a number with k, m or g."
)
@click.option("--base", metavar="IMAGE", default=BASE_IMAGE, show_default=True, help="The base image.")
@click.option("--results", metavar="FILE", type=_FILE, help="Write the results.json of the zip to this file.")
@click.option(
    "--previous",
    metavar="FILE",
    type=_FILE,
    multiple=True,
    help="results.json of an earlier submission. Can be repeated, the oldest first.",
)
def command(  # noqa: PLR0913 - one parameter per option
    *,
    upload: Path,
    submission: Path,
    timeout: int,
    cpus: float,
    memory: str,
    base: str,
    results: Path | None,
    previous: tuple[Path, ...],
) -> int:
    """Run an autograder zip on a submission as Gradescope would, on this machine, with Docker.

    SUBMISSION is a folder or an archive. The command prints what the student would see. The zip's setup.sh runs once,
    with the network. Submissions run without it, unlike on the platform.

    The image of the zip, about 350 MB, stays for the next submission. To remove all such images:

    \b
      docker image prune --all --filter label=iolab-grader.image=gradescope

    Exit status: 0 if the zip wrote a results.json in time that the platform accepts, whatever the score, otherwise 3.
    """  # noqa: D301 - the escape is the character by which click leaves lines as they are
    console, notify = Console(), message_printer()
    if results is not None:
        require_target("--results", results)
    limit_bytes, packed = _bytes(memory), _read(upload)
    # The run reads it again and reports what is left out. Here any error is found before an image is built.
    read_files(submission, lambda _text: None)
    now = datetime.now(timezone.utc)
    about = metadata(now, previous=_previous(previous, now))
    with closing(connect()) as client:
        image = build(packed, base=base, client=client, notify=notify)
        outcome = run(image, submission, notify=notify, metadata=about, timeout_s=timeout, cpus=cpus, memory=memory)
    if outcome.results is not None and not outcome.mistakes:
        console.print(student_view(outcome.results, outcome.stdout), crop=False)
    for line in _details(outcome, limit_bytes):
        print_message(console, one_line(line))
    if results is not None and outcome.raw is not None:
        write_atomic(results, outcome.raw)
    elif results is not None:
        notify(f"{results} was not written, as there is no results.json")
    return BROKEN if outcome.problem else OK


def _details(outcome: SimulatedRun, limit_bytes: int) -> Sequence[str]:
    peak = outcome.peak_memory_bytes
    used = "unknown" if peak is None else f"{peak / MIB:.0f} of {limit_bytes / MIB:.0f} MiB"
    left = len(outcome.mistakes) - MISTAKES_SHOWN
    return [
        "",
        f"{outcome.wall_s:.1f} s; peak memory {used}, with cached files",
        *(f"wrong: {mistake}" for mistake in outcome.mistakes[:MISTAKES_SHOWN]),
        *([f"wrong: {left} more"] if left > 0 else []),
        *(f"warning: {warning}" for warning in outcome.warnings),
        *([f"NO GRADE: {outcome.problem}"] if outcome.problem else []),
    ]


def _bytes(memory: str) -> int:
    words = f"--memory {memory!r} is not a number of bytes; 768m is one"
    try:
        size_bytes = int(parse_bytes(memory))
    except (DockerException, ValueError, OverflowError) as error:
        raise UsageError(words) from error
    if size_bytes <= 0:
        # An engine would take this for no limit at all.
        raise UsageError(words)
    return size_bytes


def _read(path: Path) -> bytes:
    try:
        return path.read_bytes()
    except OSError as error:
        raise UsageError(f"{path} cannot be read: {error.strerror}") from error


def _previous(paths: Sequence[Path], now: datetime) -> list[dict[str, Any]]:
    """Return earlier submissions, an hour apart."""
    found = []
    for hours, path in zip(range(len(paths), 0, -1), paths, strict=True):
        try:
            results = json.loads(_read(path))
        except (ValueError, RecursionError) as error:
            raise UsageError(f"{path} is not JSON: {error}") from error
        if not isinstance(results, dict):
            raise UsageError(f"{path} is not a results.json: it is not an object")
        found.append(previous_submission(results, now - timedelta(hours=hours)))
    return found
