"""What a run shows of the limits that a program reached, and of the calls that the guard refused."""

from __future__ import annotations

import pytest

from .harness import Bench
from .test_child_set_up import kernel_has_landlock

LIMITS = ("--limits-only", "--memory-bytes", "500000000", "--open-files", "32")


def seen(bench: Bench, act: str, *options: str, folder: str = ".") -> tuple[list[str], list[str]]:
    program = [str(bench.workshop.build("limited", "-fno-builtin")), act, folder, bench.mark]
    outcome = bench.run(program, *LIMITS, *options)
    assert outcome.ending == {"kind": "exited", "code": 0}
    return outcome.trace["refused"], outcome.trace["limits_reached"]


@pytest.mark.parametrize(("act", "limit"), [("memory", "memory"), ("descriptors", "open_files")])
def test_a_limit_that_is_reached(filter_bench: Bench, act: str, limit: str) -> None:
    assert seen(filter_bench, act) == ([], [limit])


def test_the_limit_of_processes(filter_bench: Bench) -> None:
    if not filter_bench.identity.options:
        pytest.skip("without a uid of its own, a program's limit counts all processes of the user")
    assert seen(filter_bench, "processes", "--processes", "8") == ([], ["processes"])


@pytest.mark.parametrize(("act", "call"), [("handler", "rt_sigaction"), ("session", "setsid")])
def test_a_refused_call(filter_bench: Bench, act: str, call: str) -> None:
    assert seen(filter_bench, act) == ([call], [])


@pytest.mark.parametrize(("act", "calls"), [("files", {"openat", "mkdir", "unlink"}), ("own", set())])
def test_files_that_may_not_be_changed(filter_bench: Bench, act: str, calls: set[str]) -> None:
    if not kernel_has_landlock():
        pytest.skip("this kernel has no Landlock")
    own = filter_bench.folder() / "own"
    own.mkdir()
    own.chmod(0o777)
    refused, reached = seen(filter_bench, act, "--writable", str(own), folder=str(own))
    assert ({*refused}, reached) == (calls, [])


@pytest.mark.parametrize("act", ["none", "bytes", "shell"])
def test_what_changes_nothing_for_the_program_is_not_named(filter_bench: Bench, act: str) -> None:
    assert seen(filter_bench, act) == ([], [])


def test_calls_that_cannot_fail_because_of_a_limit_are_not_stopped(filter_bench: Bench) -> None:
    program = [str(filter_bench.workshop.build("limited")), "bytes", filter_bench.mark]
    outcome = filter_bench.run(program, "--limits-only", "--max-stops", "200")
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert len(outcome.stdout) == 20000
