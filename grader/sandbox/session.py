"""Communicating with a guest over a stream of bytes, in any sandbox."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from typing import Protocol

from pydantic import TypeAdapter, ValidationError
from typing_extensions import assert_never

from grader.errors import SandboxError, SilentGraderError
from grader.model.evidence import BuildDone, Chunk, Done, Event, Fault, RunDone, StepLeftOut, Toolchain
from grader.model.plan import GuestRequest, MoreWork, Plan, RunStep, SandboxLayout, SentFile, WholeFile
from grader.sandbox.base import Job, ProgressEvent

# Built here and not with the first event: two guests would both build it.
_EVENT: TypeAdapter[Event] = TypeAdapter(Event)

GRACE_S = 60
"""Seconds in addition to the guest's own limits: for compiling, copying, and a busy machine."""

ALIVE_S = 5.0
SILENCE_S = 30.0
"""Seconds between signs of life to the guest, and seconds without one after which it ends (grader/guest/channel.py).

An engine that dies does not close the guest's standard input.
"""

NO_SIGN = "no sign of life from the grader"
"""What a guest writes to standard error when it ends because of that (grader/guest/channel.py)."""

ATTEMPTS_MAX = 5
"""How often one step may run: calls named, the totals, with all stops, with fewer, and once more without a tracer."""

WALL_LIMITS_MAX = 32
"""How many times its wall limit a step may take that waits for a CPU (`with_time` in grader/guest/own_time.py)."""

TOOLS_MAX = 10
"""No build starts more tools than that, and no test of the engines; each has the limits of a build."""

SIGN_OF_LIFE = '{"alive": true}'

EVENT_BYTES_MAX = 64 << 20

LAST_WORD_S = 1.0
"""Seconds to wait for a final message from a guest that no longer reads: it may have said why."""


class Transport(Protocol):
    """Carries bytes to and from a guest.

    `ends_with_us`: however this process ends, the guest's standard input is closed then. So nothing follows from a
    silence, which a grader that is stopped (Ctrl-Z) keeps for as long as it likes.
    """

    ends_with_us: bool

    def send(self, data: bytes) -> None:
        """Write all of `data` to the guest's standard input.

        Raises:
            OSError: the guest is gone.
        """

    def receive(self, timeout_s: float) -> bytes:
        """Return what the guest wrote next, nothing at its end.

        Raises:
            TimeoutError: nothing came in `timeout_s` seconds.
            OSError: the connection broke.
        """

    def stderr_text(self) -> str:
        """Return what the guest wrote to standard error, for a message."""

    def interrupt(self) -> None:
        """Break the connection, from another thread."""


class ActiveTransports:
    """The transports of running guests, so that all can be ended at once."""

    def __init__(self) -> None:
        self._transports: set[Transport] = set()
        self._lock = threading.Lock()

    @contextmanager
    def including(self, transport: Transport) -> Iterator[None]:
        """Include a guest's transport as long as the context lasts."""
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


def _longest_s(step: RunStep) -> float:
    """Return how long a step may take, with the runs that are repeated (grader/guest/runs.py)."""
    if step.tracer_limits is not None:
        return step.tracer_limits.wall_s * WALL_LIMITS_MAX
    return step.limits.wall_s * WALL_LIMITS_MAX * ATTEMPTS_MAX


def _silence_s(plan: Plan) -> float:
    """Return how long a guest that works on a plan may send nothing: no step takes longer."""
    build_s = plan.build_limits.wall_s * WALL_LIMITS_MAX * TOOLS_MAX
    return max([build_s, *map(_longest_s, plan.runs)]) + GRACE_S


def _subjects(plan: Plan) -> list[str]:
    """Return what each event is about that the guest must send, in order."""
    builds = [f"the build of {step.program}" for step in plan.builds]
    return ["the toolchain", *builds, *(f"the run {step.id}" for step in plan.runs), "the end"]


def _subject(event: ProgressEvent | Done | Chunk) -> str:
    match event:
        case Toolchain():
            return "the toolchain"
        case BuildDone():
            return f"the build of {event.program}"
        case RunDone() | StepLeftOut():
            return f"the run {event.step}"
        case Done():
            return "the end"
        case Chunk():
            return f"output of {event.step}"
        case _ as unreachable:
            assert_never(unreachable)


def _fault_words(fault: Fault) -> str:
    return f"the guest failed: {fault.message}"


@contextmanager
def guest_session(transport: Transport, layout: SandboxLayout, job: Job) -> Iterator[GuestSession]:
    """Send a guest its job, give it signs of life however long the caller takes, and tell it when its work is over.

    Raises:
        SandboxError: the guest is gone.
    """
    session = GuestSession(transport, layout, job)
    ended = threading.Event()
    signs = threading.Thread(target=session.give_signs_of_life, args=(ended,), daemon=True)
    signs.start()
    try:
        yield session
        session.end()
    finally:
        ended.set()
        signs.join()


class GuestSession:
    """A guest that has received its request and its files."""

    def __init__(self, transport: Transport, layout: SandboxLayout, job: Job) -> None:
        """Send the request and the files.

        Raises:
            SandboxError: the guest is gone.
        """
        self._transport = transport
        self._in_use = threading.Lock()
        self._silence_s = _silence_s(job.plan)
        self._inputs = {*job.inputs}
        self._received = bytearray()
        self._next_sign_at = 0.0
        sent = [SentFile(folder="sources", name=name, size_bytes=len(data)) for name, data in job.sources.items()]
        sent += [SentFile(folder="inputs", name=name, size_bytes=len(data)) for name, data in job.inputs.items()]
        self._due = _subjects(job.plan)
        silence_s = None if transport.ends_with_us else SILENCE_S
        request = GuestRequest(silence_s=silence_s, layout=layout, plan=job.plan, files=tuple(sent))
        self._send_line(request.model_dump_json())
        for data in (*job.sources.values(), *job.inputs.values()):
            self._send(data)

    def _send_line(self, line: str) -> None:
        self._send(line.encode("utf-8") + b"\n")

    def _send(self, data: bytes) -> None:
        try:
            with self._in_use:
                self._next_sign_at = time.monotonic() + ALIVE_S
                self._transport.send(data)
        except OSError as error:
            fault = self._reported_fault()
            raise SandboxError(fault) if fault else self._gone(f"the sandbox is gone: {error}") from error

    def _reported_fault(self) -> str | None:
        """Return why a guest no longer reads, if it said so: it may have ended while it was sent something."""
        # The connection is known to be broken; another error while reading from it adds nothing.
        with self._in_use, suppress(OSError):
            while len(self._received) <= EVENT_BYTES_MAX and (data := self._transport.receive(LAST_WORD_S)):
                self._received += data
        for line in self._received.splitlines():
            # The last line may be half an event.
            with suppress(ValidationError):
                event = _EVENT.validate_json(line)
                if isinstance(event, Fault):
                    return _fault_words(event)
        return None

    def _gone(self, how: str) -> SandboxError:
        """Return the error of a guest that is gone, with its last words."""
        stderr = self._transport.stderr_text().strip()
        kind = SilentGraderError if NO_SIGN in stderr else SandboxError
        return kind(f"{how} ({stderr[-500:]})" if stderr else how)

    def _next_event(self) -> ProgressEvent | Done | Chunk:
        """Return what the guest says next.

        Raises:
            SandboxError: it says that it failed, or nothing more.
        """
        while b"\n" not in self._received:
            if len(self._received) > EVENT_BYTES_MAX:
                raise SandboxError("the guest sent an event without end")
            self._received += self._receive()
        line, _, rest = bytes(self._received).partition(b"\n")
        self._received = bytearray(rest)
        try:
            event = _EVENT.validate_json(line)
        except ValidationError as error:
            raise SandboxError(f"the guest sent something that is not an event: {line[:200]!r}") from error
        if isinstance(event, Fault):
            raise SandboxError(_fault_words(event))
        return event

    def _receive(self) -> bytes:
        """Return what the guest sent next; while waiting, send it signs of life.

        Only time is counted in which we have waited ourselves: this process may be stopped meanwhile.
        """
        left_s = self._silence_s
        while left_s > 0:
            if time.monotonic() >= self._next_sign_at:
                self._send_line(SIGN_OF_LIFE)
            wait_s = min(left_s, ALIVE_S)
            try:
                with self._in_use:
                    data = self._transport.receive(wait_s)
            except TimeoutError:
                left_s -= wait_s
                continue
            except OSError as error:
                raise SandboxError(f"the connection to the sandbox broke: {error}") from error
            if not data:
                raise self._gone("the guest ended before its work was done")
            return data
        raise SandboxError("the guest has been silent for longer than all its limits")

    def events(self) -> Iterator[ProgressEvent]:
        """Yield each event as it comes, until all work is done; see Session."""
        for due in self._due:
            event = self._next_event()
            if (sent := _subject(event)) != due:
                # A step that is passed over, repeated or not in the plan would be judged without evidence.
                raise SandboxError(f"the guest sent {sent} when {due} was due")
            if isinstance(event, Toolchain | BuildDone | RunDone | StepLeftOut):
                yield event

    def work_on(self, job: Job) -> None:
        """Give the guest more work; see Session."""
        self._silence_s = _silence_s(job.plan)
        self._due = _subjects(job.plan)
        inputs = {name: data for name, data in job.inputs.items() if name not in self._inputs}
        self._inputs.update(inputs)
        files = [WholeFile(folder="sources", name=name, data=data) for name, data in job.sources.items()]
        files += [WholeFile(folder="inputs", name=name, data=data) for name, data in inputs.items()]
        self._send_line(MoreWork(plan=job.plan, files=tuple(files)).model_dump_json())

    def fetch(self, step: str) -> bytes:
        """Return the whole standard output of a step; see Session."""
        self._send_line(json.dumps({"fetch": step}))
        output = bytearray()
        while True:
            event = self._next_event()
            if not isinstance(event, Chunk) or event.step != step:
                raise SandboxError(f"the guest answered a fetch of {step} with something else")
            output += event.data
            if event.last:
                return bytes(output)

    def end(self) -> None:
        """Tell the guest that its work is over; it may be gone already."""
        with self._in_use, suppress(OSError):
            self._transport.send(b'{"end": true}\n')

    def give_signs_of_life(self, ended: threading.Event) -> None:
        """Give signs of life until `ended` is set, while the caller's thread waits for nothing from the guest."""
        while not ended.wait(ALIVE_S):
            # Whether the guest is gone matters only to who needs something of it.
            with self._in_use, suppress(OSError):
                if time.monotonic() >= self._next_sign_at:
                    self._next_sign_at = time.monotonic() + ALIVE_S
                    self._transport.send(SIGN_OF_LIFE.encode("ascii") + b"\n")
