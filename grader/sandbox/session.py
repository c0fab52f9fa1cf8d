"""Talking with a guest over bytes, whichever sandbox carries them."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from pydantic import ValidationError
from typing_extensions import assert_never

from grader.errors import SandboxError
from grader.model.evidence import EVENT, BuildDone, Chunk, Done, Event, Fault, RunDone, StepLeftOut, Toolchain
from grader.model.plan import Plan, RunStep, SandboxLayout, SentFile
from grader.sandbox.base import Job, Progress

GRACE_S = 60
"""Beyond the guest's own limits: for compiling, copying, and a machine that is busy."""

ALIVE_S = 5.0
SILENCE_S = 30.0
"""So often the guest gets a sign of life, and after so long without one it ends (grader/guest/channel.py): an engine
that dies does not close the guest's standard input."""

EVENT_BYTES_MAX = 64 << 20

LAST_WORD_S = 1.0
"""So long a guest that takes nothing more is listened to: it may have said why."""


class Transport(Protocol):
    """Bytes to and from a guest."""

    def send(self, data: bytes) -> None:
        """Write all of `data` to the guest's standard input.

        Raises:
            OSError: the guest is gone.
        """

    def receive(self, timeout_s: float) -> bytes:
        """Return what the guest wrote next; empty: its end.

        Raises:
            TimeoutError: nothing came in `timeout_s` seconds.
            OSError: the connection broke.
        """

    def last_words(self) -> str:
        """Return what the guest left on standard error, for a message."""

    def interrupt(self) -> None:
        """Break the connection, from another thread."""


class ActiveTransports:
    """The transports of guests at work, so that all can be ended at once."""

    def __init__(self) -> None:
        """Start with none."""
        self._transports: set[Transport] = set()
        self._lock = threading.Lock()

    @contextmanager
    def including(self, transport: Transport) -> Iterator[None]:
        """Count a guest in while the context lasts."""
        with self._lock:
            self._transports.add(transport)
        try:
            yield
        finally:
            with self._lock:
                self._transports.discard(transport)

    def interrupt(self) -> None:
        """Interrupt each of them."""
        with self._lock:
            for transport in self._transports:
                transport.interrupt()


def _slowest_s(step: RunStep) -> float:
    """Return how long a step may take; what ran into a limit under tally's filter runs twice."""
    return (step.tracer_limits or step.limits).wall_s * (2 if step.engine == "filter" else 1)


class GuestSession:
    """A guest that has its plan and its files."""

    def __init__(self, transport: Transport, layout: SandboxLayout, job: Job) -> None:
        """Send both.

        Raises:
            SandboxError: nobody takes them.
        """
        self._transport = transport
        slowest_s = max(map(_slowest_s, job.work.runs), default=0.0)
        programs_s = job.work.program_wall_s * len(job.work.builds)
        self._deadline = time.monotonic() + programs_s + slowest_s + GRACE_S
        self._received = bytearray()
        self._next_sign_at = 0.0
        sent = [SentFile(folder="sources", name=name, size_bytes=len(data)) for name, data in job.sources.items()]
        sent += [SentFile(folder="inputs", name=name, size_bytes=len(data)) for name, data in job.inputs.items()]
        plan = Plan(silence_s=SILENCE_S, layout=layout, work=job.work, files=tuple(sent))
        self._send_line(plan.model_dump_json())
        for data in (*job.sources.values(), *job.inputs.values()):
            self._send(data)

    def _send_line(self, line: str) -> None:
        self._send(line.encode("utf-8") + b"\n")

    def _send(self, data: bytes) -> None:
        self._next_sign_at = time.monotonic() + ALIVE_S
        try:
            self._transport.send(data)
        except OSError as error:
            raise SandboxError(self._fault() or f"the sandbox is gone: {error}{self._words()}") from error

    def _fault(self) -> str | None:
        """Return why a guest takes nothing more, if it said so: it may have ended amid what it is sent."""
        # What broke is told already; that it breaks on this side as well says nothing more.
        with suppress(OSError):
            while len(self._received) <= EVENT_BYTES_MAX and (data := self._transport.receive(LAST_WORD_S)):
                self._received += data
        for line in self._received.splitlines():
            # The last line may be half an event.
            with suppress(ValidationError):
                event = EVENT.validate_json(line)
                if isinstance(event, Fault):
                    return f"the guest failed: {event.message}"
        return None

    def _words(self) -> str:
        words = self._transport.last_words().strip()
        return f" ({words[-500:]})" if words else ""

    def _next(self) -> Event:
        while b"\n" not in self._received:
            if len(self._received) > EVENT_BYTES_MAX:
                raise SandboxError("the guest sent an event without end")
            self._received += self._receive()
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        try:
            return EVENT.validate_json(line)
        except ValidationError as error:
            raise SandboxError(f"the guest sent what is no event: {line[:200]!r}") from error

    def _receive(self) -> bytes:
        """Return what the guest sent next, telling it from time to time that we are there."""
        while (now := time.monotonic()) < self._deadline:
            if now >= self._next_sign_at:
                self._send_line('{"alive": true}')
            try:
                data = self._transport.receive(min(self._deadline - now, ALIVE_S))
            except TimeoutError:
                continue
            except OSError as error:
                raise SandboxError(f"the connection to the sandbox broke: {error}") from error
            if not data:
                raise SandboxError(f"the guest ended before its work was done{self._words()}")
            return data
        raise SandboxError("the guest has been silent for longer than all its limits")

    def events(self) -> Iterator[Progress]:
        """Yield what was done as it is done, until all is; see Session."""
        while True:
            event = self._next()
            match event:
                case Done():
                    return
                case Fault():
                    raise SandboxError(f"the guest failed: {event.message}")
                case Chunk():
                    raise SandboxError("the guest sent output that was not asked for")
                case Toolchain() | BuildDone() | RunDone() | StepLeftOut():
                    yield event
                case _ as unreachable:
                    assert_never(unreachable)

    def fetch(self, step: str) -> bytes:
        """Return the whole standard output of a step; see Session."""
        self._send_line(json.dumps({"fetch": step}))
        output = bytearray()
        while True:
            event = self._next()
            if isinstance(event, Fault):
                raise SandboxError(f"the guest failed: {event.message}")
            if not isinstance(event, Chunk) or event.step != step:
                raise SandboxError(f"the guest answered a fetch of {step} with something else")
            output += event.data
            if event.last:
                return bytes(output)

    def end(self) -> None:
        """Tell the guest that nothing more is wanted; a guest that is gone already is fine."""
        try:
            self._transport.send(b'{"end": true}\n')
        except OSError:
            return
