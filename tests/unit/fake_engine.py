"""A server that speaks as much of Docker's interface as a test needs, and stops answering when it is told to."""

from __future__ import annotations

import json
import socket
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress

from tests.waits import join

STEP = {"stream": "Step 1/2 : FROM base"}


class FakeEngine:
    """Answers each request with what `answer` returns for its path; with nothing while `stalled` is set.

    It waits `pause_s` after each byte, if that is not 0.
    """

    def __init__(self, answer: Callable[[str], bytes]) -> None:
        self._answer = answer
        self._listener = socket.create_server(("127.0.0.1", 0))
        self._served: list[tuple[socket.socket, threading.Thread]] = []
        self.stalled = threading.Event()
        self.pause_s = 0.0
        self.asked: list[str] = []
        self._accepting = threading.Thread(target=self._accept, daemon=True)
        self._accepting.start()

    @property
    def address(self) -> str:
        return f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"

    def _accept(self) -> None:
        with suppress(OSError):
            while True:
                connection, _ = self._listener.accept()
                thread = threading.Thread(target=self._serve, args=(connection,), daemon=True)
                self._served.append((connection, thread))
                thread.start()

    def _serve(self, connection: socket.socket) -> None:
        received = b""
        with suppress(OSError):
            while data := connection.recv(1 << 16):
                received += data
                while b"\r\n\r\n" in received:
                    head, _, received = received.partition(b"\r\n\r\n")
                    if b"HTTP/1.1" not in head:
                        # It is the end of a body.
                        continue
                    path = head.split(b" ")[1].decode("ascii").partition("?")[0]
                    self.asked.append(path)
                    if not self.stalled.is_set():
                        self._send(connection, self._answer(path))

    def _send(self, connection: socket.socket, answer: bytes) -> None:
        for byte in answer if self.pause_s else ():
            connection.sendall(bytes([byte]))
            time.sleep(self.pause_s)
        if not self.pause_s:
            connection.sendall(answer)

    def close(self) -> None:
        """End, with all threads: one that still receives could take what a later test sends."""
        end(self._listener)
        join(self._accepting)
        self._listener.close()
        for connection, thread in self._served:
            end(connection)
            join(thread)
            connection.close()


def end(connection: socket.socket) -> None:
    with suppress(OSError):
        connection.shutdown(socket.SHUT_RDWR)


@contextmanager
def fake_engine(answer: Callable[[str], bytes]) -> Iterator[FakeEngine]:
    engine = FakeEngine(answer)
    try:
        yield engine
    finally:
        engine.close()


def ok(body: bytes) -> bytes:
    return b"HTTP/1.1 200 OK\r\nContent-Length: %d\r\n\r\n%s" % (len(body), body)


def usual(path: str) -> bytes:
    """Answer as an engine does; a build begins and does not end."""
    if path.endswith("/version"):
        return ok(json.dumps({"ApiVersion": "1.41", "Version": "20.10"}).encode())
    if path.endswith("/build"):
        event = json.dumps(STEP).encode()
        return b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n%x\r\n%s\r\n" % (len(event), event)
    return ok(b"OK")
