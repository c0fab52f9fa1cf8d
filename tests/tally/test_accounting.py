from __future__ import annotations

import os
import re
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from .harness import DEADLINE_S, Bench, switches

SIZES = [0, 1, 4096, 8193]


def make_input(folder: Path, size_bytes: int) -> Path:
    path = folder / "input"
    path.write_bytes(bytes(index % 251 for index in range(size_bytes)))
    return path


def conforming(size_bytes: int) -> dict[str, int]:
    """Return what copying one byte a call takes: the last read finds the end."""
    return {"reads": size_bytes + 1, "writes": size_bytes, "read_bytes": size_bytes, "written_bytes": size_bytes}


@pytest.mark.parametrize("size_bytes", SIZES)
@pytest.mark.parametrize("sink", ["file", "pipe"])
def test_a_static_copy(account_bench: Bench, size_bytes: int, sink: str) -> None:
    folder = account_bench.folder()
    source = make_input(folder, size_bytes)
    copy = account_bench.workshop.build("copy", "-static")
    with source.open("rb") as stdin, (folder / "output").open("wb") as output:
        outcome = account_bench.run([copy], stdin=stdin, stdout=output if sink == "file" else subprocess.PIPE)
    copied = (folder / "output").read_bytes() if sink == "file" else outcome.stdout
    assert copied == source.read_bytes()
    assert outcome.accounting == conforming(size_bytes)


@pytest.mark.parametrize("size_bytes", SIZES)
@pytest.mark.parametrize("sink", ["file", "pipe"])
@pytest.mark.parametrize("mode", ["account", "filter"])
def test_a_dynamic_copy_against_strace(natural: Bench, strace: str, mode: str, size_bytes: int, sink: str) -> None:
    """The dynamic loader reads too, differently on different systems; strace sees how often."""
    folder = natural.folder()
    source, log = make_input(folder, size_bytes), folder / "log"
    copy = natural.workshop.build("copy")
    with source.open("rb") as stdin, (folder / "output").open("wb") as output:
        stdout = output if sink == "file" else subprocess.PIPE
        totals = replace(natural, mode=mode).run([copy], stdin=stdin, stdout=stdout).accounting
    chain: list[str | Path] = [strace, "-f", "-o", log, natural.workshop.tally(), "--exec", *natural.identity.options]
    with source.open("rb") as stdin:
        subprocess.run([*chain, "--", copy], stdin=stdin, stdout=subprocess.DEVNULL, check=True, timeout=DEADLINE_S)
    calls = log.read_text().rsplit("execve(", 1)[1].splitlines()
    reads = [call for call in calls if re.match(r"\d+ +(read|pread64)\(", call)]
    writes = [call for call in calls if re.match(r"\d+ +write\(", call)]
    assert len(writes) == size_bytes
    assert totals == {
        "reads": len(reads),
        "writes": len(writes),
        "read_bytes": sum(int(call.rsplit("= ", 1)[1]) for call in reads),
        "written_bytes": size_bytes,
    }


COUNTED = ["count-writes", "count-then-die", "count-undumpable", "count-in-child", "count-in-thread"]


@pytest.mark.parametrize("act", COUNTED)
@pytest.mark.parametrize("calls", [0, 1, 1000])
def test_writes_are_counted(account_bench: Bench, act: str, calls: int) -> None:
    accounting = account_bench.run(account_bench.actor(act, calls)).accounting
    assert accounting is not None
    assert (accounting["writes"], accounting["written_bytes"]) == (calls, 0)


def test_writes_are_counted_across_a_second_exec(account_bench: Bench) -> None:
    calls = 100
    outcome = account_bench.run(account_bench.actor("count-after-exec", calls))
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert outcome.accounting is not None
    assert outcome.accounting["writes"] == 2 * calls


def test_calls_are_counted_up_to_the_wall_limit(account_bench: Bench) -> None:
    reading, writing = os.pipe()
    with os.fdopen(reading, "rb"), os.fdopen(writing, "wb", buffering=0) as feed:
        feed.write(b"abc")
        copy = account_bench.workshop.build("copy", "-static")
        outcome = account_bench.run([copy], "--wall-s", "1", stdin=reading)
    assert outcome.ending == {"kind": "limit", "limit": "wall"}
    assert outcome.accounting == conforming(len(b"abc"))  # the last read is the one that the kill interrupted


def test_a_file_that_its_own_uid_cannot_read_is_not_accounted_for(account_bench: Bench) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can make a file that another uid may run and not read")
    path = account_bench.folder() / "program"
    path.write_bytes(account_bench.workshop.build("copy").read_bytes())
    path.chmod(0o711)
    outcome = account_bench.run([path])
    assert (outcome.ending, outcome.accounting) == ({"kind": "exited", "code": 0}, None)


def test_plain_mode_does_not_account(plain_bench: Bench) -> None:
    assert plain_bench.run(plain_bench.actor("exit")).accounting is None


@pytest.mark.parametrize("mode", ["plain", "account"])
def test_no_tracer_is_seen(plain_bench: Bench, mode: str) -> None:
    bench = replace(plain_bench, mode=mode)
    assert bench.run(["/bin/grep", "TracerPid", "/proc/self/status"]).stdout.split() == [b"TracerPid:", b"0"]


def test_accounting_stops_at_no_call(plain_bench: Bench) -> None:
    size_bytes = 100_000
    source, bench = make_input(plain_bench.folder(), size_bytes), replace(plain_bench, mode="account")
    before = switches()
    with source.open("rb") as stdin:
        outcome = bench.run([bench.workshop.build("copy", "-static")], stdin=stdin, stdout=subprocess.DEVNULL)
    assert outcome.accounting == conforming(size_bytes)
    assert switches() - before < size_bytes / 100


UNWAITED_BYTES = 4000


@pytest.mark.parametrize("way", ["unwaited", "orphan"])
def test_processes_that_nobody_waits_for_count_for_the_program(account_bench: Bench, way: str) -> None:
    evader = account_bench.workshop.build("evader")
    outcome = account_bench.run([evader, way, str(UNWAITED_BYTES), account_bench.mark], "--wall-s", "30")
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert outcome.accounting is not None
    assert (outcome.accounting["writes"], outcome.accounting["written_bytes"]) == (UNWAITED_BYTES, UNWAITED_BYTES)


def test_so_does_their_time(bench: Bench) -> None:
    evader = bench.workshop.build("evader")
    outcome = bench.run([evader, "abandoned", "30", bench.mark], "--wall-s", "30")
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert 0.29 < outcome.cpu_s < 0.6
    assert bench.left() == []
