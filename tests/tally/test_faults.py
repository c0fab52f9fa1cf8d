from __future__ import annotations

import errno
import os
from pathlib import Path

import pytest

from .harness import DEADLINE_S, FAULT_STATUS, STUDENT, Bench

TRUE = "/bin/true"

WRONG_OPTIONS = {
    "unknown": ["--bogus"],
    "unknown, broken UTF-8 and quotes": ['\udcff"\\\n'],
    "abbreviated": ["--wall", "1"],
    "program without --": [TRUE],
    "twice": ["--cpu-s", "1", "--cpu-s", "2"],
    "value is missing": ["--cpu-s"],
    "value is empty": ["--cpu-s", ""],
    "value is no number": ["--cpu-s", "one"],
    "value has a sign": ["--cpu-s", "+1"],
    "value is negative": ["--memory-bytes", "-1"],
    "value has a space": ["--cpu-s", " 1"],
    "value has a unit": ["--memory-bytes", "1k"],
    "value is a fraction": ["--cpu-s", "1.5"],
    "value is too small": ["--cpu-s", "0"],
    "value is too large": ["--memory-bytes", "9223372036854775808"],
    "wall is zero": ["--wall-s", "0"],
    "wall is not finite": ["--wall-s", "inf"],
    "wall is hexadecimal": ["--wall-s", "0x10"],
    "wall has an exponent": ["--wall-s", "1e3"],
    "wall has two points": ["--wall-s", "1.2.3"],
    "wall is a point": ["--wall-s", "."],
    "wall is empty": ["--wall-s", ""],
    "uid without gid": ["--uid", "1000"],
    "gid without uid": ["--gid", "1000"],
    "root": ["--uid", "0", "--gid", "0"],
    "root's group": ["--uid", "1000", "--gid", "0"],
    "uid that means no change": ["--uid", "4294967295", "--gid", "1000"],
    "uid too large": ["--uid", "4294967296", "--gid", "1000"],
    "folder is empty": ["--cwd", ""],
    "name is empty": ["--argv0", ""],
    "cpu too large": ["--pin-cpu", "1024"],
    "exec": ["--exec"],
    "two limits of processes": ["--processes", "64", "--spare-processes", "64"],
    "spare processes of another uid": ["--uid", "1000", "--gid", "1000", "--spare-processes", "64"],
    "nbyte without filter": ["--read-nbyte", "1"],
    "one nbyte with account": ["--mode", "account", "--read-nbyte", "1"],
    "nbyte without guard": ["--mode", "account", "--no-guard", "--read-nbyte", "1", "--write-nbyte", "1"],
    "stops without an engine": ["--mode", "plain", "--max-stops", "9"],
    "nbyte is zero": ["--mode", "filter", "--write-nbyte", "0"],
    "nbyte too large": ["--mode", "filter", "--write-nbyte", "4294967296"],
    "filter without guard": ["--mode", "filter", "--no-guard"],
    "mode unknown": ["--mode", "Plain"],
}


@pytest.mark.parametrize("case", WRONG_OPTIONS)
@pytest.mark.parametrize("first", [True, False])
def test_wrong_options(ordinary: Bench, case: str, *, first: bool) -> None:
    """Wherever the report's descriptor stands, it is known."""
    wrong = WRONG_OPTIONS[case]
    mode = [] if "--mode" in wrong else ["--mode", "plain"]
    report_read, report_write = os.pipe()
    report = ["--report-fd", report_write, *mode]
    arguments = [*wrong, *report] if first else [*report, *wrong]
    with os.fdopen(report_read, "rb") as channel:
        outcome = ordinary.run_bare(*arguments, "--", TRUE, pass_fds=[report_write])
        os.close(report_write)
        assert channel.read().startswith(b'{"tally":1,"fault":{"step":"options","errno":%d,' % errno.EINVAL)
    assert outcome.status == FAULT_STATUS
    assert outcome.stderr.startswith(b"tally: options: ")


@pytest.mark.parametrize(
    "arguments",
    [
        [],
        ["--"],
        ["--", TRUE],
        [TRUE],
        ["--report-fd"],
        ["--report-fd", "2", "--mode", "plain", "--", TRUE],
        ["--report-fd", "99999999999", "--mode", "plain", "--", TRUE],
        ["--mode", "plain", "--", TRUE],
        ["--exec", "--"],
        ["--exec", "--wall-s", "1", "--", TRUE],
        ["--exec", "--mode", "plain", "--", TRUE],
        ["--exec", "--exec", "--", TRUE],
        ["--options-fd"],
        ["--options-fd", "9"],
        ["--options-fd", "0"],
        ["--options-fd", "9", "--mode", "plain", "--", TRUE],
    ],
    ids=" ".join,
)
def test_wrong_options_without_a_report(ordinary: Bench, arguments: list[str]) -> None:
    outcome = ordinary.run_bare(*arguments)
    assert outcome.status == FAULT_STATUS
    assert outcome.stderr.startswith(b"tally: options: ")


def test_a_missing_program(ordinary: Bench) -> None:
    fault = ordinary.run([]).fault
    assert (fault["step"], fault["errno"]) == ("options", errno.EINVAL)


def test_a_closed_report(ordinary: Bench) -> None:
    outcome = ordinary.run_bare("--report-fd", "9", "--mode", "plain", "--", TRUE)
    assert outcome.status == FAULT_STATUS
    assert outcome.stderr.startswith(b"tally: report_fd: ")


def test_a_report_that_cannot_be_written(ordinary: Bench) -> None:
    with Path("/dev/null").open("rb") as file:
        fd = file.fileno()
        outcome = ordinary.run_bare("--report-fd", fd, "--mode", "plain", "--", TRUE, pass_fds=[fd])
    assert outcome.status == FAULT_STATUS
    assert outcome.stderr.startswith(b"tally: report_fd: ")


def test_nobody_reads_the_report(bench: Bench) -> None:
    running = bench.start(["/bin/sleep", "0.3"])
    os.close(running.report_fd)
    _, stderr = running.process.communicate(timeout=DEADLINE_S)
    assert running.process.returncode == FAULT_STATUS
    assert stderr == f"tally: report_fd: {os.strerror(errno.EPIPE)} (errno {errno.EPIPE})\n".encode()


@pytest.mark.parametrize("fd", [0, 1])
def test_a_closed_stream(ordinary: Bench, fd: int) -> None:
    fault = ordinary.run([TRUE], beneath=["/bin/sh", "-c", f'exec {fd}>&-; exec "$@"', "sh"]).fault
    assert (fault["step"], fault["errno"]) == ("streams", errno.EBADF)


def test_a_folder_that_is_missing(bench: Bench) -> None:
    fault = bench.run([TRUE], "--cwd", "/nonexistent").fault
    assert fault == {"step": "chdir", "errno": errno.ENOENT, "message": os.strerror(errno.ENOENT)}


def test_a_cpu_that_is_missing(bench: Bench) -> None:
    fault = bench.run([TRUE], "--pin-cpu", "1023").fault
    assert (fault["step"], fault["errno"]) == ("sched_setaffinity", errno.EINVAL)


def test_a_uid_that_may_not_be_taken(ordinary: Bench) -> None:
    fault = ordinary.run([TRUE], "--uid", str(STUDENT), "--gid", str(STUDENT)).fault
    assert fault == {"step": "setgroups", "errno": errno.EPERM, "message": os.strerror(errno.EPERM)}


def test_too_many_operands(ordinary: Bench) -> None:
    """The grader chose the operands, so this is not a failure of the program."""
    fault = ordinary.run([TRUE, *["x" * 1000] * 500], "--stack-bytes", str(1 << 18)).fault
    assert (fault["step"], fault["errno"]) == ("execve", errno.E2BIG)


def test_a_file_that_is_still_written(ordinary: Bench) -> None:
    path = ordinary.folder() / "program"
    path.write_bytes(Path(TRUE).read_bytes())
    path.chmod(0o755)
    with path.open("ab"):
        fault = ordinary.run([path]).fault
    assert (fault["step"], fault["errno"]) == ("execve", errno.ETXTBSY)


def test_a_tracer_is_there_already(account_bench: Bench, strace: str) -> None:
    """There cannot be two tracers; tally says so and reports no numbers."""
    fault = account_bench.run([TRUE], beneath=[strace, "-f", "-o", "/dev/null"]).fault
    assert (fault["step"], fault["errno"]) == ("ptrace", errno.EPERM)
