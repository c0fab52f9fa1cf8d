from __future__ import annotations

import errno
import os
import re
import signal
import subprocess
from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from tests.waits import killed_at_exit

from .harness import DEADLINE_S, FAULT_STATUS, ROOT, STUDENT, Bench, wait_until

SIZES = [0, 1, 4096]


@dataclass(frozen=True)
class Traced:
    """strace above tally --exec, the way the guest runs them."""

    bench: Bench
    strace: str
    log: Path

    def command(self, program: Sequence[str | Path], *options: str) -> list[str | Path]:
        tally: list[str | Path] = [self.bench.workshop.tally(), "--exec", *self.bench.identity.options, *options]
        return [self.strace, "-f", "-o", self.log, *tally, "--", *program]

    def run(
        self, program: Sequence[str | Path], *options: str, stdin: bytes = b""
    ) -> subprocess.CompletedProcess[bytes]:
        command = self.command(program, *options)
        return subprocess.run(command, input=stdin, capture_output=True, check=False, timeout=DEADLINE_S)

    def own_calls(self) -> list[str]:
        """Return the program's calls: those after the second execve, as the first is tally's."""
        text = self.log.read_text()
        assert text.count("execve(") == 2
        return text.rsplit("execve(", 1)[1].splitlines()[1:]


@pytest.fixture
def traced(natural: Bench, strace: str, tmp_path: Path) -> Traced:
    return Traced(natural, strace, tmp_path / "log")


@pytest.mark.parametrize("size_bytes", SIZES)
def test_every_call_is_in_the_log(traced: Traced, size_bytes: int) -> None:
    data = b"a" * size_bytes
    done = traced.run([traced.bench.workshop.build("copy")], stdin=data)
    assert (done.returncode, done.stdout, done.stderr) == (0, data, b"")
    calls = traced.own_calls()
    reads = [call for call in calls if re.match(r"\d+ +read\(0, ", call)]
    writes = [call for call in calls if re.match(r"\d+ +write\(1, ", call)]
    assert len(reads) == size_bytes + 1
    assert len(writes) == size_bytes
    assert all(re.search(r", 1\) += [01]$", call) for call in reads + writes)


def test_the_uid_is_dropped(traced: Traced) -> None:
    if not traced.bench.identity.options:
        pytest.skip("an ordinary tally keeps its uid")
    assert traced.run(["/usr/bin/id", "-u"]).stdout == b"%d\n" % STUDENT
    assert traced.run(["/usr/bin/id", "-G"]).stdout == b"%d\n" % STUDENT
    ways = traced.run(traced.bench.actor("regain")).stdout.decode().split()
    assert ways[1::2] == [str(errno.EPERM)] * 5


def test_the_same_steps_are_taken(traced: Traced) -> None:
    assert traced.run(traced.bench.actor("descriptors")).stdout == b"0\n1\n2\n"
    expected = f"umask 77\nsession 1\npdeathsig {int(signal.SIGKILL)}\n"
    assert traced.run(traced.bench.actor("inheritance")).stdout.decode() == expected
    assert traced.run(["/bin/pwd"], "--cwd", "/usr").stdout == b"/usr\n"
    assert traced.run(["/bin/sh", "-c", "echo $0"], "--argv0", "./copy").stdout == b"./copy\n"


@pytest.mark.parametrize("code", [0, 7])
def test_exit_code(traced: Traced, code: int) -> None:
    assert traced.run(traced.bench.actor("exit", code)).returncode == code


def test_limits(traced: Traced) -> None:
    most, streams = 20, 3
    done = traced.run(traced.bench.actor("open-files", 99), "--open-files", str(most))
    assert int(done.stdout) == most - streams
    assert traced.run(traced.bench.actor("spin"), "--cpu-s", "1").returncode == -signal.SIGXCPU


def test_a_missing_program(traced: Traced) -> None:
    done = traced.run(["/nonexistent"])
    assert done.returncode == FAULT_STATUS
    assert done.stderr == f"tally: execve: {os.strerror(errno.ENOENT)} (errno {errno.ENOENT})\n".encode()


def test_a_step_that_fails(ordinary: Bench) -> None:
    outcome = ordinary.run_bare("--exec", "--uid", STUDENT, "--gid", STUDENT, "--", "/bin/true")
    assert outcome.status == FAULT_STATUS
    assert outcome.stderr == f"tally: setgroups: {os.strerror(errno.EPERM)} (errno {errno.EPERM})\n".encode()


def test_the_program_ends_with_its_tracer(traced: Traced) -> None:
    """strace alone would let it go on, untraced."""
    bench = traced.bench
    with killed_at_exit(subprocess.Popen(traced.command(bench.actor("sleep-deaf", 1000)))):
        wait_until(lambda: traced.log.exists() and traced.log.read_text().count("execve(") == 2)
    wait_until(lambda: bench.left() == [])


@pytest.fixture
def beneath_tally(traced: Traced) -> Bench:
    """As the guest runs it: a tally with root's uid for the wall limit, strace, a tally for the student's uid."""
    if not traced.bench.identity.options:
        pytest.skip("the chain is for a student's uid")
    return replace(traced.bench, identity=ROOT)


def test_beneath_tally(traced: Traced, beneath_tally: Bench) -> None:
    chain = traced.command([traced.bench.workshop.build("copy")])
    outcome = beneath_tally.run(chain, "--no-guard", "--wall-s", "30")
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert len([call for call in traced.own_calls() if " read(0, " in call]) == 1


@pytest.mark.parametrize("act", [["daemons", 3], ["fork-bomb", 0], ["fork-bomb", 1], ["shed-orphans", 1]])
def test_the_wall_limit_ends_the_whole_chain(traced: Traced, beneath_tally: Bench, act: list[object]) -> None:
    """The outer tally has no uid to kill; and without strace, which ends first, all of them would run on."""
    chain = replace(traced, log=Path("/dev/null")).command(traced.bench.actor(*act), "--processes", "100")
    outcome = beneath_tally.run(chain, "--no-guard", "--wall-s", "1")
    assert outcome.ending == {"kind": "limit", "limit": "wall"}  # strace waits for the daemons
    assert traced.bench.left() == []
