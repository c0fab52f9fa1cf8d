"""What a run shows of the limits that a program reached, and of the calls that the guard refused."""

from __future__ import annotations

import os
import platform
import signal
from pathlib import Path

import pytest

from .harness import Bench
from .test_child_set_up import kernel_has_landlock

LIMITS = (
    "--limits-only", "--memory-bytes", "500000000", "--open-files", "32", "--output-bytes", "100000", "--cpu-s", "1",
)  # fmt: skip


def seen(bench: Bench, act: str, *options: str, folder: str = ".") -> tuple[list[str], list[str]]:
    program = [str(bench.workshop.build("limited", "-fno-builtin")), act, folder, bench.mark]
    outcome = bench.run(program, *LIMITS, *options)
    assert outcome.ending == {"kind": "exited", "code": 0}
    return outcome.trace["refused"], outcome.trace["limits_reached"]


@pytest.mark.parametrize(
    ("act", "limit"),
    [
        ("memory", "memory"),
        ("descriptors", "open_files"),
        ("number", "open_files"),
        ("lowest number", "open_files"),
        ("ignored size", "file_size"),
        ("handled size", "file_size"),
        ("blocked size", "file_size"),
        ("time", "cpu_time"),
        ("blocked time", "cpu_time"),
    ],
)
def test_a_limit_that_is_reached(filter_bench: Bench, act: str, limit: str) -> None:
    assert seen(filter_bench, act) == ([], [limit])


def test_the_limit_of_locked_memory(filter_bench: Bench) -> None:
    assert seen(filter_bench, "lock") == ([], ["locked_memory"])


@pytest.mark.parametrize(
    "act",
    ["memory", "data", "descriptors", "ignored size", "handled size", "blocked size", "processes", "lock"],
)
def test_a_limit_that_the_program_has_set_itself_is_not_ours(filter_bench: Bench, act: str) -> None:
    assert seen(filter_bench, f"lowered {act}") == ([], [])


@pytest.mark.parametrize("act", ["lowered bytes", "bytes"])
def test_the_end_at_a_size_is_a_limit_only_if_it_is_ours(bench: Bench, act: str) -> None:
    with (bench.folder() / "output").open("wb") as output:
        program = [str(bench.workshop.build("limited", "-fno-builtin")), act, ".", bench.mark]
        outcome = bench.run(program, "--output-bytes", "10000", stdout=output)
    own = {"kind": "signalled", "signal": signal.SIGXFSZ.value}
    assert outcome.ending == (own if act.startswith("lowered") else {"kind": "limit", "limit": "output"})


def test_a_limit_that_ends_the_program_is_only_its_ending(filter_bench: Bench) -> None:
    copy = filter_bench.workshop.build("copy")
    with (filter_bench.folder() / "output").open("wb") as output, Path("/dev/zero").open("rb") as zeros:
        outcome = filter_bench.run([copy], *LIMITS, "--wall-s", "30", stdin=zeros, stdout=output)
    assert outcome.ending == {"kind": "limit", "limit": "output"}
    assert outcome.trace["limits_reached"] == []


def test_only_processes_are_refused_where_threads_are_allowed(filter_bench: Bench) -> None:
    refused, reached = seen(filter_bench, "threads", "--threads-only")
    assert {*refused} <= {"clone", "fork", "vfork"}
    assert refused != []
    assert reached == []


def test_only_processes_are_refused_without_a_tracer(plain_bench: Bench) -> None:
    program = [str(plain_bench.workshop.build("limited", "-fno-builtin")), "threads", ".", plain_bench.mark]
    assert plain_bench.run(program, "--threads-only").ending == {"kind": "exited", "code": 0}


def test_the_limit_of_processes(filter_bench: Bench) -> None:
    if not filter_bench.identity.options:
        pytest.skip("without a uid of its own, a program's limit counts all processes of the user")
    assert seen(filter_bench, "processes", "--processes", "8") == ([], ["processes"])


@pytest.mark.parametrize(("act", "call"), [("handler", "rt_sigaction"), ("session", "setsid")])
def test_a_refused_call(filter_bench: Bench, act: str, call: str) -> None:
    assert seen(filter_bench, act) == ([call], [])


def test_of_calls_that_are_refused_in_part_the_part_is_named(filter_bench: Bench) -> None:
    outcome = filter_bench.run([str(filter_bench.workshop.build("evader")), "try-all"], "--limits-only")
    parts = {name for name in outcome.trace["refused"] if " " in name}
    assert parts == {
        "prctl PR_SET_SECCOMP",
        "prctl PR_SET_DUMPABLE",
        "ioctl FICLONE",
        "ioctl FICLONERANGE",
        "clone CLONE_UNTRACED",
        "clone CLONE_PTRACE",
        "clone CLONE_NEWUSER",
        "socketpair not-AF_UNIX",
        "socketpair not-SOCK_STREAM",
    }
    assert {"setpgid", "socket"} <= {*outcome.trace["refused"]}
    assert parts.isdisjoint({part.partition(" ")[0] for part in outcome.trace["refused"] if " " not in part})


@pytest.mark.parametrize("act", ["int-0x80", "x32"])
def test_calls_of_another_architecture_are_refused(filter_bench: Bench, act: str) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("x86-64 alone has these two")
    outcome = filter_bench.run([str(filter_bench.workshop.build("evader")), act], "--limits-only")
    assert outcome.ending == {"kind": "signalled", "signal": signal.SIGSYS.value}
    assert outcome.trace["refused"] == ["syscall_unknown foreign"]


def test_a_program_that_ends_itself_like_the_guard_was_refused_nothing(filter_bench: Bench) -> None:
    outcome = filter_bench.run([str(filter_bench.workshop.build("limited")), "bad call"], "--limits-only")
    assert outcome.ending == {"kind": "signalled", "signal": signal.SIGSYS.value}
    assert outcome.trace["refused"] == []


def seen_in_folder(bench: Bench, act: str) -> list[str]:
    """Do something in a folder for a run, which is in a closed one and has a file."""
    own = bench.folder() / "own"
    own.mkdir()
    (own / "given").touch()
    (own / "given").chmod(0o666)
    own.chmod(0o777)
    own.parent.chmod(0o711)
    refused, reached = seen(bench, act, "--writable", str(own), folder=str(own))
    assert reached == []
    return refused


@pytest.mark.parametrize(
    ("act", "calls"),
    [
        (
            "files",
            ["rename outside", "mkdir outside", "symlink outside", "openat outside", "openat stream"],
        ),
        ("climb", ["mkdir outside", "openat outside", "mkdirat outside"]),
        ("move", ["rename moved"]),
        ("own", []),
    ],
)
def test_files_that_may_not_be_changed(filter_bench: Bench, act: str, calls: list[str]) -> None:
    if not kernel_has_landlock():
        pytest.skip("this kernel has no Landlock")
    assert seen_in_folder(filter_bench, act) == calls


@pytest.mark.parametrize(
    ("act", "calls"),
    [
        ("list", ["access listed", "openat listed"]),
        ("let list", ["openat listed"]),
        ("given", ["chmod given"]),
    ],
)
def test_what_belongs_to_another_uid_in_a_run(filter_bench: Bench, act: str, calls: list[str]) -> None:
    if os.geteuid() != 0:
        pytest.skip("without root, everything belongs to one uid")
    assert seen_in_folder(filter_bench, act) == calls


@pytest.mark.parametrize(
    ("act", "calls"),
    [("limits", ["prlimit64 raised"]), ("soft limit", ["prlimit64 raised"]), ("terminal", ["openat terminal"])],
)
def test_what_a_program_lacks(filter_bench: Bench, act: str, calls: list[str]) -> None:
    assert seen_in_folder(filter_bench, act) == calls


def test_what_fails_for_every_user_is_no_refusal(filter_bench: Bench) -> None:
    assert seen_in_folder(filter_bench, "wrong") == []


@pytest.mark.parametrize("act", ["none", "bytes", "shell", "own signals"])
def test_what_changes_nothing_for_the_program_is_not_named(filter_bench: Bench, act: str) -> None:
    assert seen(filter_bench, act) == ([], [])


def test_calls_that_cannot_fail_because_of_a_limit_are_not_stopped(filter_bench: Bench) -> None:
    program = [str(filter_bench.workshop.build("limited")), "bytes", filter_bench.mark]
    outcome = filter_bench.run(program, "--limits-only", "--max-stops", "200")
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert len(outcome.stdout) == 20000
