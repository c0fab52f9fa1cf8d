"""What a run leaves for later runs: nothing, in the same guest and in the next."""

from __future__ import annotations

import os
import random
import subprocess
from pathlib import Path

import pytest

from grader.sandbox.base import Sandbox
from tests.waits import ENDS_S

from .harness import GCC, PROGRAMS, SUCCESS, Exercise, source, step

ALWAYS_THERE = {"shm", "sem", "msg", "/tmp", "/dev/shm", ".", "socket"}  # noqa: S108 - names of channels
"""Channels of every machine; a POSIX queue needs room in what root may have, and some folders may be missing."""


PROCESSES = 40
"""Processes that programs/counters.c starts."""


def some_note() -> str:
    """Return a number that names the places of a note, so that nobody else's are found."""
    return str(random.SystemRandom().randrange(1 << 20, 1 << 30))


def exercise(*acts: str, note: str) -> Exercise:
    """Have the program act several times, in one guest, with and without a tracer."""
    engines = ("plain", "strace", "filter", "account")
    runs = tuple(step(f"{act}-{engine}", "messenger", act, note, engine=engine) for act in acts for engine in engines)
    return Exercise(runs, {"messenger": source("messenger")})


def test_notes_are_found_where_nothing_stops_them(tmp_path: Path) -> None:
    """Without this the tests below would pass for a program that leaves nothing."""
    program, note = tmp_path / "messenger", some_note()
    subprocess.run([*GCC, "-o", program, PROGRAMS / "messenger.c"], check=True, timeout=ENDS_S)
    try:
        subprocess.run([program, "leave", note], cwd=tmp_path, check=True, timeout=ENDS_S)
        found = subprocess.run(
            [program, "find", note], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=ENDS_S
        )
    finally:
        subprocess.run([program, "remove", note], cwd=tmp_path, check=True, timeout=ENDS_S)
    assert set(found.stdout.splitlines()) >= ALWAYS_THERE
    nothing = subprocess.run(
        [program, "find", note], cwd=tmp_path, check=True, capture_output=True, text=True, timeout=ENDS_S
    )
    assert nothing.stdout in ("", "socket\n")


def test_a_run_leaves_no_note_for_another(sandbox: Sandbox) -> None:
    note = some_note()
    outcome = exercise("leave", "find", note=note).done_in(sandbox)
    for run in outcome.evidence.runs.values():
        assert (run.step, run.ending, run.stdout.data) == (run.step, SUCCESS, b"")
    later = exercise("find", note=note).done_in(sandbox)
    for run in later.evidence.runs.values():
        assert (run.step, run.ending, run.stdout.data) == (run.step, SUCCESS, b"")


def test_nothing_stays_on_the_machine(local_sandbox: Sandbox) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root sees everybody's objects")
    note = some_note()
    outcome = exercise("leave", note=note).done_in(local_sandbox)
    assert {run.ending for run in outcome.evidence.runs.values()} == {SUCCESS}
    for kind in ("shm", "sem", "msg"):
        assert note not in Path("/proc/sysvipc", kind).read_text(encoding="ascii"), "keys are shown in decimal"
    for folder in ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue"):  # noqa: S108 - looked into
        if Path(folder).is_dir():
            assert not [path for path in Path(folder).iterdir() if note in path.name]


@pytest.mark.docker
def test_numbers_of_a_guest_are_its_own(docker_sandbox: Sandbox) -> None:
    """Free blocks and inodes tell no run of another one, as the guest removes the files of a run."""

    def told(*acts: str) -> list[dict[str, int]]:
        runs = tuple(step(f"{number}", "counters", act) for number, act in enumerate(acts))
        outcome = Exercise(runs, {"counters": source("counters")}).done_in(docker_sandbox)
        lines = [(run.stdout.data or b"").decode().splitlines() for run in outcome.evidence.runs.values()]
        return [{name: int(number) for number, name in map(str.split, each)} for each in lines]

    (before,), (_, within), (after,) = told("tell"), told("use", "tell"), told("tell")
    pids = [numbers.pop("pid") for numbers in (before, within, after)]
    assert after == before
    assert within["blocks"] == before["blocks"]
    assert within["inodes"] == before["inodes"] - 1, "the folder of the run before"
    # They begin at one of 1,000 random numbers in each container, and so all three are equal once in a million times.
    assert len(set(pids)) > 1
