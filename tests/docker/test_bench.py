"""The bench from end to end, with a lab so small that its figures mean nothing."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Callable, Mapping
from pathlib import Path

import pytest
from docker import DockerClient

from grader.sandbox.base import Sandbox
from grader.sandbox.container import LABEL
from grader.sandbox.docker import DockerSandbox
from tests.contract.containers import wait_until
from tests.waits import ENDS_S

pytestmark = [pytest.mark.docker, pytest.mark.slow, pytest.mark.timeout(1800)]

CHECKOUT = Path(__file__).parents[2]
CASES = ("random-5m", "pattern-5m", "other-size")
MEASURED = {
    *(f"{program} {way}" for program in ("tr2b", "tr2u") for way in ("plain", "account", "filter")),
    *(f"{program} strace {way}" for program in ("tr2b", "tr2u") for way in ("pinned", "unpinned")),
    *(f"{program} alone {case}" for program in ("tr2b", "tr2u") for case in CASES),
    *("alone", "grading", "grading process", "around", "naive"),
}


CLASS_ROWS = [
    "2 submissions, one at a time",
    f"2 submissions, {len(os.sched_getaffinity(0))} at a time",
    "one at a time ÷ one a processor",
    "memory of the grader, 50 in the gradebook",
    "the same of the programs alone",
    "a second run over 15 unchanged submissions",
    "index.html and tables of 50 results",
    "similar submissions among 15",
    "rescoring of 15 results with other points, pages included",
]

SCALED = ("strace", "naive", "around")
"""Words in the names of the costs that are computed from others."""


def left(client: DockerClient) -> set[object]:
    """Return the containers and volumes of benches."""
    wanted: dict[str, str | list[str] | bool] = {"label": f"{LABEL}=bench"}
    return {
        *client.containers.list(all=True, filters=wanted, ignore_removed=True),
        *client.volumes.list(filters=wanted),
    }


@pytest.mark.rare
def test_a_class_is_measured(
    small_grading: Callable[[Sandbox], object],
    docker_sandbox: DockerSandbox,
    small_file: Path,
    environment: Mapping[str, str],
) -> None:
    assert small_grading(docker_sandbox), "the reference is in the cache"
    done = subprocess.run(
        [sys.executable, "-m", "bench.classes", "--students", "2", "--lab", str(small_file)],
        env=environment,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    rows = [line for line in done.stdout.splitlines() if line.startswith("| ")]
    titles = [row.split("|")[1].strip() for row in rows[2:]]
    assert titles == CLASS_ROWS
    # The only figure that does not depend on how fast this machine is.
    assert next(row for row in rows if "memory of the grader" in row).endswith("| yes |"), done.stdout


def test_a_round_measures_everything_and_leaves_nothing(  # noqa: PLR0913, PLR0917 - fixtures
    small_grading: Callable[[Sandbox], object],
    docker_sandbox: DockerSandbox,
    client: DockerClient,
    small_file: Path,
    environment: Mapping[str, str],
    tmp_path: Path,
) -> None:
    assert small_grading(docker_sandbox), "the reference is in the cache"
    # A bench that was killed may have left containers and volumes on this machine.
    before = left(client)
    figures = tmp_path / "figures.json"
    options = ["--rounds", "1", "--lab", str(small_file), "--part-bytes", "4000", "--idle-s", "0.1"]
    done = subprocess.run(
        [sys.executable, "-m", "bench", *options, "--json", str(figures)],
        env=environment,
        cwd=CHECKOUT,
        capture_output=True,
        text=True,
        timeout=600,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    (one_round,) = json.loads(figures.read_bytes())["rounds"]
    assert set(one_round) == MEASURED
    # Scaled costs are on a line through two short runs: on a busy machine it may slope down.
    measured = {key: cost for key, cost in one_round.items() if not any(word in key for word in SCALED)}
    assert len(measured) == len(MEASURED) - 6
    assert all(cost["wall_s"] > 0 for cost in measured.values())
    assert "grading one submission" in done.stdout
    wait_until(lambda: left(client) == before, ENDS_S)
    assert left(client) == before
