"""CPU time of the whole machine, as the kernel counts it."""

from __future__ import annotations

import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from bench.figures import NO_COST, Cost

COUNTED = {"user": 1, "nice": 2, "system": 3, "irq": 6, "softirq": 7}
"""Fields of the first line of /proc/stat (man 5 proc_stat); `user` already includes the time of virtual machines."""


def busy_s(stat: str, ticks_per_s: int) -> float:
    """Return the CPU seconds in the content of /proc/stat."""
    fields = stat.partition("\n")[0].split()
    return sum(int(fields[index]) for index in COUNTED.values()) / ticks_per_s


def machine_cpu_s() -> float:
    """Return the CPU seconds of everything on this machine since it started."""
    return busy_s(Path("/proc/stat").read_text(encoding="ascii"), os.sysconf("SC_CLK_TCK"))


def idle_share(wait_s: float) -> float:
    """Return how many processors are busy while the bench does nothing."""
    before, start = machine_cpu_s(), time.monotonic()
    time.sleep(wait_s)
    return (machine_cpu_s() - before) / (time.monotonic() - start)


@dataclass
class Meter:
    """Measures the cost of the whole machine, less `idle`, the processors that the idle machine uses."""

    idle: float
    cost: Cost = NO_COST

    @contextmanager
    def running(self) -> Iterator[None]:
        """Measure what happens in the context, including the engine's work."""
        before, start = machine_cpu_s(), time.monotonic()
        yield
        wall_s = time.monotonic() - start
        self.cost = Cost(max(0.0, machine_cpu_s() - before - self.idle * wall_s), wall_s)
