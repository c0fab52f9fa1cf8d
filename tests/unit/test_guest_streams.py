from __future__ import annotations

import base64
import errno
import hashlib
import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from grader.guest.launch import GuestError, Running
from grader.guest.own_time import OwnTime
from grader.guest.space import NoSpaceError
from grader.guest.streams import (
    INLINE_BYTES,
    PACKET_BYTES,
    Drain,
    Feeder,
    captured,
    head_of,
    open_packets,
    open_terminal,
    pump,
)
from tests.waits import ENDS_S

PIPE_BYTES = 65_536
SIZES = "import os\nwhile (data := os.read(0, 1 << 20)): os.write(1, b'%d ' % len(data))"
COPY = "import os\nwhile (data := os.read(0, 1 << 20)): os.write(1, data)"


@contextmanager
def running(code: str, stdin: int, stdout: int) -> Iterator[Running]:
    """Start Python instead of a supervised program; its report's descriptor closes when it ends."""
    report, held = os.pipe()
    command = [sys.executable, "-I", "-S", "-c", code]
    process = subprocess.Popen(command, stdin=stdin, stdout=stdout, pass_fds=(held,))
    for descriptor in (held, stdin, stdout):
        os.close(descriptor)
    try:
        yield Running(process, report, OwnTime())
    finally:
        process.kill()
        process.wait(ENDS_S)
        os.close(report)


def pumped(code: str, path: Path, feeder: Feeder, limit_bytes: int = 1 << 24, *, terminal: bool = False) -> Drain:
    ours, theirs = open_terminal() if terminal else os.pipe()
    drain = Drain(ours, str(path), limit_bytes)
    with running(code, feeder.read_end, theirs) as program:
        pump(program, feeder, drain)
    feeder.close()
    return drain


@pytest.mark.parametrize("size", [0, 1, INLINE_BYTES, INLINE_BYTES + 1, (1 << 20) + 1])
def test_an_output_is_described_and_travels_where_it_is_small(tmp_path: Path, size: int) -> None:
    data = os.urandom(size)
    (tmp_path / "out").write_bytes(data)
    described = captured(str(tmp_path / "out"))
    assert (described["size_bytes"], described["sha256"]) == (size, hashlib.sha256(data).hexdigest())
    expected = base64.b64encode(data).decode() if size <= INLINE_BYTES else None
    assert described["data"] == expected
    assert head_of(str(tmp_path / "out"), 10) == data[:10]


@pytest.mark.parametrize("chunk_bytes", [1, 5, 1000])
def test_reads_of_a_fed_pipe_come_short(tmp_path: Path, chunk_bytes: int) -> None:
    data = b"x" * (3 * chunk_bytes + 1)
    drain = pumped(SIZES, tmp_path / "out", Feeder(data, chunk_bytes))
    assert drain.closed
    assert (tmp_path / "out").read_text().split() == [str(chunk_bytes)] * 3 + ["1"]


def test_nothing_to_feed_is_an_end_at_once(tmp_path: Path) -> None:
    pumped(SIZES, tmp_path / "out", Feeder(b"", 5))
    assert (tmp_path / "out").read_bytes() == b""


def test_a_chunk_that_is_larger_than_both_pipes_holds_nobody_up(tmp_path: Path) -> None:
    data = os.urandom(8 * PIPE_BYTES)
    pumped(COPY, tmp_path / "out", Feeder(data, len(data)))
    assert (tmp_path / "out").read_bytes() == data


def test_a_program_that_does_not_read_ends_the_feeding(tmp_path: Path) -> None:
    feeder = Feeder(b"x" * 100, 10)
    pumped("pass", tmp_path / "out", feeder)
    assert not feeder.active


def test_a_terminal_passes_every_byte_on_unchanged(tmp_path: Path) -> None:
    data = bytes(range(256)) * 3 + b"\n\r\n\x03\x04\x1a"
    pumped("import os\nassert os.isatty(1)\n" + COPY, tmp_path / "out", Feeder(data, 1000), terminal=True)
    assert (tmp_path / "out").read_bytes() == data


@pytest.mark.parametrize("terminal", [False, True])
def test_a_flood_is_stopped_a_little_above_nothing_and_told(tmp_path: Path, *, terminal: bool) -> None:
    flood = "import os\nwhile True: os.write(1, b'x' * 1000)"
    drain = pumped(flood, tmp_path / "out", Feeder(b"", 1), limit_bytes=5000, terminal=terminal)
    assert drain.overflowed
    assert (tmp_path / "out").stat().st_size <= 5000


def test_exactly_the_limit_is_no_flood(tmp_path: Path) -> None:
    drain = pumped("print('x' * 4999)", tmp_path / "out", Feeder(b"", 1), limit_bytes=5000)
    assert not drain.overflowed
    assert (tmp_path / "out").stat().st_size == 5000


def test_something_that_outlives_its_program_and_holds_the_output_is_our_fault(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.guest.streams.LAST_BYTES_WAIT_S", 0.05)
    ours, theirs = os.pipe()
    keep = os.dup(theirs)
    drain = Drain(ours, str(tmp_path / "out"), 100)
    feeder = Feeder(b"", 1)
    with running("pass", feeder.read_end, theirs) as program, pytest.raises(GuestError, match="still holds"):
        pump(program, feeder, drain)
    drain.close()
    os.close(keep)


def test_a_read_that_fails_for_another_reason_is_not_taken_for_the_end(tmp_path: Path) -> None:
    folder = os.open(tmp_path, os.O_RDONLY)
    drain = Drain(folder, str(tmp_path / "out"), 100)
    with pytest.raises(OSError) as caught:  # noqa: PT011 - told by its number
        drain.step()
    assert caught.value.errno == errno.EISDIR
    drain.close()
    drain.close()


WRITES = """
import os
for size in map(int, {sizes!r}.split()):
    os.write(1, b"x" * size)
"""


@pytest.mark.parametrize(
    ("sizes", "writes"),
    [
        ("", 0),
        ("1", 1),
        ("1 1 1", 3),
        (" ".join(["1"] * 500), 500),
        (f"{PACKET_BYTES + 1} 1", 2),
        # Parts of a long message are not writes.
        (f"{10 * PACKET_BYTES + 1}", 1),
        (f"1 {3 * PACKET_BYTES} 1 1", 3),
    ],
)
def test_writes_into_a_pipe_of_packets_are_counted(tmp_path: Path, sizes: str, writes: int) -> None:
    packets = open_packets()
    assert packets is not None
    drain = Drain(packets[0], str(tmp_path / "out"), 1 << 24)
    feeder = Feeder(b"", 1)
    with running(WRITES.format(sizes=sizes), feeder.read_end, packets[1]) as program:
        pump(program, feeder, None, drain)
    feeder.close()
    assert drain.writes == writes
    assert (tmp_path / "out").stat().st_size == sum(map(int, sizes.split()))


def test_a_full_disk_is_named_with_what_did_not_fit_on_it() -> None:
    ours, theirs = os.pipe()
    os.write(theirs, b"x")
    os.close(theirs)
    drain = Drain(ours, "/dev/full", 100)
    drain.step()
    with pytest.raises(NoSpaceError, match="/dev/full"):
        drain.step()
    assert drain.closed
    with pytest.raises(OSError, match="Bad file descriptor"):
        os.close(ours)
