from __future__ import annotations

import json
from collections.abc import Callable, Sequence
from dataclasses import replace

import pytest

from grader.errors import SandboxError, SilentGraderError
from grader.grading.plan_builder import build_plan
from grader.model.evidence import BuildDone, Chunk, Done, Event, Fault, RunDone, StepLeftOut, Toolchain
from grader.model.plan import GuestRequest, SandboxLayout
from grader.sandbox import session as sessions
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.base import Job
from grader.sandbox.process import ProcessTransport
from grader.sandbox.session import ActiveTransports, GuestSession

from .facts import SUBMISSION, TOOLCHAIN, build, run
from .lab import SPEC
from .transports import FakeTransport, GoneTransport

LAYOUT = SandboxLayout(
    work_dir="/work",
    scratch_dir="/scratch",
    tally="/tally",
    student=None,
    in_container=True,
    process_limit="none",
)
PLANNED = build_plan(SPEC, SUBMISSION)
# Two runs of the plan are enough to tell an order.
SHORT = PLANNED.model_copy(
    update={
        "builds": tuple(step for step in PLANNED.builds if step.program == "many"),
        "runs": tuple(step for step in PLANNED.runs if step.id in ("many.copy", "many.random.strace")),
    }
)
JOB = Job(SHORT, {"many.c": b"int main;\n"}, {"text": b"a\nb{}\n", "random": b"r", "hidden": b"secret"})
WORK: Sequence[Event] = (
    TOOLCHAIN,
    build("many", messages="é\n"),
    run("many.copy", b"\x00\n\xff"),
    StepLeftOut(step="many.random.strace", why="not-cheap"),
)


def line(*events: Event) -> bytes:
    return b"".join(event.model_dump_json().encode() + b"\n" for event in events)


def failure(transport: FakeTransport, act: Callable[[GuestSession], object]) -> str:
    with pytest.raises(SandboxError) as caught:
        act(GuestSession(transport, LAYOUT, JOB))
    return str(caught.value)


def all_events(session: GuestSession) -> list[Toolchain | BuildDone | RunDone | StepLeftOut]:
    return list(session.events())


@pytest.mark.parametrize("size", [1, 2, 7, 64, 1000, 1 << 20])
def test_events_arrive_whole_however_the_bytes_are_cut(size: int) -> None:
    stream = line(*WORK, Done())
    transport = FakeTransport(*(stream[at : at + size] for at in range(0, len(stream), size)))
    assert all_events(GuestSession(transport, LAYOUT, JOB)) == list(WORK)


def test_the_request_is_the_first_line_that_a_guest_gets_and_the_files_follow_it() -> None:
    transport = FakeTransport()
    GuestSession(transport, LAYOUT, JOB).end()
    first, _, rest = b"".join(transport.sent).partition(b"\n")
    request = GuestRequest.model_validate_json(first)
    assert (request.layout, request.plan, request.silence_s) == (LAYOUT, JOB.plan, sessions.SILENCE_S)
    for file in request.files:
        contents = {"sources": JOB.sources, "inputs": JOB.inputs}[file.folder][file.name]
        assert rest[: file.size_bytes] == contents
        rest = rest[file.size_bytes :]
    # The other inputs may be hidden, and no run of the plan has them.
    assert [file.name for file in request.files] == ["many.c", "text", "random"]
    assert json.loads(rest) == {"end": True}


def test_an_early_end_is_told_with_the_guest_s_last_words() -> None:
    message = failure(FakeTransport(line(*WORK), words="\nMemoryError\n"), all_events)
    assert message == "the guest ended before its work was done (MemoryError)"
    half = failure(FakeTransport(line(*WORK)[:-5]), all_events)
    assert half == "the guest ended before its work was done"


def test_an_end_after_a_silence_of_ours_is_not_the_submission_s() -> None:
    silent = FakeTransport(line(*WORK), words=f"{sessions.NO_SIGN} for 30 s\n")
    with pytest.raises(SilentGraderError, match="no sign of life"):
        all_events(GuestSession(silent, LAYOUT, JOB))
    gone = GoneTransport(words=f"{sessions.NO_SIGN} for 30 s\n")
    with pytest.raises(SilentGraderError, match="the sandbox is gone"):
        GuestSession(gone, LAYOUT, JOB)


def test_what_was_done_before_the_end_was_seen() -> None:
    events = GuestSession(FakeTransport(line(*WORK)), LAYOUT, JOB).events()
    assert [next(events) for _ in WORK] == list(WORK)
    with pytest.raises(SandboxError):
        next(events)


def test_a_fault_is_told_in_the_guest_s_words() -> None:
    fault = Fault(message="OSError: disk full (runs.py:3)")
    assert failure(FakeTransport(line(*WORK, fault)), all_events) == f"the guest failed: {fault.message}"
    assert failure(FakeTransport(line(fault)), lambda s: s.fetch("many.copy")) == f"the guest failed: {fault.message}"


def test_silence_beyond_all_limits(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "ALIVE_S", 100_000.0)
    assert "silent for longer than all its limits" in failure(FakeTransport(*[TimeoutError()] * 9), all_events)


def test_time_in_which_the_grader_is_stopped_is_no_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    clock = iter(range(0, 10**9, 1_000_000))
    monkeypatch.setattr("grader.sandbox.session.time.monotonic", lambda: float(next(clock)))
    transport = FakeTransport(TimeoutError(), TimeoutError(), line(*WORK, Done()))
    assert all_events(GuestSession(transport, LAYOUT, JOB)) == list(WORK)


@pytest.mark.parametrize("ends_with_us", [True, False])
def test_only_a_guest_that_may_outlive_its_grader_ends_after_a_silence(*, ends_with_us: bool) -> None:
    transport = FakeTransport()
    transport.ends_with_us = ends_with_us
    GuestSession(transport, LAYOUT, JOB)
    request = GuestRequest.model_validate_json(b"".join(transport.sent).partition(b"\n")[0])
    assert (request.silence_s is None) == ends_with_us
    assert ProcessTransport.ends_with_us
    assert not AttachedTransport.ends_with_us


def test_a_plan_may_have_builds_alone() -> None:
    job = replace(JOB, plan=JOB.plan.model_copy(update={"runs": ()}))
    session = GuestSession(FakeTransport(line(TOOLCHAIN, build("many"), Done())), LAYOUT, job)
    assert all_events(session) == [TOOLCHAIN, build("many")]


class SlowTransport(FakeTransport):
    """Takes a time for each answer."""

    def __init__(self, *answers: bytes | OSError, answer_s: float) -> None:
        super().__init__(*answers)
        self.now_s = 0.0
        self._answer_s = answer_s

    def receive(self, timeout_s: float) -> bytes:
        self.now_s += self._answer_s
        return super().receive(timeout_s)


@pytest.mark.parametrize(("step", "attempts"), [("many.copy", sessions.ATTEMPTS_MAX), ("many.random.strace", 1)])
def test_each_step_may_take_as_long_as_all_its_attempts(
    step: str, attempts: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    planned = next(one for one in PLANNED.runs if one.id == step)
    limits = planned.tracer_limits or planned.limits
    build_limits = SHORT.build_limits.model_copy(update={"wall_s": 0.1})
    plan = SHORT.model_copy(update={"runs": (planned,), "build_limits": build_limits, "program_wall_s": 1.0})
    sent = line(TOOLCHAIN), line(build("many")), line(run(step)), line(Done())
    slow = SlowTransport(*sent, answer_s=attempts * sessions.WALL_LIMITS_MAX * limits.wall_s)
    monkeypatch.setattr("grader.sandbox.session.time.monotonic", lambda: slow.now_s)
    assert len(all_events(GuestSession(slow, LAYOUT, replace(JOB, plan=plan)))) == len(sent) - 1


def test_a_connection_that_breaks() -> None:
    assert "connection to the sandbox broke" in failure(FakeTransport(ConnectionResetError(104, "reset")), all_events)


def test_a_guest_that_is_gone_before_its_request() -> None:
    message = failure(GoneTransport(words="python3: not found"), all_events)
    assert "the sandbox is gone" in message
    assert "python3: not found" in message


def test_a_guest_that_ends_while_it_is_sent_files_is_heard() -> None:
    fault = Fault(message="no space is left on the disk")
    message = failure(GoneTransport(line(fault), ConnectionResetError(104, "reset")), all_events)
    assert message == f"the guest failed: {fault.message}"
    half = failure(GoneTransport(line(fault)[:-9], TimeoutError()), all_events)
    assert "the sandbox is gone" in half


@pytest.mark.parametrize(
    "junk", [b"hello\n", b"{}\n", b'{"event": "party"}\n', b"\xff\xfe\n", b"\n", b'{"event":"done","x":1}\n']
)
def test_a_line_that_is_no_event(junk: bytes) -> None:
    assert "the guest sent something that is not an event" in failure(FakeTransport(junk), all_events)


def test_an_event_without_end(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sessions, "EVENT_BYTES_MAX", 100)
    assert "event without end" in failure(FakeTransport(b"x" * 60, b"x" * 60, b"x" * 60), all_events)


def test_an_output_is_fetched_in_pieces() -> None:
    pieces = [Chunk(step="many.copy", data=data, last=data == b"\xff") for data in (b"ab\n", b"", b"\xff")]
    transport = FakeTransport(line(*pieces))
    session = GuestSession(transport, LAYOUT, JOB)
    assert session.fetch("many.copy") == b"ab\n\xff"
    assert json.loads(transport.sent[-1]) == {"fetch": "many.copy"}


@pytest.mark.parametrize("answer", [Chunk(step="many.piped", data=b"", last=True), Done(), TOOLCHAIN])
def test_a_fetch_that_is_answered_with_something_else(answer: Event) -> None:
    message = failure(FakeTransport(line(answer)), lambda session: session.fetch("many.copy"))
    assert message == "the guest answered a fetch of many.copy with something else"


@pytest.mark.parametrize(
    ("events", "words"),
    [
        ([build("many")], "sent the build of many when the toolchain was due"),
        ([TOOLCHAIN, Done()], "sent the end when the build of many was due"),
        ([TOOLCHAIN, TOOLCHAIN], "sent the toolchain when the build of many was due"),
        ([TOOLCHAIN, build("single")], "sent the build of single when the build of many was due"),
        ([*WORK[:2], *WORK[3:]], "sent the run many.random.strace when the run many.copy was due"),
        ([*WORK[:3], WORK[2]], "sent the run many.copy when the run many.random.strace was due"),
        ([*WORK, WORK[3]], "sent the run many.random.strace when the end was due"),
        ([Chunk(step="a.b", data=b"", last=True)], "sent output of a.b when the toolchain was due"),
    ],
)
def test_an_event_that_is_not_the_next_of_the_plan(events: Sequence[Event], words: str) -> None:
    assert failure(FakeTransport(line(*events)), all_events) == f"the guest {words}"


def test_telling_a_guest_that_is_gone_to_end_is_fine() -> None:
    transport = FakeTransport()
    session = GuestSession(transport, LAYOUT, JOB)
    session._transport = GoneTransport()  # noqa: SLF001 - the guest goes in the middle
    session.end()


def test_all_guests_at_work_are_interrupted_and_only_those() -> None:
    at_work, one, two = ActiveTransports(), FakeTransport(), FakeTransport()
    with at_work.including(one):
        with at_work.including(two):
            at_work.interrupt()
        at_work.interrupt()
    at_work.interrupt()
    assert (one.interrupted, two.interrupted) == (2, 1)


def test_the_grader_gives_signs_several_times_as_often_as_the_guest_needs_them() -> None:
    assert sessions.ALIVE_S * 5 <= sessions.SILENCE_S
