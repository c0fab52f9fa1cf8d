"""Logs that are torn, cut, or of several processes."""

from __future__ import annotations

import random

import pytest

from grader.guest import strace_log
from grader.guest.strace_log import StraceLog, StreamCounter, read_log

from .test_strace_log import ENDED, LAUNCHER, STARTED, log_of

KILLED = "100 +++ killed by SIGSEGV (core dumped) +++\n"


def of(text: str) -> StraceLog:
    return read_log(text.splitlines(keepends=True))


def test_a_call_torn_in_two_by_another_process_is_joined() -> None:
    body = """\
100 clone3({flags=CLONE_VM|CLONE_VFORK, exit_signal=SIGCHLD, stack=0x7f0000}, 88 <unfinished ...>
101 read(0,  <unfinished ...>
100 <... clone3 resumed>)             = 101
100 write(1, "x", 1 <unfinished ...>
101 <... read resumed>"ab", 4096)     = 2
100 <... write resumed>)              = 1
101 exit_group(0)                     = ?
101 +++ exited with 0 +++
100 --- SIGCHLD {si_signo=SIGCHLD, si_code=CLD_EXITED, si_pid=101, si_uid=0, si_status=0} ---
"""
    log = of(LAUNCHER + STARTED + body + ENDED)
    assert log.complete
    assert log.stdin == StreamCounter(calls=1, bytes=2, nbyte_min=4096, nbyte_max=4096)
    assert log.stdout == StreamCounter(calls=1, bytes=1, nbyte_min=1, nbyte_max=1)
    assert log.calls["clone3"] == 1
    assert log.exit_code == 0


def test_the_child_s_end_is_not_the_program_s() -> None:
    body = "100 fork() = 101\n101 +++ exited with 3 +++\n"
    assert of(LAUNCHER + STARTED + body + ENDED).exit_code == 0


def test_a_child_that_is_still_there_leaves_the_log_incomplete() -> None:
    body = '100 fork() = 101\n101 read(0, "a", 1) = 1\n'
    assert not of(LAUNCHER + STARTED + body + ENDED).complete


def test_a_child_s_execve_is_not_the_program_s_start() -> None:
    child = '101 execve("/bin/true", ["true"], 0x7ffd /* 4 vars */) = 0\n101 +++ exited with 0 +++\n'
    log = of(LAUNCHER + child + "100 exit_group(1) = ?\n100 +++ exited with 1 +++\n")
    assert not log.started
    assert not log.complete
    assert not log.calls


def test_an_execve_that_failed_starts_nothing() -> None:
    failed = '100 execve("/work/bin/tr2u", ["tr2u"], 0x7ffd /* 4 vars */) = -1 ENOEXEC (Exec format error)\n'
    log = of(LAUNCHER + failed + "100 exit_group(126) = ?\n100 +++ exited with 126 +++\n")
    assert not log.started
    assert log.launcher_errors["execve"] == 1


def test_a_program_that_a_signal_ended_is_seen_to_its_end() -> None:
    signal = "100 --- SIGSEGV {si_signo=SIGSEGV, si_code=SEGV_MAPERR, si_addr=NULL} ---\n"
    log = log_of('read(0, "a", 1) = 1', end=signal + KILLED)
    assert log.complete
    assert (log.exit_code, log.signal) == (None, "SIGSEGV")


def test_a_call_that_the_program_died_in_does_not_count() -> None:
    inside = "100 read(0,  <unfinished ...>)            = ?\n100 +++ killed by SIGKILL +++\n"
    log = log_of('read(0, "a", 1) = 1', end=inside)
    assert log.complete
    assert log.stdin.calls == 1


def test_an_interrupted_call_that_is_made_again_counts_once() -> None:
    log = log_of("read(0, 0x7ffd, 1) = ? ERESTARTSYS (To be restarted if SA_RESTART is set)", 'read(0, "a", 1) = 1')
    assert log.complete
    assert log.stdin.calls == 1


def test_a_last_line_that_was_cut_makes_the_log_incomplete() -> None:
    whole = LAUNCHER + STARTED + '100 read(0, "a", 1) = 1\n' + ENDED
    for cut in range(1, len(ENDED.splitlines()[-1]) + 1):
        assert not of(whole[:-cut]).complete
    assert of(whole).complete


def test_a_log_that_stops_before_the_end_is_incomplete() -> None:
    assert not log_of('read(0, "a", 1) = 1', end="").complete


def test_lines_that_make_no_sense_make_the_log_incomplete() -> None:
    assert not log_of("what is this").complete
    assert not log_of('<... read resumed>"a", 1) = 1').complete
    assert not log_of("read(somewhere) = 1").complete
    assert not read_log(["no pid here\n"]).complete


def test_an_empty_log_is_incomplete() -> None:
    assert not read_log([]).complete
    assert not of(LAUNCHER).complete


LINES = [
    'read(0, "a", 1) = 1',
    'read(0, "\\"\\\\)= \\33", 4096)          = 7',
    'read(0, "0123456789012345678901234567890123"..., 4096) = 4096',
    'read(0, "", 1)                          = 0',
    "read(0, 0x7ffd1, 1) = -1 EAGAIN (Resource temporarily unavailable)",
    "read(0, NULL, 5) = -1 EFAULT (Bad address)",
    'write(1, "a", 1) = 1',
    'write(1, "ab\\n", 3)                    = 2',
    'write(2, "usage", 5) = 5',
    'write(1, "x", 1) = -1 EIO (Input/output error)',
    'pread64(3, "x", 1, 0) = 1',
    'readv(0, [{iov_base="ab", iov_len=2}], 1) = 2',
    "lseek(0, 0, SEEK_CUR) = -1 ESPIPE (Illegal seek)",
    "read(0,  <unfinished ...>",
    '<... read resumed>"q", 1) = 1',
    'write(1, "never", 5) = ?',
]


def test_lines_that_are_counted_together_come_to_the_same(monkeypatch: pytest.MonkeyPatch) -> None:
    order = random.Random(1)  # noqa: S311 - any order will do
    body = "".join(
        f"100 {line}\n" for _ in range(40) for line in order.sample(LINES[:-3], len(LINES) - 3) + LINES[-3:]
    )
    together = of(LAUNCHER + STARTED + body + ENDED)
    monkeypatch.setattr(strace_log, "EXCERPT_LINES", 10**6)
    one_by_one = of(LAUNCHER + STARTED + body + ENDED)
    assert len(together.excerpt) < len(one_by_one.excerpt)
    together.excerpt = one_by_one.excerpt = []
    assert together == one_by_one
    assert together.complete
    assert together.stdin.calls == 40 * 8


def test_a_transfer_of_a_process_that_nobody_started_is_told_apart() -> None:
    body = '100 read(0, "a", 1) = 1\n' * 100 + '101 read(0, "a", 1) = 1\n'
    assert not of(LAUNCHER + STARTED + body + ENDED).complete


@pytest.mark.timeout(20)
def test_a_path_of_spaces_takes_no_longer_than_others() -> None:
    spaces = " " * 300_000
    body = f'100 openat(AT_FDCWD, "{spaces}", O_RDONLY) = -1 ENAMETOOLONG (File name too long)\n'
    log = of(LAUNCHER + STARTED + body + ENDED)
    assert log.complete
    assert log.errors["openat"] == 1


def test_spaces_before_the_mark_of_a_torn_call_are_not_part_of_it() -> None:
    body = """\
100 pause(    <unfinished ...>
101 write(1, "x", 1) = 1
101 +++ exited with 0 +++
100 <... pause resumed>) = -1 EINTR (Interrupted system call)
"""
    log = of(LAUNCHER + STARTED + body + ENDED)
    assert log.complete
    assert log.errors["pause"] == 1
