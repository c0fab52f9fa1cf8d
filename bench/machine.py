"""Processor time of the whole machine, as the kernel counts it for everybody."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.figures import NOTHING, Cost

COUNTED = {"user": 1, "nice": 2, "system": 3, "irq": 6, "softirq": 7}
"""Fields of the first line of /proc/stat (man 5 proc_stat); guests' time is in `user` already."""


def busy_s(stat: str, ticks_per_s: int) -> float:
    """Return the processor time that a /proc/stat tells of."""
    fields = stat.partition("\n")[0].split()
    return sum(int(fields[place]) for place in COUNTED.values()) / ticks_per_s


def machine_cpu_s() -> float:
    """Return the processor time of everything on this machine since it started."""
    return busy_s(Path("/proc/stat").read_text(encoding="ascii"), os.sysconf("SC_CLK_TCK"))


def idle_share(wait_s: float) -> float:
    """Return how many processors the machine is busy with while we do nothing."""
    before, start = machine_cpu_s(), time.monotonic()
    time.sleep(wait_s)
    return (machine_cpu_s() - before) / (time.monotonic() - start)


@dataclass
class Meter:
    """What went by between two readings, the idle machine's share taken off."""

    idle: float
    cost: Cost = NOTHING

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what is done in the context, the engine's part of it included."""
        before, start = machine_cpu_s(), time.monotonic()
        yield
        wall_s = time.monotonic() - start
        self.cost = Cost(max(0.0, machine_cpu_s() - before - self.idle * wall_s), wall_s)
