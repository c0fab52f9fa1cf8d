"""Turn the events of guests into evidence."""

from __future__ import annotations

from collections.abc import Iterable

from grader.model.evidence import BuildDone, Engine, Evidence, RunDone, StepLeftOut, Toolchain
from grader.sandbox.base import ProgressEvent


class Collector:
    """Collects the events of one guest, or of several guests that work on different programs."""

    def __init__(self) -> None:
        self.toolchains: dict[int, Toolchain] = {}
        self.builds: dict[str, BuildDone] = {}
        self.runs: dict[str, RunDone] = {}
        self.left_out: dict[str, StepLeftOut] = {}

    def add(self, event: ProgressEvent, guest: int = 0) -> None:
        """Add an event of a guest; guests are counted from 0."""
        match event:
            case Toolchain():
                self.toolchains[guest] = event
            case BuildDone():
                self.builds[event.program] = event
            case RunDone():
                self.runs[event.step] = event
            case StepLeftOut():
                self.left_out[event.step] = event

    @property
    def missing(self) -> dict[Engine, str]:
        """Why each engine is missing that some guest lacks: no program may be judged as if it had been there."""
        return {engine: why for toolchain in self.toolchains.values() for engine, why in toolchain.missing.items()}

    def evidence(self) -> Evidence:
        """Return the evidence so far; builds, runs and steps left out that are added later appear in it too."""
        # Not validated again, and not copied: judging can begin before all events are in.
        return Evidence.model_construct(
            toolchain=self._toolchain(), builds=self.builds, runs=self.runs, left_out=self.left_out
        )

    def _toolchain(self) -> Toolchain | None:
        if not self.toolchains:
            return None
        return self.toolchains[min(self.toolchains)].model_copy(update={"missing": self.missing})


def collect(events: Iterable[ProgressEvent]) -> Evidence:
    """Collect all events of one guest.

    Raises:
        SandboxError: the guest failed; see Session.events.
    """
    collector = Collector()
    for event in events:
        collector.add(event)
    return collector.evidence()
