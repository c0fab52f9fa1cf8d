"""Grade the examples and the hostile submissions again and again, and watch that nothing grows (`make soak`).

Every round grades the whole class at the size of `grader check --quick`, in this one process, and prints a line. The
first rounds fill caches; after them memory, descriptors, threads, processes, containers, volumes, IPC objects and
temporary files must stay level. There are three rounds even if the time is over earlier: on two processors a round of
both sandboxes takes longer than ten minutes, most of which is waiting for programs that do not end.
"""

from __future__ import annotations

import gc
import os
import shutil
import sys
import tempfile
import threading
import time
from collections.abc import Sequence
from concurrent.futures import wait
from contextlib import ExitStack
from dataclasses import asdict, dataclass, fields
from pathlib import Path

import click
import docker

from grader.batch.workers import WorkerPool, local_backend
from grader.grading.setup import RunConfig
from grader.intake.reading import read_submission
from grader.intake.submissions import find_submissions
from grader.lab.find import load_lab
from grader.model.submission import Submission
from grader.sandbox.choose import SandboxChoice
from grader.sandbox.container import LABEL
from grader.sandbox.engine import connect
from grader.selfcheck.quick_lab import quick_form
from tests.hostile.class_folder import CLASSES, write_canary, write_class

WARM_UP_ROUNDS = 2
MEMORY_SLACK_KIB = 8192
"""Growth after the warm-up that does not count: the allocator keeps the memory of the largest report so far."""

DISK_SLACK_KIB = 65536
"""Other programs write to the same disk: logs, for instance."""

CHECKOUT = Path(__file__).parents[1]
KIB = 1024
POSIX_OBJECTS = ("/dev/shm", "/dev/mqueue")  # noqa: S108 - they are looked at, and nothing is put there
LEVEL, GROWN = 0, 1


@dataclass(frozen=True)
class Level:
    """What a round must leave as it was; the numbers of the whole machine include those of others."""

    memory_kib: int
    disk_kib: int
    descriptors: int
    threads: int
    children: int
    containers: int
    volumes: int
    ipc_objects: int
    temporary_files: int

    def growth(self, before: Level) -> dict[str, int]:
        """Return what grew by more than its slack, and by how much."""
        slack = {"memory_kib": MEMORY_SLACK_KIB, "disk_kib": DISK_SLACK_KIB}
        grown = {field.name: getattr(self, field.name) - getattr(before, field.name) for field in fields(self)}
        return {name: amount for name, amount in grown.items() if amount > slack.get(name, 0)}


@click.command()
@click.argument("paths", nargs=-1, type=click.Path(path_type=Path, exists=True))
@click.option("--minutes", type=click.FloatRange(min=0), default=10.0, show_default=True)
@click.option(
    "--sandbox", "kinds", multiple=True, type=click.Choice(["docker", "local"]), default=("docker", "local")
)
def command(paths: tuple[Path, ...], minutes: float, kinds: tuple[SandboxChoice, ...]) -> None:
    """Grade the submissions at PATHS in each sandbox until the time is over; exit with 1 if something grew.

    Without PATHS, these are the examples and the hostile submissions of the tests.
    """
    spec, files = load_lab("tr2")
    spec = quick_form(spec)
    with tempfile.TemporaryDirectory() as folder:
        if not paths:
            canary = write_canary(Path(folder, "canary"))
            for place in CLASSES:
                write_class(Path(folder, place.name), canary, place)
            paths = (CHECKOUT / "examples", *(Path(folder, place.name) for place in CLASSES))
        submissions = [read_submission(found, spec) for found in find_submissions(paths, spec)]
    end = time.monotonic() + minutes * 60
    client = connect() if "docker" in kinds else None
    with ExitStack() as stack:
        pools: list[WorkerPool] = []
        for kind in kinds:
            backend = stack.enter_context(local_backend(RunConfig(spec, files, kind), None, click.echo))
            pools.append(backend.start(len(submissions), lambda _name, _event: None))
            stack.callback(pools[-1].executor.shutdown)
        levels: list[Level] = []
        while time.monotonic() < end or len(levels) <= WARM_UP_ROUNDS:
            graded = sum(_grade_all(pool, submissions) for pool in pools)
            levels.append(_level(client))
            shown = "  ".join(f"{name} {value:,}" for name, value in asdict(levels[-1]).items())
            click.echo(f"round {len(levels)}: {graded} of {len(submissions) * len(pools)} graded  {shown}")
    grown = levels[-1].growth(levels[WARM_UP_ROUNDS - 1])
    for name, amount in grown.items():
        click.echo(f"{name} grew by {amount:,} since round {WARM_UP_ROUNDS}", err=True)
    sys.exit(GROWN if grown else LEVEL)


def _grade_all(pool: WorkerPool, submissions: Sequence[Submission]) -> int:
    """Grade each submission and return how many were graded."""
    futures = [pool.executor.submit(pool.work, submission) for submission in submissions]
    wait(futures)
    reports = [future.result().report for future in futures]
    for report in reports:
        if report.status != "graded":
            click.echo(f"{report.submission.name} was not graded: {report.reason}", err=True)
    return sum(report.status == "graded" for report in reports)


def _level(client: docker.DockerClient | None) -> Level:
    gc.collect()
    containers = client.containers.list(all=True, sparse=True, filters={"label": LABEL}) if client else ()
    volumes = client.volumes.list() if client else ()
    pid = os.getpid()
    return Level(
        memory_kib=int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") // KIB,
        disk_kib=shutil.disk_usage(tempfile.gettempdir()).used // KIB,
        descriptors=_entries("/proc/self/fd"),
        threads=threading.active_count(),
        children=len(Path(f"/proc/{pid}/task/{pid}/children").read_text().split()),
        containers=len(containers),
        volumes=len(volumes),
        ipc_objects=_ipc_objects(),
        temporary_files=_entries(tempfile.gettempdir(), f"{LABEL}-*"),
    )


def _ipc_objects() -> int:
    """Return how many System V objects, POSIX queues, and POSIX memory objects and semaphores this machine has."""
    system_v = sum(len(Path("/proc/sysvipc", kind).read_text().splitlines()) - 1 for kind in ("shm", "sem", "msg"))
    return system_v + sum(map(_entries, POSIX_OBJECTS))


def _entries(folder: str, pattern: str = "*") -> int:
    return sum(1 for _ in Path(folder).glob(pattern))


if __name__ == "__main__":
    command()
