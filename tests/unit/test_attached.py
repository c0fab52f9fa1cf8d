"""The connection to a container's standard streams, with a socket of ours in the engine's place."""

from __future__ import annotations

import socket
import struct
import threading
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from grader.errors import SandboxError
from grader.sandbox import attached
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.session import GuestSession
from tests.waits import join

from .test_session import JOB, LAYOUT

BIG = bytes(range(256)) * 20_000


class Attached:
    """What the SDK hands out: a file over the socket."""

    def __init__(self, end: socket.socket) -> None:
        self._sock = end

    def close(self) -> None:
        self._sock.close()


class FakeContainer:
    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def attach_socket(self, params: dict[str, int]) -> Attached:
        assert params["stdin"] == params["stdout"] == params["stream"] == 1
        return Attached(self._end)


class Watch:
    """An engine that is there."""

    def heard(self) -> None:
        pass

    def require_answer(self) -> None:
        pass

    def result_of(self, work: Callable[[], Any]) -> Any:  # noqa: ANN401
        return work()


@pytest.fixture
def engine() -> Iterator[tuple[Any, socket.socket]]:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        yield AttachedTransport(FakeContainer(ours), Watch()), theirs  # type: ignore[arg-type]


def frame(stream: int, payload: bytes) -> bytes:
    return struct.pack(">BxxxL", stream, len(payload)) + payload


def test_what_is_sent_arrives_whole_even_if_it_is_taken_slowly(
    engine: tuple[AttachedTransport, socket.socket],
) -> None:
    transport, theirs = engine
    taken = bytearray()

    def take() -> None:
        while len(taken) < len(BIG):
            taken.extend(theirs.recv(10_007))

    reader = threading.Thread(target=take, daemon=True)
    reader.start()
    transport.send(BIG)
    join(reader)
    assert taken == BIG


@pytest.mark.long
def test_a_guest_that_takes_nothing_is_given_up(
    engine: tuple[AttachedTransport, socket.socket], monkeypatch: pytest.MonkeyPatch
) -> None:
    transport, _ = engine
    monkeypatch.setattr(attached, "SEND_TIMEOUT_S", 0.05)
    with pytest.raises(SandboxError, match="the sandbox is gone: timed out"):
        GuestSession(transport, LAYOUT, replace(JOB, sources={"big": BIG}))


def test_frames_of_both_streams_are_told_apart_however_they_are_cut(
    engine: tuple[AttachedTransport, socket.socket],
) -> None:
    transport, theirs = engine
    sent = frame(2, b"a warning\n") + frame(1, b"an event\n") + frame(1, b"another")
    for at in range(len(sent)):
        theirs.send(sent[at : at + 1])
    theirs.shutdown(socket.SHUT_WR)
    assert [transport.receive(5.0) for _ in range(3)] == [b"an event\n", b"another", b""]
    assert transport.stderr_text() == "a warning\n"
