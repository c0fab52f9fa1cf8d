"""A class, killed again and again, or graded by workers of which one is lost: the end is the same."""

from __future__ import annotations

import os
import random
import signal
import socket
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest
from docker import DockerClient

from grader.batch.gradebook_file import open_results
from grader.model.report import Report
from grader.sandbox.container import LABEL
from tests.contract.containers import GRADED_S, Stage, wait_until
from tests.waits import ENDS_S

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(2400)]

KINDS = ("right", "does-not-compile", "stops-at-0xff", "block-reads")
STUDENTS = 4
KILLS = 3
DOCKER = ("--sandbox", "docker")


def hand_in(stage: Stage, students: int) -> None:
    for number in range(students):
        stage.example(KINDS[number % len(KINDS)], f"student-{number:02}")


def timeless(report: Report) -> Report:
    """A report without what differs between two runs."""
    checks = [
        check.model_copy(update={"evidence": None, "message": ""}) if check.name == "timing" else check
        for check in report.checks
    ]
    return report.model_copy(update={"timing": (), "reference": None, "checks": tuple(checks)})


def gradebook(out: Path) -> dict[str, tuple[object, ...]]:
    """What a gradebook says about each submission, except times."""
    with open_results(out) as book:
        reports = {report.submission.name: report for report in book.reports()}
        return {
            entry.name: (
                entry.origin,
                entry.earlier_score,
                entry.last_error,
                entry.report.score,
                entry.report.causes,
                [(check.id, check.status, check.points) for check in timeless(reports[entry.name]).checks],
                [
                    (table.program, table.input, table.sink, table.stdin, table.stdout)
                    for table in entry.report.syscalls
                ],
            )
            for entry in book.entries()
        }


def started_containers(client: DockerClient, before: Sequence[str]) -> list[str]:
    """The graders' containers that were not there before.

    Without those that were never started. A grader leaves one if it is killed between creating and starting it, and
    a later grader removes it after an hour (test_nothing_left.py).
    """
    found = client.containers.list(all=True, sparse=True, filters={"label": LABEL})
    return [str(one.id) for one in found if one.id not in before and one.attrs["State"] != "created"]


def test_killed_at_random_moments_it_goes_on_and_ends_like_an_undisturbed_run(
    stage: Stage, client: DockerClient
) -> None:
    hand_in(stage, STUDENTS)
    before = started_containers(client, ())
    assert stage.grade(stage.submissions, "undisturbed", *DOCKER).wait(GRADED_S) == 0
    chance = random.Random(20261121)  # noqa: S311 - the same each time
    results = [killed(stage, after=chance.choice((0, 1, 1)), then_s=chance.uniform(0, 1.5)) for _ in range(KILLS)]
    assert stage.grade(stage.submissions, "killed", *DOCKER).wait(GRADED_S) == 0
    assert sum(results) >= STUDENTS // 4, "few results came from runs that were killed"
    assert gradebook(stage.folder / "killed") == gradebook(stage.folder / "undisturbed")
    assert_gone(client, started_containers(client, before))


def assert_gone(client: DockerClient, made: Sequence[str]) -> None:
    """Hold that these containers are gone in a moment; other tests may make others meanwhile."""

    def left() -> list[str]:
        return [name for name in started_containers(client, ()) if name in made]

    wait_until(lambda: not left(), ENDS_S)
    assert left() == []


def killed(stage: Stage, after: int, then_s: float) -> int:
    """Grade, kill the grader some time after so many results, and return how many it had graded."""
    process = stage.grade(stage.submissions, "killed", *DOCKER)

    def graded_so_far() -> int:
        return sum(line.startswith("student-") for line in stage.said("killed").splitlines())

    wait_until(lambda: graded_so_far() >= after or process.poll() is not None, GRADED_S)
    try:
        process.wait(then_s)
    except subprocess.TimeoutExpired:
        os.kill(process.pid, signal.SIGKILL)
        process.wait(ENDS_S)
    return graded_so_far()


@contextmanager
def dask_cluster(stage: Stage, workers: int) -> Iterator[tuple[str, list[subprocess.Popen[bytes]]]]:
    """A scheduler and workers on this machine, without nannies that would start a lost one again."""
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        address = f"tcp://127.0.0.1:{free.getsockname()[1]}"
    dask = [sys.executable, "-m", "dask"]
    port = address.rpartition(":")[2]
    commands = [
        [*dask, "scheduler", "--host", "127.0.0.1", "--port", port, "--no-dashboard"],
        *([*dask, "worker", address, "--no-nanny", "--nthreads", "1", "--no-dashboard"] for _ in range(workers)),
    ]
    with (stage.folder / "dask.log").open("wb") as log:
        processes = [
            subprocess.Popen(command, cwd=stage.folder, env=stage.environment, stdout=log, stderr=log)
            for command in commands
        ]
    try:
        yield address, processes[1:]
    finally:
        for process in processes:
            process.kill()
            process.wait(ENDS_S)


def test_two_workers_of_which_one_is_killed_grade_every_submission_once(stage: Stage, client: DockerClient) -> None:
    hand_in(stage, STUDENTS)
    before = started_containers(client, ())
    assert stage.grade(stage.submissions, "here", *DOCKER).wait(GRADED_S) == 0
    with dask_cluster(stage, 2) as (address, workers):
        process = stage.grade(stage.submissions, "cluster", "--cluster", address)
        assert wait_until(lambda: "student-" in stage.said("cluster"), GRADED_S), stage.said("cluster")
        os.kill(workers[0].pid, signal.SIGKILL)
        assert process.wait(GRADED_S) == 0, stage.said("cluster")
    assert gradebook(stage.folder / "cluster") == gradebook(stage.folder / "here")
    lines = [line.split()[0] for line in stage.said("cluster").splitlines() if line.startswith("student-")]
    assert sorted(lines) == [f"student-{number:02}" for number in range(STUDENTS)]
    assert_gone(client, started_containers(client, before))
