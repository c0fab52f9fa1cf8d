"""What comes in over the guest's standard input: the request and files. (Commands, and the end: tests/contract.)"""

from __future__ import annotations

import io
import os
import select
import subprocess
import sys
import threading
from collections.abc import Iterator

import pytest

from grader.guest import channel
from grader.guest.channel import GraderGoneError, GraderInput
from tests.waits import ENDS_S, killed_at_exit


class Wire:
    """A pipe to a guest."""

    def __init__(self) -> None:
        self.read_end, self._write_end = os.pipe()
        self._is_open = True

    def send(self, data: bytes) -> None:
        assert os.write(self._write_end, data) == len(data)

    def hang_up(self) -> None:
        if self._is_open:
            os.close(self._write_end)
        self._is_open = False


@pytest.fixture
def wire() -> Iterator[Wire]:
    wire = Wire()
    yield wire
    wire.hang_up()
    os.close(wire.read_end)


def copied(received: GraderInput, size_bytes: int) -> bytes:
    target = io.BytesIO()
    received.copy(target, size_bytes)
    return target.getvalue()


def test_files_follow_the_request_and_what_follows_them_is_left(wire: Wire) -> None:
    wire.send(b'{"request": 1}\nab\ncd{"fetch": "step"}\n')
    received = GraderInput(wire.read_end)
    assert received.request_line == b'{"request": 1}'
    assert [copied(received, size) for size in (4, 0, 1)] == [b"ab\nc", b"", b"d"]
    assert copied(received, 18) == b'{"fetch": "step"}\n'


@pytest.mark.parametrize("block", [1, 3, 1 << 16])
def test_a_file_arrives_whole_however_it_is_cut(wire: Wire, monkeypatch: pytest.MonkeyPatch, block: int) -> None:
    monkeypatch.setattr(channel, "READ_BYTES", block)
    contents = bytes(range(256)) * 8
    wire.send(b"request\n" + contents + b"rest")
    received = GraderInput(wire.read_end)
    assert copied(received, len(contents)) == contents
    assert copied(received, 4) == b"rest"


@pytest.mark.parametrize("said", [b"", b"half a pl"])
def test_without_a_request_the_grader_is_gone(wire: Wire, said: bytes) -> None:
    wire.send(said)
    wire.hang_up()
    with pytest.raises(GraderGoneError, match="no request"):
        GraderInput(wire.read_end)


def test_files_that_do_not_come_are_told(wire: Wire) -> None:
    wire.send(b"request\nabc")
    wire.hang_up()
    received = GraderInput(wire.read_end)
    with pytest.raises(GraderGoneError, match="have not come"):
        copied(received, 4)


@pytest.mark.parametrize("silence_s", [None, 7.0])
def test_a_silence_may_last_as_long_as_the_request_says(
    wire: Wire, monkeypatch: pytest.MonkeyPatch, silence_s: float | None
) -> None:
    wire.send(b"request\n")
    received = GraderInput(wire.read_end)
    timeouts: list[float | None] = []
    ready = select.select

    def wait(read: list[int], write: list[int], other: list[int], timeout_s: float | None) -> object:
        timeouts.append(timeout_s)
        return ready(read, write, other, timeout_s)

    monkeypatch.setattr(select, "select", wait)
    # Not in a thread, which would end the process after the end of input.
    monkeypatch.setattr(threading.Thread, "start", lambda _: None)
    received.listen(silence_s)
    wire.send(b'{"end": true}\n')
    assert copied(received, 5) == b'{"end'
    assert timeouts == [silence_s]


def test_a_silence_instead_of_the_request_is_an_end(wire: Wire, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(channel, "REQUEST_S", 0.01)
    with pytest.raises(GraderGoneError):
        GraderInput(wire.read_end)


WRITES_MORE_THAN_A_PIPE_HOLDS = """
import sys
import threading
from grader.guest.channel import GraderInput, Emitter, end_on_sigterm
end_on_sigterm()
emitter = Emitter()
GraderInput(0).listen(silence_s=0.5)
while True:
    emitter.emit("chunk", data="x" * int(sys.argv[1]))
"""


@pytest.mark.long
@pytest.mark.parametrize("event_bytes", [10, 1000, 9000, 200_000])
def test_a_guest_whose_output_nobody_reads_ends_after_a_silence(event_bytes: int) -> None:
    """An engine that died leaves both ends of a guest open: nothing comes in, and nothing is read."""
    command = [sys.executable, "-c", WRITES_MORE_THAN_A_PIPE_HOLDS, str(event_bytes)]
    with killed_at_exit(subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)) as guest:
        assert guest.stdin is not None
        guest.stdin.write(b"request\n")
        guest.stdin.flush()
        assert guest.wait(ENDS_S) == 143
