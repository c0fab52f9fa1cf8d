"""One run of the bench: set up, rounds, figures."""

from __future__ import annotations

import os
import platform
from collections.abc import Collection, Sequence
from contextlib import ExitStack, closing
from dataclasses import dataclass
from pathlib import Path
from statistics import median

from docker import DockerClient
from docker.errors import DockerException
from requests.exceptions import RequestException

from bench.figures import Line, Round, line
from bench.grading import Grading
from bench.lab import PART, Lab
from bench.machine import idle_share
from bench.naive import naive
from bench.programs import Programs
from bench.rounds import Step, alone_keys, one_round, programs_steps, rotated, strace_steps, tally_steps
from bench.rows import rows
from bench.stopwatches import Stopwatch, Timing, stopwatch_here, stopwatch_inside
from bench.table import Circumstances
from grader.errors import EngineUnavailableError, UsageError
from grader.messages import Notify
from grader.sandbox.engine import connect, find_image

GROUPS = ("tally", "strace", "grading", "naive")
"""What can be measured beside the programs alone."""

BOOT_ID = "/proc/sys/kernel/random/boot_id"


@dataclass(frozen=True)
class Result:
    """What a run of the bench found out."""

    circumstances: Circumstances
    rounds: Sequence[Round]
    lines: Sequence[Line]

    @property
    def all_met(self) -> bool:
        """Whether every target was met."""
        return all(outcome.met for one in self.lines for outcome in one.outcomes)


def measure(lab: Lab, groups: Collection[str], rounds: int, idle_s: float, notify: Notify) -> Result:
    """Measure so many rounds; `idle_s` seconds of each are spent on watching the idle machine.

    Raises:
        GraderError: something cannot be measured here.
    """
    try:
        with ExitStack() as stack:
            client = stack.enter_context(closing(connect()))
            bench = _Bench(lab, groups, idle_s, notify)
            steps = bench.steps(stack, client)
            done = [bench.round(number, rounds, steps) for number in range(rounds)]
    except (DockerException, RequestException) as error:
        raise EngineUnavailableError(f"the Docker engine failed: {error}") from error
    circumstances = bench.circumstances(rounds)
    lines = [line(row, done, quiet=circumstances.quiet) for row in rows(lab, groups)]
    return Result(circumstances, done, lines)


class _Bench:
    def __init__(self, lab: Lab, groups: Collection[str], idle_s: float, notify: Notify) -> None:
        self._lab = lab
        self._groups = groups
        self._idle_s = idle_s
        self._notify = notify
        self._idle: list[float] = []

    def steps(self, stack: ExitStack, client: DockerClient) -> list[Step]:
        """Set up and return what a round is made of."""
        lab, image = self._lab, find_image(client)
        if image is None:
            raise EngineUnavailableError("the runner image is not built; run: grader image build")
        files = {f"sources/{name}": data for name, data in lab.sources.items()}
        files |= {f"inputs/{name}": data for name, data in lab.inputs.items()}
        inside = stack.enter_context(stopwatch_inside(client, image, files, lab.spec.limits.processes))
        _require_engine_here(inside)
        programs = Programs(lab, inside)
        steps = programs_steps(lab, programs)
        if "tally" in self._groups:
            steps += tally_steps(lab, programs)
        if "strace" in self._groups:
            steps += strace_steps(lab, programs)
        if "grading" in self._groups:
            self._notify("grading once, so that the reference is in the cache")
            grading = Grading(lab, stack.enter_context(stopwatch_here()))
            steps.append(Step("grading", lambda: grading.measure(self._idle[-1])))
        if "naive" in self._groups:
            steps.append(Step("naive", lambda: {"naive": naive(client, image, lab, self._idle[-1])}))
        return steps

    def round(self, number: int, rounds: int, steps: Sequence[Step]) -> Round:
        """Run one round."""
        if {"grading", "naive"} & set(self._groups):
            self._idle.append(idle_share(self._idle_s))

        def notify(title: str) -> None:
            self._notify(f"round {number + 1} of {rounds}: {title}")

        return one_round(alone_keys(self._lab), rotated(steps, number), notify)

    def circumstances(self, rounds: int) -> Circumstances:
        """Return what the figures rest on."""
        return Circumstances(
            rounds=rounds,
            main_case=self._lab.main_case,
            size_bytes=self._lab.size_bytes,
            part_bytes=len(self._lab.inputs[PART]),
            processors=len(os.sched_getaffinity(0)),
            system=f"{platform.machine()}, {platform.system()} {'.'.join(platform.release().split('.')[:2])}",
            idle=median(self._idle) if self._idle else None,
        )


def _require_engine_here(inside: Stopwatch) -> None:
    """Make sure that containers run on the kernel whose clock we read.

    Raises:
        UsageError: the engine is on another machine.
    """
    asked = Timing(["/bin/sh", "-c", f"cat {BOOT_ID} >&2"], environment={}, stderr="/work/boot-id")
    if inside.run(asked).stderr != Path(BOOT_ID).read_text(encoding="ascii"):
        raise UsageError(
            "the Docker engine runs on another machine; run the bench there, as it counts that one's CPU"
        )
