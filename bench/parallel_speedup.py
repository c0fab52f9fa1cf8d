"""How much faster the programs are on all processors at once: a grader cannot gain more on this machine."""

from __future__ import annotations

import os
import shlex
import statistics
import subprocess
import time
from collections.abc import Sequence
from pathlib import Path

from bench.lab import MeasuredLab

ROUNDS = 5


def parallel_speedup(lab: MeasuredLab, scratch: Path) -> float:
    """Return how much work one copy of the programs per processor does, as a multiple of one copy; no container.

    The result is less than the number of processors if they share a core, or the time of a host.
    """
    commands = [_command(lab, program, scratch) for program in lab.spec.programs]
    processors = sorted(os.sched_getaffinity(0))
    ratios = []
    for _ in range(ROUNDS):
        alone_s = _took_s(commands, processors[:1])
        together_s = _took_s(commands, processors)
        ratios.append(len(processors) * alone_s / together_s)
    return statistics.median(ratios)


def _command(lab: MeasuredLab, program: str, scratch: Path) -> str:
    executable = scratch / program
    source = scratch / lab.spec.programs[program].main_source
    source.write_bytes(lab.sources[source.name])
    subprocess.run(lab.compile_command(program, str(executable)), cwd=scratch, check=True)
    case = lab.cases[lab.main_case]
    data = scratch / case.input
    data.write_bytes(lab.inputs[case.input])
    operands = [os.fsdecode(operand) for operand in case.arguments]
    return (
        f"{shlex.join([str(executable), *operands])} < {shlex.quote(str(data))} > {shlex.quote(str(executable))}.$CPU"
    )


def _took_s(commands: Sequence[str], processors: Sequence[int]) -> float:
    """Return the seconds until all commands have run, in their order, on each of the processors at the same time."""
    line = " && ".join(commands)
    start = time.perf_counter()
    running = [
        subprocess.Popen(  # util-linux, wherever it is
            ["taskset", "-c", str(cpu), "sh", "-c", line],  # noqa: S607
            env={**os.environ, "CPU": str(cpu)},
        )
        for cpu in processors
    ]
    for process in running:
        if status := process.wait():
            raise subprocess.CalledProcessError(status, process.args)
    return time.perf_counter() - start
