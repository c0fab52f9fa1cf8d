from __future__ import annotations

import os
import signal
import subprocess
import sys
import threading
import time
import uuid

import pytest

from tests.waits import join, killed_at_exit

from .conftest import identity_of
from .harness import DEADLINE_S, Bench, Running, Workshop, wait_until

LIMITS = ("--processes", "200", "--wall-s", "30")
BORN = 6  # of the seven that "stay-with-daemons 3" starts, wait for almost all

ACTS = {
    "daemons": ["daemons", 5],
    "bomb": ["leave-bomb", 0],
    "bomb with sessions": ["leave-bomb", 1],
}


@pytest.mark.parametrize("act", ACTS)
def test_what_a_program_leaves(bench: Bench, act: str) -> None:
    outcome = bench.run(bench.actor(*ACTS[act]), *LIMITS)
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert bench.left() == []


@pytest.mark.parametrize(
    ("program", "act", "number", "left"),
    [
        ("actor", "exit", 0, 0),
        ("actor", "daemons", 5, 10),
        ("evader", "abandoned", 1, 1),
        ("evader", "unwaited", 5, 0),
        ("evader", "orphan", 5, 0),
    ],
)
def test_what_still_runs_at_the_end_is_counted(bench: Bench, program: str, act: str, number: int, left: int) -> None:
    command = [str(bench.workshop.build(program)), act, str(number), bench.mark]
    outcome = bench.run(command, *LIMITS)
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert outcome.reported("left_processes") == left


@pytest.mark.slow
@pytest.mark.parametrize("act", ["fork-bomb", "shed-orphans"])
@pytest.mark.parametrize("own_sessions", [0, 1])
def test_bombs_end_at_the_wall_limit(bench: Bench, act: str, own_sessions: int) -> None:
    outcome = bench.run(bench.actor(act, own_sessions), "--processes", "200", "--wall-s", "0.5")
    assert outcome.ending == {"kind": "limit", "limit": "wall"}
    assert outcome.wall_s < 10
    assert bench.left() == []


def test_more_threads_than_tally_may_have_files(workshop: Workshop) -> None:
    """Each has numbers of its own to be read; who cannot be read is not counted, and ends like the others."""
    bench = Bench(workshop, identity_of("ordinary"), "filter", f"mark-{uuid.uuid4().hex}")
    beneath = ["/bin/sh", "-c", 'ulimit -n 32; exec "$@"', "sh"]
    outcome = bench.run(bench.actor("fork-some", 100), "--processes", "200", beneath=beneath)
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert not outcome.trace["complete"]
    assert bench.left() == []


def test_a_program_that_shoots_whoever_takes_its_uid(student: Bench) -> None:
    assert student.run(student.actor("shoot"), *LIMITS).ending == {"kind": "signalled", "signal": signal.SIGKILL}
    assert student.left() == []


def test_neighbours_of_another_uid_live_on(student: Bench) -> None:
    sleep = ["/bin/sleep", "1000"]
    with killed_at_exit(subprocess.Popen(sleep, user=student.identity.program_uid + 1)) as neighbour:
        student.run(student.actor("daemons", 3))
        assert neighbour.poll() is None


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGINT, signal.SIGHUP, signal.SIGQUIT])
def test_tally_is_told_to_end(bench: Bench, number: int) -> None:
    running = bench.start(bench.actor("stay-with-daemons", 3), *LIMITS)
    wait_until(lambda: bench.alive() != [])
    running.process.send_signal(number)
    assert running.finish().fault == {
        "step": "signal",
        "errno": 4,
        "message": f"tally was told to end by signal {int(number)}",
    }
    assert bench.left() == []


def test_tally_is_told_to_end_at_any_moment(student: Bench) -> None:
    for delay_ms in range(20):
        running = student.start(["/bin/sleep", "1000"])
        time.sleep(delay_ms / 2000)
        running.process.send_signal(signal.SIGTERM)
        outcome = running.finish()
        if outcome.status != -signal.SIGTERM:  # so early that there was nothing to tidy up
            assert outcome.fault["step"] == "signal"
        assert student.left() == []


def test_tally_is_killed(student: Bench) -> None:
    running = student.start(student.actor("stay-with-daemons", 3))
    wait_until(lambda: len(student.alive()) >= BORN)
    running.process.kill()
    outcome = running.finish()
    assert (outcome.status, outcome.report) == (-signal.SIGKILL, None)
    wait_until(lambda: student.left() == [])


@pytest.mark.slow
def test_the_group_of_tally_is_killed(student: Bench) -> None:
    beneath = [sys.executable, "-c", "import os, sys; os.setsid(); os.execv(sys.argv[1], sys.argv[1:])"]
    running = student.start(student.actor("stay-with-daemons", 3), beneath=beneath)
    wait_until(lambda: len(student.alive()) >= BORN)
    os.killpg(running.process.pid, signal.SIGKILL)
    running.finish()
    wait_until(lambda: student.left() == [])


def test_an_ordinary_tally_is_killed(ordinary: Bench) -> None:
    """Only the program itself is sure to go with it; the guest's sandbox has to end the rest."""
    running = ordinary.start(ordinary.actor("sleep-deaf", 1000))
    wait_until(lambda: ordinary.alive() != [])
    running.process.kill()
    running.finish()
    wait_until(lambda: ordinary.left() == [])


PARENT = """
import subprocess, sys
with subprocess.Popen(sys.argv[2:], pass_fds=[int(sys.argv[1])]):
    pass
"""


def test_the_parent_of_tally_is_killed(student: Bench) -> None:
    report_read, report_write = os.pipe()
    command = [student.workshop.tally(), "--report-fd", report_write, "--mode", student.mode]
    words = [*command, *student.identity.options, "--", *student.actor("stay-with-daemons", 3)]
    parent = subprocess.Popen(
        [sys.executable, "-c", PARENT, str(report_write), *map(str, words)], pass_fds=[report_write]
    )
    os.close(report_write)
    wait_until(lambda: len(student.alive()) >= BORN)
    parent.kill()
    parent.wait(DEADLINE_S)
    with os.fdopen(report_read, "rb") as channel:  # at the end of file tally has ended too
        assert b'"fault":{"step":"parent"' in channel.read()
    assert student.left() == []


def test_only_the_thread_that_started_tally_has_ended(bench: Bench) -> None:
    started: list[Running] = []
    thread = threading.Thread(target=lambda: started.append(bench.start(["/bin/sleep", "0.5"])))
    thread.start()
    join(thread)
    assert started[0].finish().ending == {"kind": "exited", "code": 0}


def test_a_parent_that_ignores_its_children(plain_bench: Bench) -> None:
    """SIGCHLD ignored is inherited, and would have the kernel reap the program unseen."""
    beneath = ["/bin/sh", "-c", 'trap "" CHLD PIPE; exec "$@"', "sh"]
    outcome = plain_bench.run(plain_bench.actor("exit", 7), beneath=beneath)
    assert outcome.ending == {"kind": "exited", "code": 7}
