"""What comes out of a sandbox: events, tally's report and strace's logs may be anything, and no fault is a grade."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from grader.errors import SandboxError
from grader.grading.pipeline import GradingContext, grade
from grader.guest.launch import GuestError, Running
from grader.guest.own_time import OwnTime
from grader.guest.strace_log import StraceLog, read_log, read_summary
from grader.model.evidence import Done, Evidence, StepLeftOut, Trace
from grader.model.report import Report
from grader.sandbox.base import Job, Session
from grader.sandbox.session import GuestSession
from tests.unit.facts import LAB, SUBMISSION, TOOLCHAIN, evidence
from tests.unit.sandboxes import FakeSandbox
from tests.unit.test_session import JOB, LAYOUT, PLANNED
from tests.unit.test_strace_log import ENDED, LAUNCHER, STARTED
from tests.unit.test_strace_summary import TABLE
from tests.unit.transports import FakeTransport
from tests.waits import ENDS_S

from .damage import JSON, damaged, rearranged


def in_order(seen: Evidence) -> list[Mapping[str, Any]]:
    """The events of a guest that passes over nothing of the plan."""
    builds = [seen.builds[step.program] for step in PLANNED.builds]
    left_out = {step.id: StepLeftOut(step=step.id, why="not-cheap") for step in PLANNED.runs} | dict(seen.left_out)
    runs = [seen.runs.get(step.id) or left_out[step.id] for step in PLANNED.runs]
    return [json.loads(event.model_dump_json()) for event in (TOOLCHAIN, *builds, *runs, Done())]


EVENTS = in_order(evidence())
LOG = (
    LAUNCHER
    + STARTED
    + '100 read(0, "a", 1) = 1\n100 write(1, "b", 1) = 1\n'
    + "100 clone3({flags=CLONE_VM, stack=0x7f0000}, 88 <unfinished ...>\n101 read(0,  <unfinished ...>\n"
    + '100 <... clone3 resumed>) = 101\n101 <... read resumed>"ab", 4096) = 2\n101 +++ exited with 0 +++\n'
    + '100 --- SIGCHLD {si_signo=SIGCHLD} ---\n100 read(0, "", 1) = 0\n'
    + ENDED
)
REPORT = {
    "ending": {"kind": "exited", "code": 0},
    "wall_s": 0.1,
    "user_s": 0.1,
    "sys_s": 0.0,
    "peak_memory_bytes": 1 << 20,
    "accounting": {"reads": 3, "writes": 2, "read_bytes": 2, "written_bytes": 2},
    "trace": None,
}


class ScriptedSandbox(FakeSandbox):
    """Every guest sends the same bytes, whatever it was told to do."""

    def __init__(self, stream: bytes) -> None:
        super().__init__(lambda _job: ())
        self.stream = stream

    @contextmanager
    def open(self, job: Job, *, slot: int = 0) -> Iterator[Session]:
        assert slot >= 0
        yield GuestSession(FakeTransport(self.stream), LAYOUT, job)


def lines(events: Sequence[object]) -> bytes:
    return b"".join(json.dumps(event).encode("utf-8", "surrogatepass") + b"\n" for event in events)


def report_of(stream: bytes) -> Report:
    return grade(GradingContext(LAB, ScriptedSandbox(stream)), SUBMISSION)


def test_undamaged_events_are_full_marks() -> None:
    """What follows would hold too if nothing was ever graded."""
    report = report_of(lines(EVENTS))
    assert report.status == "graded"
    assert report.score == report.max_score


@given(damaged([lines(EVENTS)]))
def test_a_damaged_stream_of_events_is_graded_or_not_graded(stream: bytes) -> None:
    report = report_of(stream)
    assert (report.score is None) == (report.status == "not_graded")


@given(st.lists(st.one_of(st.sampled_from(EVENTS).flatmap(rearranged), JSON), max_size=6))
def test_events_of_any_content(events: Sequence[object]) -> None:
    report = report_of(lines([EVENTS[0], *events, EVENTS[-1]]))
    assert (report.score is None) == (report.status == "not_graded")


@given(st.sets(st.sampled_from(range(len(EVENTS))), min_size=1))
def test_a_guest_that_passes_over_a_step_gives_no_grade(missing: set[int]) -> None:
    report = report_of(lines([event for place, event in enumerate(EVENTS) if place not in missing]))
    assert report.status == "not_graded"


@given(st.lists(st.binary(max_size=40), max_size=5))
def test_an_answer_to_a_fetch_is_the_output_or_a_fault(answers: list[bytes]) -> None:
    session = GuestSession(FakeTransport(*answers), LAYOUT, JOB)
    with suppress(SandboxError):
        assert isinstance(session.fetch("many.copy"), bytes)


@given(damaged([json.dumps(REPORT).encode(), b'{"fault": {"step": "setresuid", "message": "EPERM"}}']))
def test_tally_s_report(written: bytes) -> None:
    ours, theirs = os.pipe()
    os.write(theirs, written[:60_000])
    os.close(theirs)
    process = subprocess.Popen([sys.executable, "-c", "pass"])
    try:
        report = Running(process, ours, OwnTime()).finish()
    except (GuestError, KeyError, TypeError, RecursionError):
        return  # the guest reports an error of any kind as its own fault (guest/main.py)
    finally:
        process.wait(ENDS_S)
    assert isinstance(report, dict)


def log_of(text: bytes) -> StraceLog:
    return read_log(text.decode("utf-8", "replace").splitlines(keepends=True))


@given(damaged([LOG.encode()]))
def test_strace_s_log(text: bytes) -> None:
    log = log_of(text)
    trace = Trace.model_validate(log.as_trace())
    assert all(count.calls > 0 and 0 <= count.errors <= count.calls for count in trace.calls.values())
    assert trace.stdin is not None
    assert trace.stdin.calls <= text.count(b"read") + text.count(b"resumed")


@given(st.sets(st.sampled_from(range(LOG.count("\n"))), min_size=1))
def test_a_log_without_the_end_of_a_process_is_not_complete(missing: set[int]) -> None:
    kept = [line for number, line in enumerate(LOG.splitlines(keepends=True)) if number not in missing]
    if not any("+++ exited" in line and line.startswith("100") for line in kept):
        assert not read_log(kept).complete


@given(damaged([TABLE.encode()]))
def test_the_table_of_strace(text: bytes) -> None:
    table, _ = read_summary(text.decode("utf-8", "replace").splitlines(keepends=True), StraceLog())
    assert all(count["calls"] >= 0 for count in table.values())
