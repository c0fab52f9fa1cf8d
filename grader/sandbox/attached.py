"""Bytes to and from a container's standard streams, over the engine's connection."""

from __future__ import annotations

import socket
import struct
import time
from contextlib import suppress
from typing import Any

from docker.models.containers import Container

from grader.sandbox.engine_watch import ASK_EVERY_S, EngineWatch

FRAME_HEADER = struct.Struct(">BxxxL")
STDOUT_FRAME = 1
SEND_TIMEOUT_S = 60.0
"""Seconds to wait for a guest that does not read what it is sent."""
MIN_WAIT_S = 0.001
"""A time limit of 0 would make the socket non-blocking."""


class AttachedTransport:
    """The standard streams of a container, over the connection that attaches to it.

    The engine holds the guest's standard input, which stays open if the engine dies.
    """

    ends_with_us = False

    def __init__(self, container: Container, watch: EngineWatch) -> None:
        """Attach to a container; before its start, so that no output is missed. `watch` is of its engine."""
        self._watch = watch
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1, "logs": 0}
        # The SDK gives this request no time limit.
        self._attached: Any = watch.result_of(lambda: container.attach_socket(params=streams))
        # For a plain or TLS connection the SDK returns a file over the socket, but the time limits are the socket's.
        self._socket: Any = getattr(self._attached, "_sock", self._attached)
        self._received = bytearray()
        self._stderr = bytearray()

    def send(self, data: bytes) -> None:
        """Write to the guest; see Transport."""
        self._socket.settimeout(SEND_TIMEOUT_S)
        view = memoryview(data)
        while view:
            view = view[self._socket.send(view) :]

    def receive(self, timeout_s: float) -> bytes:
        """Read from the guest; see Transport. Frames of standard error are kept for stderr_text.

        Raises:
            EngineUnavailableError: it is not the guest that is silent, but the engine does not answer any more.
        """
        until = time.monotonic() + timeout_s
        while True:
            self._socket.settimeout(max(MIN_WAIT_S, min(until - time.monotonic(), ASK_EVERY_S)))
            try:
                frame = self._next_frame()
            except TimeoutError:
                self._watch.require_answer()
                if time.monotonic() >= until:
                    raise
                continue
            if frame is None:
                return b""
            stream, payload = frame
            if stream == STDOUT_FRAME:
                return payload
            self._stderr += payload[:4096]

    def _next_frame(self) -> tuple[int, bytes] | None:
        """Return (stream, payload) of the next frame, None at the end; a frame that is cut short is also an end."""
        if not self._receive(FRAME_HEADER.size):
            return None
        stream, size_bytes = FRAME_HEADER.unpack_from(self._received)
        end = FRAME_HEADER.size + size_bytes
        if not self._receive(end):
            return None
        # Removed only when it is whole, so that a timeout leaves its beginning for the next call.
        payload = bytes(self._received[FRAME_HEADER.size : end])
        del self._received[:end]
        return stream, payload

    def _receive(self, size_bytes: int) -> bool:
        """Receive until so many bytes are there; return whether they came."""
        while len(self._received) < size_bytes:
            data = self._socket.recv(1 << 16)
            if not data:
                return False
            self._watch.heard()
            self._received += data
        return True

    def stderr_text(self) -> str:
        """Return the guest's standard error; see Transport."""
        return self._stderr.decode("utf-8", "replace")

    def interrupt(self) -> None:
        """Break the connection; see Transport."""
        # It may be broken already.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection, which ends the guest's input."""
        self._attached.close()
        self._socket.close()
