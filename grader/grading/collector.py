"""From a guest's events to evidence."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

from grader.errors import SandboxError
from grader.model.evidence import BuildDone, Evidence, RunDone, StepLeftOut, Toolchain
from grader.sandbox.base import Progress


def collect(events: Iterable[Progress], watch: Callable[[Progress], None] | None = None) -> Evidence:
    """Gather all events, showing each to `watch` as it comes.

    Raises:
        SandboxError: the guest's work went wrong; see Session.events.
    """
    toolchain: Toolchain | None = None
    builds: dict[str, BuildDone] = {}
    runs: dict[str, RunDone] = {}
    left_out: dict[str, StepLeftOut] = {}
    for event in events:
        if watch is not None:
            watch(event)
        match event:
            case Toolchain():
                toolchain = event
            case BuildDone():
                builds[event.program] = event
            case RunDone():
                runs[event.step] = event
            case StepLeftOut():
                left_out[event.step] = event
    if toolchain is None:
        raise SandboxError("the guest did not say what it found around it")
    return Evidence(toolchain=toolchain, builds=builds, runs=runs, left_out=left_out)


def together(parts: Sequence[Evidence]) -> Evidence:
    """Return as one what guests of the same kind found out about different programs; at least one."""
    found = [part.toolchain for part in parts if part.toolchain is not None]
    # What one of them could not use is missing: its programs must not be judged as if it had been there.
    missing = {engine: why for toolchain in found for engine, why in toolchain.missing.items()}
    return Evidence(
        toolchain=found[0].model_copy(update={"missing": missing}) if found else None,
        builds={name: build for part in parts for name, build in part.builds.items()},
        runs={step: run for part in parts for step, run in part.runs.items()},
        left_out={step: left for part in parts for step, left in part.left_out.items()},
    )
