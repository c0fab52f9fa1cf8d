from __future__ import annotations

import ctypes
import errno
import os
import signal
import tempfile
from collections.abc import Sequence
from pathlib import Path

import pytest

from .harness import STUDENT, Bench


def status_of(bench: Bench, beneath: Sequence[str] = ()) -> dict[str, str]:
    """Return /proc/self/status as the program sees it."""
    text = bench.run(["/bin/cat", "/proc/self/status"], beneath=beneath).stdout.decode()
    return {key: " ".join(value.split()) for key, _, value in (line.partition(":") for line in text.splitlines())}


def test_the_uid_is_dropped_for_good(student: Bench) -> None:
    status = status_of(student)
    assert status["Uid"] == status["Gid"] == f"{STUDENT} {STUDENT} {STUDENT} {STUDENT}"
    assert not status["Groups"]
    for kind in ["CapInh", "CapPrm", "CapEff", "CapAmb"]:
        assert int(status[kind], 16) == 0
    ways = student.run(student.actor("regain")).stdout.decode().split()
    assert ways[1::2] == [str(errno.EPERM)] * 5


def test_groups_are_dropped(student: Bench) -> None:
    beneath = ["/usr/bin/setpriv", "--groups", "4,24", "--"]
    assert student.run(["/usr/bin/id", "-G"], beneath=beneath).stdout == b"%d\n" % STUDENT


def test_no_new_privileges(bench: Bench) -> None:
    assert status_of(bench)["NoNewPrivs"] == "1"


LIBRARY_SIGNALS = 1 << (32 - 1) | 1 << (33 - 1)
"""glibc keeps these for threads and refuses to change them; GNU make starts its children with them ignored."""


def test_signals_are_as_new(bench: Bench) -> None:
    status = status_of(bench, beneath=["/bin/sh", "-c", 'trap "" PIPE INT TERM USR1; exec "$@"', "sh"])
    for kind in ["SigPnd", "ShdPnd", "SigBlk", "SigIgn"]:
        assert int(status[kind], 16) & ~LIBRARY_SIGNALS == 0, kind


def test_what_is_inherited(bench: Bench) -> None:
    said = bench.run(bench.actor("inheritance")).stdout.decode().splitlines()
    assert said == ["umask 77", "session 1", f"pdeathsig {int(signal.SIGKILL)}"]


def test_the_oom_killer_picks_the_program_first(plain_bench: Bench) -> None:
    assert plain_bench.run(["/bin/cat", "/proc/self/oom_score_adj"]).stdout == b"1000\n"


def test_only_three_descriptors_exist(bench: Bench) -> None:
    assert bench.run(bench.actor("descriptors")).stdout.split() == [b"0", b"1", b"2"]


def test_only_three_descriptors_exist_without_close_range(bench: Bench) -> None:
    beneath = [bench.workshop.build("without_close_range")]
    assert bench.run(bench.actor("descriptors"), beneath=beneath).stdout.split() == [b"0", b"1", b"2"]


def test_the_program_cannot_forge_a_report(bench: Bench) -> None:
    assert bench.run(bench.actor("forge")).ending == {"kind": "exited", "code": 0}


def test_a_folder_of_the_student_is_entered_as_the_student(student: Bench) -> None:
    """Root without DAC_OVERRIDE could not, and must not walk where a student may have set links."""
    with tempfile.TemporaryDirectory() as name:
        Path(name).chmod(0o700)
        os.chown(name, STUDENT, STUDENT)
        assert student.run(["/bin/pwd"], "--cwd", name).stdout == f"{name}\n".encode()
        os.chown(name, 0, 0)
        fault = student.run(["/bin/pwd"], "--cwd", name).fault
    assert (fault["step"], fault["errno"]) == ("chdir", errno.EACCES)


def test_the_program_may_be_called_by_another_name(bench: Bench) -> None:
    assert bench.run(["/bin/sh", "-c", "echo $0"], "--argv0", "./copy").stdout == b"./copy\n"
    assert bench.run(["/bin/sh", "-c", "echo $0"]).stdout == b"/bin/sh\n"


def kernel_has_landlock() -> bool:
    create_ruleset, ask_version = 444, 1
    return bool(ctypes.CDLL(None).syscall(create_ruleset, None, 0, ask_version) > 0)


def test_files_can_be_changed_in_one_folder_only(bench: Bench) -> None:
    """With a uid of its own, or without: what file modes would allow is refused."""
    if not kernel_has_landlock():
        pytest.skip("this kernel has no Landlock")
    folder = bench.folder()
    writable = folder / "writable"
    writable.mkdir()
    writable.chmod(0o777)
    script = """
        for way in /dev/null "$1/writable/a" "$1/b" /dev/shm/"$2" /proc/self/oom_score_adj; do
            ( : >"$way" ) 2>/dev/null && echo "$way"
        done
        mkdir "$1/c" 2>/dev/null && echo mkdir
        mv "$1/writable/a" "$1/d" 2>/dev/null && echo mv
        ln -s a "$1/e" 2>/dev/null && echo ln
        mv "$1/writable/a" "$1/writable/f" && rm "$1/writable/f"
    """
    command = ["/bin/bash", "-c", script, "bash", str(folder), bench.mark]
    free = bench.run(command)
    shared = Path("/dev/shm", bench.mark)  # noqa: S108 - what the program makes
    done = [f"{folder}/b", str(shared), "/proc/self/oom_score_adj", "mkdir", "mv", "ln"]
    assert free.stdout.decode().splitlines()[2:] == done
    shared.unlink()
    confined = bench.run(command, "--writable", str(writable))
    assert confined.stdout.decode().splitlines() == ["/dev/null", f"{folder}/writable/a"]
    assert confined.ending == {"kind": "exited", "code": 0}, confined.stderr


def test_a_folder_to_write_to_that_is_missing_is_a_fault(bench: Bench) -> None:
    fault = bench.run(["/bin/true"], "--writable", "/nonexistent").fault
    assert (fault["step"], fault["errno"]) == ("landlock", errno.ENOENT)
