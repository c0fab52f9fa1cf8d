"""The guest's two channels: JSON lines out, one event each; the request, files and commands in.

The end of what comes in ends the guest and, if an engine carries it, silence there.
"""

from __future__ import annotations

import json
import os
import select
import signal
import sys
import threading
import time
from contextlib import suppress
from typing import Any, BinaryIO

REQUEST_S = 30.0
"""Seconds to wait for the request, which says how long a silence may last after that."""

REPEAT_S = 0.2
READ_BYTES = 1 << 16


class Emitter:
    """Writes events to the descriptor that was standard output.

    Standard output then goes to standard error, so that a stray print cannot break the stream.
    """

    def __init__(self) -> None:
        # Without a buffer: Python would flush it when it ends, and wait forever if nobody reads any more.
        self._out = os.fdopen(os.dup(1), "wb", buffering=0)
        os.dup2(2, 1)

    def emit(self, event: str, **fields: Any) -> None:  # noqa: ANN401 - an event is JSON
        """Write one event at once, so that a crash later keeps it."""
        line = memoryview(json.dumps({"event": event, **fields}).encode("ascii") + b"\n")
        while line:
            line = line[self._out.write(line) :]


class GraderGoneError(Exception):
    """The grader's end was closed, or was silent for too long, before the request and all files had come."""


class GraderInput:
    """What the grader sends: the request, then files, then commands.

    A thread reads the commands, because the end of input must be noticed in the middle of a run.

    The grader holds the other end, and writes a line every few seconds (grader/sandbox/session.py). If it closes its
    end, is killed, or falls silent because the engine that carries its lines is gone, nobody needs this process group
    any more. It is ended at once, and with it everything that it runs, because each child dies with its parent.
    """

    def __init__(self, source_fd: int) -> None:
        """Read the request, which is the first line.

        Raises:
            GraderGoneError: no request came.
        """
        self._source_fd = source_fd
        self._silence_s: float | None = REQUEST_S
        self._received = bytearray()
        self._commands: list[dict[str, Any]] = []
        self._arrived = threading.Condition()
        self.request_line = self._line()
        if not self.request_line:
            raise GraderGoneError("no request has come")

    def copy(self, target: BinaryIO, size_bytes: int) -> None:
        """Write the next bytes to an unbuffered file; before `listen`.

        Raises:
            GraderGoneError: fewer came.
        """
        while size_bytes:
            block = self._received or self._receive()
            if not block:
                raise GraderGoneError("the files named in the request have not come")
            part = block[:size_bytes]
            self._received = block[size_bytes:]
            size_bytes -= len(part)
            while part:
                part = part[target.write(part) :]

    def listen(self, silence_s: float | None) -> None:
        """Take commands from now on, and end the guest after a silence of so many seconds, if that is not None."""
        self._silence_s = silence_s
        threading.Thread(target=self._collect_commands, daemon=True).start()

    def _receive(self) -> bytearray:
        """Return the next bytes, none at the end of input and after a silence."""
        ready, _, _ = select.select([self._source_fd], [], [], self._silence_s)
        if not ready and self._silence_s is not None:
            sys.stderr.write(f"no sign of life from the grader for {self._silence_s:g} s\n")
        return bytearray(os.read(self._source_fd, READ_BYTES) if ready else b"")

    def _line(self) -> bytes:
        """Return the next line, empty at the end of input and after a silence."""
        while b"\n" not in self._received:
            data = self._receive()
            if not data:
                return b""
            self._received += data
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        return line

    def _collect_commands(self) -> None:
        while line := self._line():
            command = json.loads(line)
            if "alive" not in command:
                with self._arrived:
                    self._commands.append(command)
                    self._arrived.notify()
        # The signal goes to the main thread, which may sleep in a call that only a signal to it ends. It is repeated,
        # because a signal just before such a call does not end the call.
        while True:
            signal.pthread_kill(threading.main_thread().ident or 0, signal.SIGTERM)
            time.sleep(REPEAT_S)

    def next_command(self) -> dict[str, Any]:
        """Wait for the next command, a JSON object."""
        with self._arrived:
            while not self._commands:
                self._arrived.wait()
            return self._commands.pop(0)


def end_on_sigterm() -> None:
    """End with SystemExit, so that `finally` clauses end children; only once, or those would be interrupted."""

    def end(_signal: int, _frame: object) -> None:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        sys.exit(143)

    signal.signal(signal.SIGTERM, end)


def end_children() -> None:
    """Make every tally end, with everything that it runs, and wait for it.

    A signal can end us before the code that started a tally knows that it did. Nothing is left behind then either: a
    tally dies with its parent, but only after it. The guest leads its process group, and a program is in another.
    """
    signal.signal(signal.SIGTERM, signal.SIG_IGN)
    os.killpg(os.getpid(), signal.SIGTERM)
    with suppress(ChildProcessError):
        while True:
            os.wait()
