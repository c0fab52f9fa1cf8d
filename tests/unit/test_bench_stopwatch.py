from __future__ import annotations

import sys
from pathlib import Path

import pytest

from bench.stopwatch import REPORT_FD
from bench.stopwatch_client import TimedCommand, stopwatch_here
from grader.errors import GraderError

BURN_S = 0.2
BURNS = f"import time\nwhile time.process_time() < {BURN_S}: pass"


def test_a_stopwatch_measures_one_program_after_the_other(tmp_path: Path) -> None:
    with stopwatch_here() as stopwatch:
        burn = stopwatch.run(TimedCommand([sys.executable, "-S", "-c", BURNS]))
        sleep = stopwatch.run(TimedCommand(["/bin/sleep", str(BURN_S)]))
        talk = stopwatch.run(
            TimedCommand(
                ["/bin/sh", "-c", 'printf four; echo why >&2; echo said >"/dev/fd/$1"', "sh", REPORT_FD],
                stdout=str(tmp_path / "out"),
                stderr=str(tmp_path / "err"),
                report=str(tmp_path / "report"),
            )
        )
    assert burn.cost.cpu_s >= BURN_S
    assert sleep.cost.wall_s >= BURN_S > sleep.cost.cpu_s
    assert sleep.cost.peak_memory_bytes
    assert (talk.stdout_bytes, talk.stderr, talk.report) == (len("four"), "why\n", "said\n")


def test_a_program_that_fails_is_told_of(tmp_path: Path) -> None:
    with stopwatch_here() as stopwatch, pytest.raises(GraderError, match="ended with status 3: why"):
        stopwatch.run(TimedCommand(["/bin/sh", "-c", "echo why >&2; exit 3"], stderr=str(tmp_path / "err")))


def test_a_stopwatch_that_breaks_is_told_of() -> None:
    with stopwatch_here() as stopwatch, pytest.raises(GraderError, match="the stopwatch has ended"):
        stopwatch.run(TimedCommand(["/no/such/program"]))
