"""Turn the events of guests into evidence."""

from __future__ import annotations

from collections.abc import Iterable

from grader.errors import SandboxError
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut, Toolchain
from grader.sandbox.base import Progress


class Collector:
    """Collects the events of one guest, or of several guests that work on different programs."""

    def __init__(self) -> None:
        self.toolchains: dict[int, Toolchain] = {}
        self.builds: dict[str, BuildDone] = {}
        self.runs: dict[str, RunDone] = {}
        self.left_out: dict[str, StepLeftOut] = {}

    def add(self, event: Progress, guest: int = 0) -> None:
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

    def expect_toolchain(self, guest: int = 0) -> None:
        """Make sure that a guest sent its toolchain; call this when its events have ended.

        Raises:
            SandboxError: the guest did not send its toolchain, which must be its first event.
        """
        if guest not in self.toolchains:
            raise SandboxError("the guest did not say what it found around it")

    def evidence(self) -> Evidence:
        """Return the evidence so far; builds, runs and steps left out that are added later appear in it too."""
        # Not validated again, and not copied: judging can begin before all events are in.
        return Evidence.model_construct(
            toolchain=self._toolchain(), builds=self.builds, runs=self.runs, left_out=self.left_out
        )

    def _toolchain(self) -> Toolchain | None:
        toolchains = [self.toolchains[guest] for guest in sorted(self.toolchains)]
        if not toolchains:
            return None
        # An engine that one guest lacks counts as missing: its programs must not be judged as if it had been there.
        missing = {engine: why for toolchain in toolchains for engine, why in toolchain.missing.items()}
        return toolchains[0].model_copy(update={"missing": missing})


def collect(events: Iterable[Progress]) -> Evidence:
    """Collect all events of one guest.

    Raises:
        SandboxError: the guest failed; see Session.events.
    """
    collector = Collector()
    for event in events:
        collector.add(event)
    collector.expect_toolchain()
    return collector.evidence()
