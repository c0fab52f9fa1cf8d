"""What the guard refuses, in every mode and under strace, and what it lets be."""

from __future__ import annotations

import errno
import platform
import signal
import subprocess
from dataclasses import replace
from pathlib import Path

import pytest

from .harness import DEADLINE_S, Bench, Outcome

REFUSED = {
    "io_uring_setup": 1,
    "io_uring_enter": 1,
    "io_uring_register": 1,
    "io_setup": 1,
    "io_submit": 1,
    "seccomp": 3,
    "prctl": 3,
    "ptrace": 1,
    "process_vm_readv": 1,
    "process_vm_writev": 1,
    "pidfd_getfd": 1,
    "keyctl": 1,
    "add_key": 1,
    "request_key": 1,
    "bpf": 1,
    "userfaultfd": 1,
    "perf_event_open": 1,
    "vmsplice": 1,
    "clone": 3,
    "unshare": 1,
    "setns": 1,
    "clone3": 1,
    "setsid": 1,
    "setpgid": 1,
    "kill": 1,
    "shmget": 1,
    "shmat": 1,
    "shmctl": 1,
    "shmdt": 1,
    "semget": 1,
    "semop": 1,
    "semtimedop": 1,
    "semctl": 1,
    "msgget": 1,
    "msgsnd": 1,
    "msgrcv": 1,
    "msgctl": 1,
    "mq_open": 1,
    "mq_unlink": 1,
    "mq_timedsend": 1,
    "mq_timedreceive": 1,
    "mq_notify": 1,
    "mq_getsetattr": 1,
    "inotify_init1": 1,
    "fcntl": 1,
    "ioctl": 2,
    "fanotify_init": 1,
    "socket": 5,
    "socketpair": 4,
    "bind": 1,
    "connect": 1,
}
"""How often programs/evader.c tries each."""

KILLED = ["int-0x80", "x32"]


def evader(bench: Bench, *words: object) -> list[str]:
    return [str(bench.workshop.build("evader")), *map(str, words), bench.mark]


def refusals(said: bytes) -> list[str]:
    return [line for line in said.decode().splitlines() if " " in line]


EXPECTED = [
    f"{name} {errno.ENOSYS if name == 'clone3' else errno.EPERM}" for name in REFUSED for _ in range(REFUSED[name])
]


def test_refused_calls(bench: Bench) -> None:
    outcome = bench.run(evader(bench, "try-all"))
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert refusals(outcome.stderr) == EXPECTED


def test_refused_calls_are_counted(filter_bench: Bench) -> None:
    outcome = filter_bench.run(evader(filter_bench, "try-all"))
    assert {name: outcome.calls(name) for name in REFUSED} == {
        name: (tries, tries) for name, tries in REFUSED.items()
    }
    assert outcome.trace["complete"]


def run_in_place(bench: Bench, strace: str, log: Path | str, *words: object) -> subprocess.CompletedProcess[bytes]:
    tally = [str(bench.workshop.tally()), "--exec", *bench.identity.options, "--"]
    command = [strace, "-f", "-o", str(log), *tally, *evader(bench, *words)]
    return subprocess.run(command, capture_output=True, check=False, timeout=DEADLINE_S, cwd="/")


def test_refused_calls_beneath_strace(natural: Bench, strace: str) -> None:
    assert refusals(run_in_place(natural, strace, "/dev/null", "try-all").stderr) == EXPECTED


@pytest.mark.parametrize("act", KILLED)
def test_calls_of_another_architecture_end_the_program(bench: Bench, act: str) -> None:
    if platform.machine() != "x86_64":
        pytest.skip("x86-64 alone has these two")
    outcome = bench.run(evader(bench, act))
    assert outcome.ending == {"kind": "signalled", "signal": signal.SIGSYS}
    assert outcome.stdout == b""


def test_no_call_by_number_is_no_crime(bench: Bench) -> None:
    assert bench.run(evader(bench, "no-call")).ending == {"kind": "exited", "code": 0}


@pytest.mark.parametrize("act", ["threads", "spawn", "shell", "vfork"])
def test_what_programs_need_works(bench: Bench, act: str) -> None:
    outcome = bench.run(evader(bench, act, 3))
    assert outcome.ending == {"kind": "exited", "code": 0}
    assert outcome.stdout == b"x" * (4 * 3 if act == "threads" else 3)


def test_the_compiler_works(bench: Bench) -> None:
    folder = bench.folder()
    (folder / "hello.c").write_text('#include <stdio.h>\nint main(void) { return puts("hello") < 0; }\n')
    command = ["/usr/bin/gcc", "-O2", "-pipe", "-o", "hello", "hello.c"]
    compiled = bench.run(command, "--cwd", str(folder))
    assert (compiled.ending, compiled.stderr) == ({"kind": "exited", "code": 0}, b"")
    assert bench.run([folder / "hello"]).stdout == b"hello\n"


def status_of_seccomp(outcome: Outcome) -> bytes:
    return outcome.stdout.split(b"Seccomp:")[1].split()[0]


def test_the_guard_is_one_filter(bench: Bench) -> None:
    assert status_of_seccomp(bench.run(["/bin/cat", "/proc/self/status"])) == b"2"


def test_without_the_guard(ordinary: Bench) -> None:
    assert status_of_seccomp(ordinary.run(["/bin/cat", "/proc/self/status"], "--no-guard")) == b"0"


def test_a_kernel_without_seccomp_is_a_fault(student: Bench) -> None:
    outcome = student.run(["/bin/true"], beneath=[student.workshop.build("without_seccomp")])
    assert (outcome.fault["step"], outcome.fault["errno"]) == ("seccomp", errno.ENOSYS)
    assert student.left() == []


def test_a_kernel_without_seccomp_and_no_guard(natural: Bench) -> None:
    beneath = [natural.workshop.build("without_seccomp")]
    outcome = replace(natural, mode="account").run(["/bin/true"], "--no-guard", beneath=beneath)
    assert outcome.ending == {"kind": "exited", "code": 0}
