"""What a sandbox is: a place where the guest works through one submission."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Protocol

from grader.model.evidence import BuildDone, RunDone, StepLeftOut, Toolchain
from grader.model.plan import Work
from grader.model.report import Isolation

Progress = Toolchain | BuildDone | RunDone | StepLeftOut
"""Events that say that something was done."""


@dataclass(frozen=True)
class Job:
    """One submission for the guest: the work, and file names with contents of its sources and inputs."""

    work: Work
    sources: Mapping[str, bytes]
    inputs: Mapping[str, bytes]


class Session(Protocol):
    """A guest at work."""

    def events(self) -> Iterator[Progress]:
        """Yield what was done as it is done, until all is.

        Raises:
            SandboxError: the guest failed, fell silent, or its stream ended early.
        """

    def fetch(self, step: str) -> bytes:
        """Return the whole standard output of a step; only after `events` has ended.

        Raises:
            SandboxError: as above.
        """


class Sandbox(Protocol):
    """Where submissions run.

    `image_digest` is None where there is no image. `runner` names what verdicts follow from: the guest, and its image
    or compiler. `cpus` is how many jobs can have a CPU of their own.
    """

    isolation: Isolation
    image_digest: str | None
    runner: str
    cpus: int

    def identity(self) -> str:
        """Return, as text, all that outputs and counts may depend on: the runner, and the kernel."""

    def interrupt(self) -> None:
        """End every guest at work, from another thread; whoever reads its events gets a SandboxError."""

    def close(self) -> None:
        """Free what the sandbox holds; no guest may be at work."""

    def open(self, job: Job, *, slot: int = 0) -> AbstractContextManager[Session]:
        """Start a guest on a job; leaving the context ends it and removes all that it left.

        `slot` counts jobs that run at the same time from 0; each gets a CPU, and locally a uid, of its own.

        Raises:
            EngineUnavailableError: the place cannot be had at all.
            SandboxError: this guest could not be started.
        """
