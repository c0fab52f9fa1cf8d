"""What a sandbox is: it runs guests, each of which works through one submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from grader.model.evidence import BuildDone, RunDone, StepLeftOut, Toolchain
from grader.model.plan import Plan
from grader.model.report import Isolation

ProgressEvent = Toolchain | BuildDone | RunDone | StepLeftOut
"""The guest's events that describe the plan's steps and tools: all except done, fault and chunk."""


@dataclass(frozen=True)
class Job:
    """One submission for the guest: the plan, and its sources and inputs by file name.

    Only inputs that the plan's runs have are kept. A program can see how much space all inputs of its guest take, and
    others may be hidden.
    """

    plan: Plan
    sources: Mapping[str, bytes]
    inputs: Mapping[str, bytes]

    def __post_init__(self) -> None:
        used = {name: data for name, data in self.inputs.items() if name in self.plan.used_inputs}
        object.__setattr__(self, "inputs", used)


class Session(Protocol):
    """A running guest."""

    def events(self) -> Iterator[ProgressEvent]:
        """Yield each event as it comes, until all work is done.

        Raises:
            SandboxError: the guest failed, was silent for too long, or its stream ended early.
        """

    def work_on(self, job: Job) -> None:
        """Give the guest more work; only after `events` has ended, which then yields the new events.

        A later plan may run what an earlier one built, and gets the inputs of the earlier ones.

        Raises:
            SandboxError: as above.
        """

    def fetch(self, step: str) -> bytes:
        """Return the standard output of a step, only after `events` has ended.

        It is cut if the guest had no room for all outputs.

        Raises:
            SandboxError: as above.
        """


class Sandbox(Protocol):
    """Runs submissions.

    `image_digest` is None if there is no image. `runner` names what verdicts depend on: the guest, and its image or
    compiler. `cpus` is the number of jobs that can each have their own CPU.
    """

    isolation: Isolation
    image_digest: str | None
    runner: str
    cpus: int

    def identity(self) -> str:
        """Return everything that outputs and counts may depend on, as text: the runner and the kernel."""

    def interrupt(self) -> None:
        """End every running guest, from another thread; readers of its events get a SandboxError."""

    def close(self) -> None:
        """Free what the sandbox holds; no guest must be running."""

    def open(self, job: Job, *, slot: int = 0) -> AbstractContextManager[Session]:
        """Start a guest on a job; leaving the context ends the guest and removes everything that it left.

        `slot` counts jobs that run at the same time from 0; each gets its own CPU, and locally its own uid.

        Raises:
            EngineUnavailableError: the sandbox is not available at all.
            SandboxError: this guest could not be started.
        """
