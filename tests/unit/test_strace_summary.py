"""The table of `strace -c`, and logs of the strace that is on this machine."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from grader.guest.strace_log import StraceLog, StreamCounter, read_log, read_summary
from tests.waits import ENDS_S

TABLE = """\
% time     seconds  usecs/call     calls    errors syscall
------ ----------- ----------- --------- --------- ----------------
 62.01    9.300721           1   5000000           write
 37.98    5.696233           1   5000004           read
  0.00    0.000038          19         2           execve
  0.00    0.000021           3         7         3 openat
  0.00    0.000012          12         1           setresuid
  0.00    0.000011          11         2         2 access
------ ----------- ----------- --------- --------- ----------------
100.00   14.997036           1  10000016         5 total
"""
LAUNCHER = Counter({"execve": 1, "read": 2, "openat": 4, "setresuid": 1, "access": 1})
LAUNCHER_ERRORS = Counter({"openat": 2, "access": 1})
TEXT = b'a") = 7\n'
COPY = "import os\nwhile (byte := os.read(0, 1)): os.write(1, byte)"


def test_the_launcher_s_calls_and_errors_are_taken_off() -> None:
    short = StraceLog()
    short.launcher, short.launcher_errors = LAUNCHER, LAUNCHER_ERRORS
    table, is_complete = read_summary(TABLE.splitlines(keepends=True), short)
    assert is_complete
    assert table == {
        "access": {"calls": 2 - 1, "errors": 2 - 1},
        "execve": {"calls": 2 - 1, "errors": 0},
        "openat": {"calls": 7 - 4, "errors": 3 - 2},
        "read": {"calls": 5_000_004 - 2, "errors": 0},
        "write": {"calls": 5_000_000, "errors": 0},
    }


def test_a_table_that_is_not_there_counts_nothing() -> None:
    assert read_summary([], StraceLog()) == ({}, False)


@pytest.mark.parametrize("missing", ["total", "openat"])
def test_a_table_of_which_a_line_is_missing_is_not_complete(missing: str) -> None:
    lines = [line for line in TABLE.splitlines(keepends=True) if missing not in line]
    assert not read_summary(lines, StraceLog())[1]


def strace(tmp_path: Path, *options: str) -> Path:
    """Trace a launcher (env) and the program that it executes."""
    tracer = shutil.which("strace")
    if tracer is None:
        pytest.skip("strace is not installed here")
    log = tmp_path / "log"
    program = [shutil.which("env") or "env", sys.executable, "-I", "-S", "-c", COPY]
    done = subprocess.run(
        [tracer, *options, "-f", "-o", log, *program], input=TEXT, capture_output=True, timeout=ENDS_S, check=False
    )
    if b"ptrace" in done.stderr:
        pytest.skip(f"strace may not trace here: {os.fsdecode(done.stderr)}")
    assert done.stdout == TEXT
    return log


def test_a_log_of_this_machine_s_strace_is_read_whole(tmp_path: Path) -> None:
    with strace(tmp_path).open(encoding="utf-8") as lines:
        log = read_log(lines)
    assert log.complete
    assert log.exit_code == 0
    assert log.stdin == StreamCounter(calls=len(TEXT) + 1, bytes=len(TEXT), nbyte_min=1, nbyte_max=1)
    assert log.stdout == StreamCounter(calls=len(TEXT), bytes=len(TEXT), nbyte_min=1, nbyte_max=1)
    assert log.launcher["execve"] == log.calls["execve"] == 1
    assert log.excerpt[0].startswith('read(0, "a", 1)')


def test_the_table_of_this_machine_s_strace_agrees_with_its_log(tmp_path: Path) -> None:
    with strace(tmp_path).open(encoding="utf-8") as lines:
        log = read_log(lines)
    with strace(tmp_path, "-c").open(encoding="utf-8") as lines:
        table, is_complete = read_summary(lines, log)
    assert is_complete
    for name in ("execve", "read", "write"):
        assert table[name]["calls"] == log.calls[name], name
