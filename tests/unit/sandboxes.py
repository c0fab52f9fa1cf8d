"""A sandbox that runs nothing: each submission gets the evidence that was written down for it."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field

from grader.model.evidence import Evidence, RunDone
from grader.model.report import Check, Isolation, Report
from grader.options import Observer
from grader.sandbox.base import Job, ProgressEvent, Session

from .facts import TOOLCHAIN, captured


def events_of(evidence: Evidence) -> list[ProgressEvent]:
    found: list[ProgressEvent] = [evidence.toolchain or TOOLCHAIN]
    return [*found, *evidence.builds.values(), *evidence.runs.values(), *evidence.left_out.values()]


def unfetched(evidence: Evidence, *steps: str) -> Evidence:
    """The same evidence with the outputs of some steps left in the sandbox."""

    def without(run: RunDone) -> RunDone:
        kept = captured(run.stdout.data or b"", kept=run.step not in steps)
        return run.model_copy(update={"stdout": kept})

    return evidence.model_copy(update={"runs": {step: without(run) for step, run in evidence.runs.items()}})


@dataclass
class Recorder(Observer):
    """Remembers everything that it learns."""

    steps: list[ProgressEvent] = field(default_factory=list)
    checks: list[Check] = field(default_factory=list)
    reports: list[Report] = field(default_factory=list)
    judgements: list[Report] = field(default_factory=list)

    def event_received(self, event: ProgressEvent) -> None:
        self.steps.append(event)

    def check_decided(self, check: Check) -> None:
        self.checks.append(check)

    def report_updated(self, make_report: Callable[[], Report]) -> None:
        self.reports.append(make_report())

    def judged(self, report: Report) -> None:
        self.judgements.append(report)


Script = Callable[[Job], Iterable[ProgressEvent | Exception]]


@dataclass
class FakeSession:
    """Yields events, and raises what stands among them."""

    script: Iterable[ProgressEvent | Exception]
    outputs: Mapping[str, bytes]
    fetched: list[str]
    next_script: Callable[[Job], Iterable[ProgressEvent | Exception]]

    def events(self) -> Iterator[ProgressEvent]:
        for event in self.script:
            if isinstance(event, Exception):
                raise event
            yield event

    def work_on(self, job: Job) -> None:
        self.script = self.next_script(job)

    def fetch(self, step: str) -> bytes:
        self.fetched.append(step)
        return self.outputs[step]


@dataclass
class FakeSandbox:
    """Asks a script what happens with a job: runs that checkers or limits are looked at in have their own."""

    script: Script
    outputs: Mapping[str, bytes] = field(default_factory=dict)
    isolation: Isolation = "none"
    image_digest: str | None = None
    runner: str = "fake"
    cpus: int = 2
    checker_script: Script = lambda _job: ()
    limit_script: Script = lambda _job: ()
    jobs: list[Job] = field(default_factory=list)
    checker_jobs: list[Job] = field(default_factory=list)
    limit_jobs: list[Job] = field(default_factory=list)
    order: list[str] = field(default_factory=list)
    slots: list[int] = field(default_factory=list)
    fetched: list[str] = field(default_factory=list)
    at_work: int = 0
    interrupted: int = 0
    on_interrupt: Callable[[], None] = lambda: None

    def identity(self) -> str:
        return self.runner

    def interrupt(self) -> None:
        self.interrupted += 1
        self.on_interrupt()

    def close(self) -> None:
        return

    @contextmanager
    def open(self, job: Job, *, slot: int = 0) -> Iterator[Session]:
        self.at_work += 1
        try:
            if not any(run.checker or run.limits_only for run in job.plan.runs):
                self.order.append("programs")
                self.slots.append(slot)
            yield FakeSession(self._work_on(job), self.outputs, self.fetched, self._work_on)
        finally:
            self.at_work -= 1

    def _work_on(self, job: Job) -> Iterable[ProgressEvent | Exception]:
        if any(run.checker for run in job.plan.runs):
            # One after the other, in the same guest.
            self.order += ["checkers"] if self.order[-1:] != ["checkers"] else []
            self.checker_jobs.append(job)
            return self.checker_script(job)
        if any(run.program.endswith("_restricted") for run in job.plan.runs):
            self.limit_jobs.append(job)
            return self.limit_script(job)
        self.jobs.append(job)
        return self.script(job)
