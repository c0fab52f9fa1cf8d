"""Lines as strace 6.1 writes them with `-f -o LOG`."""

from __future__ import annotations

import pytest

from grader.guest.strace_log import EXCERPT_LINES, MAX_PATH_CHARS, MAX_TRANSFERS, StraceLog, StreamCounter, read_log

LAUNCHER = """\
100 execve("/usr/local/bin/tally", ["/usr/local/bin/tally", "--exec", "--", "/work/bin/tr2u", "a", "b"], \
0x7ffe1c0c5d38 /* 4 vars */) = 0
100 brk(NULL)                         = 0x55d0c1b5e000
100 access("/etc/ld.so.preload", R_OK) = -1 ENOENT (No such file or directory)
100 read(3, "\\177ELF\\2\\1\\1\\3\\0\\0\\0"..., 832) = 832
100 setresuid(60600, 60600, 60600)    = 0
"""
STARTED = """\
100 execve("/work/bin/tr2u", ["/work/bin/tr2u", "a", "b"], 0x7ffd8d5d3f60 /* 4 vars */) = 0
100 read(3, "\\177ELF\\2\\1\\1\\3\\0\\0\\0"..., 832) = 832
100 mmap(NULL, 12288, PROT_READ|PROT_WRITE, MAP_PRIVATE|MAP_ANONYMOUS, -1, 0) = 0x7f0cbb0a3000
"""
ENDED = """\
100 exit_group(0)                     = ?
100 +++ exited with 0 +++
"""


def log_of(*calls: str, end: str = ENDED) -> StraceLog:
    body = "".join(f"100 {call}\n" for call in calls)
    return read_log((LAUNCHER + STARTED + body + end).splitlines(keepends=True))


def test_only_the_program_counts_and_its_execve_with_it() -> None:
    log = log_of('read(0, "a", 1)                   = 1', 'write(1, "b", 1) = 1', 'read(0, "", 1) = 0')
    assert log.complete
    assert log.exit_code == 0
    assert log.calls == {"execve": 1, "read": 1 + 2, "mmap": 1, "write": 1}
    assert log.launcher == {"execve": 1, "brk": 1, "access": 1, "read": 1, "setresuid": 1}
    assert log.launcher_errors["access"] == 1
    assert not log.errors.total()
    assert log.stdin == StreamCounter(calls=2, bytes=1, nbyte_min=1, nbyte_max=1)
    assert log.stdout == StreamCounter(calls=1, bytes=1, nbyte_min=1, nbyte_max=1)
    assert log.other_reads == StreamCounter(calls=1, bytes=832, nbyte_min=832, nbyte_max=832)


def test_exit_group_never_returned_so_it_does_not_count() -> None:
    assert "exit_group" not in log_of().calls


@pytest.mark.parametrize(
    ("call", "nbyte", "result"),
    [
        ('write(1, ") = 7", 5) = 5', 5, 5),
        ('write(1, "\\") = -1 E", 8) = 8', 8, 8),
        ('write(1, "a\\\\", 2) = 2', 2, 2),
        ('write(1, "\\n\\0\\377, 9", 6) = 6', 6, 6),
        ('write(1, "one call for each byte, or one f"..., 4096) = 4096', 4096, 4096),
        ('write(1, "....", 4) = 4', 4, 4),
        ('write(1, "half of it"..., 4096) = 1000', 4096, 1000),
        ("write(1, 0x7ffd3c5e2b40, 65536) = 65536", 65536, 65536),
        ("write(1, NULL, 1) = -1 EFAULT (Bad address)", 1, 0),
        ('write(1, "x", 1) = -1 EAGAIN (Resource temporarily unavailable)', 1, 0),
        ('write(1, "x", 1) = -1 EIO (Input/output error)', 1, 0),
    ],
)
def test_the_third_argument_is_found_whatever_the_bytes_are(call: str, nbyte: int, result: int) -> None:
    log = log_of(call)
    assert log.complete
    assert log.stdout == StreamCounter(calls=1, bytes=result, nbyte_min=nbyte, nbyte_max=nbyte)
    assert log.errors["write"] == ("-1 E" in call and result == 0)


def test_calls_with_several_buffers_count_with_what_they_moved() -> None:
    log = log_of(
        'readv(0, [{iov_base="ab", iov_len=2}, {iov_base="c", iov_len=1024}], 2) = 3',
        'writev(1, [{iov_base="abc", iov_len=3}], 1) = 3',
        'pread64(3, "\\6\\0\\0\\0\\4\\0\\0\\0"..., 784, 64) = 784',
    )
    assert log.stdin == StreamCounter(calls=1, bytes=3, nbyte_min=3, nbyte_max=3)
    assert log.stdout == StreamCounter(calls=1, bytes=3, nbyte_min=3, nbyte_max=3)
    assert log.other_reads.calls == 2
    assert log.other_reads.bytes == 832 + 784


def test_messages_are_no_output() -> None:
    log = log_of('write(2, "usage: tr2u from to\\n", 20) = 20')
    assert log.stdout == StreamCounter()
    assert log.other_writes == StreamCounter(calls=1, bytes=20, nbyte_min=20, nbyte_max=20)


def test_the_smallest_and_the_largest_nbyte_are_kept() -> None:
    log = log_of('read(0, "a", 1) = 1', 'read(0, "bc", 4096) = 2', 'read(0, "", 512) = 0')
    assert (log.stdin.nbyte_min, log.stdin.nbyte_max, log.stdin.bytes) == (1, 4096, 3)


def test_the_excerpt_begins_with_the_first_call_on_a_standard_stream() -> None:
    log = log_of("brk(NULL) = 0x1000", 'read(0, "a", 1) = 1', "brk(NULL) = 0x1000")
    assert log.excerpt[:2] == ['read(0, "a", 1) = 1', "brk(NULL) = 0x1000"]


def test_the_trace_is_what_the_model_takes() -> None:
    trace = log_of('read(0, "", 1) = 0').as_trace()
    assert trace["complete"] is True
    assert trace["calls"]["read"] == {"calls": 2, "errors": 0}
    assert trace["stdin"] == {"calls": 1, "bytes": 0, "nbyte_min": 1, "nbyte_max": 1}


def test_transfers_are_listed_by_call_and_descriptor_with_their_errors() -> None:
    log = log_of(
        'read(0, "a", 1) = 1',
        "read(0, NULL, 1) = -1 EFAULT (Bad address)",
        'pread64(0, "a", 1, 0) = 1',
        'write(0, "a", 1) = -1 EBADF (Bad file descriptor)',
        'write(2, "m", 1) = 1',
    )
    listed = {(one["name"], one["descriptor"]): one for one in log.as_trace()["transfers"]}
    assert {key: (one["calls"], one["bytes"], dict(one["errors"])) for key, one in listed.items()} == {
        ("read", 3): (1, 832, {}),
        ("read", 0): (2, 1, {"EFAULT": 1}),
        ("pread64", 0): (1, 1, {}),
        ("write", 0): (1, 0, {"EBADF": 1}),
        ("write", 2): (1, 1, {}),
    }


def test_transfers_that_are_counted_together_are_listed_as_well() -> None:
    many = ["read(0, NULL, 1) = -1 EFAULT (Bad address)"] * 100
    [one] = [one for one in log_of(*many).as_trace()["transfers"] if one["descriptor"] == 0]
    assert (one["calls"], dict(one["errors"])) == (100, {"EFAULT": 100})


def test_a_program_with_many_descriptors_has_a_short_list() -> None:
    log = log_of(*(f'write({number}, "a", 1) = 1' for number in range(10, 500)))
    assert len(log.as_trace()["transfers"]) == MAX_TRANSFERS
    assert log.other_writes.calls == 490


def test_files_that_cannot_be_opened_are_listed_once_each() -> None:
    missing = 'openat(AT_FDCWD, "input.txt", O_RDONLY) = -1 ENOENT (No such file or directory)'
    log = log_of(missing, missing, f'open("{"x" * 500}", O_RDONLY) = -1 EACCES (Permission denied)')
    assert log.as_trace()["failed_opens"] == [
        {"path": "input.txt", "error": "ENOENT"},
        {"path": "x" * MAX_PATH_CHARS, "error": "EACCES"},
    ]


EXEC = 'execve("/proc/self/exe", ["/work/bin/tr2u", "done"], 0x7ffce374dfb0 /* 4 vars */'
CALLED_BY_A_THREAD = {
    "the leader waits": f"""\
100 futex(0x7fd34aac0990, FUTEX_WAIT_BITSET|FUTEX_CLOCK_REALTIME, 101, NULL, FUTEX_BITSET_MATCH_ANY <unfinished ...>
101 {EXEC} <unfinished ...>
100 <... futex resumed>)              = ?
100 +++ superseded by execve in pid 101 +++
100 <... execve resumed>)             = 0
""",
    "the leader has ended": f"""\
101 {EXEC} <pid changed to 100 ...>
100 +++ superseded by execve in pid 101 +++
100 <... execve resumed>)             = 0
""",
    "other threads end": f"""\
102 write(1, "", 0 <unfinished ...>
101 {EXEC} <unfinished ...>
103 ???( <unfinished ...>
102 <... write resumed>)              = 0
103 <... ??? resumed>)                = ?
103 +++ exited with 0 +++
102 +++ exited with 0 +++
100 +++ superseded by execve in pid 101 +++
100 <... execve resumed>)             = 0
""",
}


@pytest.mark.parametrize("name", CALLED_BY_A_THREAD)
def test_a_thread_that_calls_execve_becomes_the_process(name: str) -> None:
    text = (
        LAUNCHER
        + STARTED
        + '101 read(0, "a", 1) = 1\n'
        + CALLED_BY_A_THREAD[name]
        + '100 write(1, "b", 1) = 1\n'
        + ENDED
    )
    log = read_log(text.splitlines(keepends=True))
    assert log.complete
    assert (log.exit_code, log.calls["execve"]) == (0, 2)
    assert (log.stdin.calls, log.stdin.bytes) == (1, 1)
    assert log.stdout.bytes == 1


def test_an_execve_that_nobody_began_is_unreadable() -> None:
    assert not log_of("+++ superseded by execve in pid 101 +++", "<... execve resumed>) = 0").complete


def log_of_files(*calls: str) -> StraceLog:
    body = "".join(f"100 {call}\n" for call in calls)
    lines = (LAUNCHER + STARTED + body + ENDED).splitlines(keepends=True)
    return read_log(lines, "/scratch/run-1/src", "/scratch/run-1/a <dst>")


def test_a_file_is_judged_in_place_of_a_standard_stream_whatever_its_descriptor() -> None:
    log = log_of_files(
        "brk(NULL) = 0x1000",
        'openat(AT_FDCWD, "src", O_RDONLY) = 3',
        'read(3, "abc", 512) = 3',
        'write(1, "done\\n", 5) = 5',
        'openat(AT_FDCWD, "a <dst>", O_WRONLY|O_CREAT, 0666) = 4',
        'write(4, "abc", 3) = 3',
        'read(0, "", 1) = 0',
        "dup2(3, 7) = 7",
        'read(7, "", 512) = 0',
        'openat(AT_FDCWD, "other/src", O_WRONLY) = 5',
        'write(5, "x", 1) = 1',
    )
    assert log.complete
    assert log.stdin == StreamCounter(calls=2, bytes=3, nbyte_min=512, nbyte_max=512)
    assert log.stdout == StreamCounter(calls=1, bytes=3, nbyte_min=3, nbyte_max=3)
    assert (log.other_reads.calls, log.other_writes.calls) == (1 + 1, 2)
    judged = {(one["name"], one["descriptor"]) for one in log.as_trace()["transfers"] if one["on_stream"]}
    assert judged == {("read", 3), ("read", 7), ("write", 4)}
    # It shows which file a descriptor is of.
    assert log.excerpt[0] == 'openat(AT_FDCWD, "src", O_RDONLY) = 3'


def test_a_file_that_is_not_judged_does_not_begin_the_excerpt() -> None:
    log = log_of_files('openat(AT_FDCWD, "else", O_RDONLY) = 3', 'read(3, "a", 1) = 1', 'write(1, "a", 1) = 1')
    assert log.excerpt == []


def test_only_mappings_of_the_judged_file_count() -> None:
    opened = 'openat(AT_FDCWD, "src", O_RDONLY) = 3'
    of_src = "mmap(NULL, 5, PROT_READ, MAP_PRIVATE, 3, 0) = 0x7f94dc529000"
    of_another = "mmap(NULL, 5, PROT_READ, MAP_PRIVATE, 0, 0) = 0x7f94dc529000"
    assert log_of_files(opened, of_src, of_another).input_mappings == 1


def test_the_calls_that_open_and_copy_descriptors_tell_their_files() -> None:
    log = log_of_files(
        'openat(AT_FDCWD, "./src", O_RDONLY) = 3',
        'openat(AT_FDCWD, "a <dst>", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 4',
        "dup(4) = 5",
        'read(3, "abc", 512) = 3',
        'write(5, "ab", 2) = 2',
        "close(4) = 0",
        'openat(AT_FDCWD, "d/src", O_RDONLY) = 4',
        'read(4, "x", 1) = 1',
        "close(3) = 0",
        "read(3, 0x7ffe, 1) = -1 EBADF (Bad file descriptor)",
        'chdir("d") = 0',
        'openat(AT_FDCWD, "src", O_RDONLY) = 3',
        'read(3, "yy", 2) = 2',
        'openat(AT_FDCWD, "/scratch/run-1/src", O_RDONLY) = 6',
        'read(6, "zzzz", 4) = 4',
    )
    assert log.complete
    assert log.stdin == StreamCounter(calls=2, bytes=3 + 4, nbyte_min=4, nbyte_max=512)
    assert log.other_reads.calls == 1 + 3


def test_many_calls_count_for_the_file_that_was_open_then() -> None:
    opened = 'openat(AT_FDCWD, "src", O_RDONLY) = 3'
    reads = ["read(3, 0x7ffe, 8) = 8"] * (EXCERPT_LINES + 5)
    log = log_of_files(opened, *reads, "close(3) = 0", 'openat(AT_FDCWD, "else", O_RDONLY) = 3', *reads)
    assert log.stdin == StreamCounter(
        calls=EXCERPT_LINES + 5, bytes=8 * (EXCERPT_LINES + 5), nbyte_min=8, nbyte_max=8
    )
    assert log.other_reads.calls == EXCERPT_LINES + 5 + 1


SRC, DST = 'openat(AT_FDCWD, "src", O_RDONLY) = 3', 'openat(AT_FDCWD, "dst", O_WRONLY|O_CREAT|O_TRUNC, 0666) = 4'
COPIES = ('read(3, "abc", 512) = 3', 'write(4, "abc", 3) = 3', 'read(3, "", 512) = 0')
FORKED = ("100 fork() = 101",)
EXITED = "101 +++ exited with 0 +++"


def by_100(*calls: str) -> list[str]:
    return [f"100 {call}" for call in calls]


def by_101(*calls: str) -> list[str]:
    return [f"101 {call}" for call in calls]


def log_of_processes(lines: list[str]) -> StraceLog:
    executed, *_ = STARTED.splitlines(keepends=True)
    text = LAUNCHER + executed + "".join(f"{line}\n" for line in lines) + ENDED
    return read_log(text.splitlines(keepends=True), "/scratch/run-1/src", "/scratch/run-1/dst")


ALL_ON_THE_FILES = {
    "the child copies, and the parent has closed its descriptors": [
        *by_100(SRC, DST),
        *FORKED,
        *by_100("close(3) = 0", "close(4) = 0"),
        *by_101(*COPIES),
        EXITED,
    ],
    "the child is seen before the call that makes it returns": [
        *by_100(SRC, DST, "fork( <unfinished ...>"),
        *by_101("close(9) = 0", COPIES[0]),
        "100 <... fork resumed>) = 101",
        *by_100("close(3) = 0", "close(4) = 0"),
        *by_101(*COPIES[1:]),
        EXITED,
    ],
    "the child closes what the parent still has": [
        *by_100(SRC, DST),
        *FORKED,
        *by_101("close(3) = 0", "close(4) = 0"),
        EXITED,
        *by_100(*COPIES),
    ],
    "the child opens another file under the same number": [
        *by_100(SRC),
        *FORKED,
        *by_101('openat(AT_FDCWD, "else", O_RDONLY) = 4', 'chdir("d") = 0'),
        EXITED,
        *by_100(DST, *COPIES),
    ],
    "a thread has the descriptors of its process": [
        *by_100("clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 101"),
        *by_101(SRC, DST),
        EXITED,
        *by_100(*COPIES),
    ],
    "a thread that executes a program keeps the descriptors": [
        *by_100(SRC, DST, "clone(child_stack=0x7f, flags=CLONE_VM|CLONE_FS|CLONE_FILES|CLONE_THREAD) = 101"),
        f"101 {EXEC} <pid changed to 100 ...>",
        "100 +++ superseded by execve in pid 101 +++",
        "100 <... execve resumed>) = 0",
        *by_100(*COPIES),
    ],
    "from an open folder": by_100(
        'openat(AT_FDCWD, ".", O_RDONLY|O_DIRECTORY) = 5',
        'openat(5, "src", O_RDONLY) = 3',
        'openat2(5, "./dst", {flags=O_WRONLY|O_CREAT, mode=0666}, 24) = 4',
        *COPIES,
    ),
    "from a folder to which it goes, and back": by_100(
        SRC, 'mkdir("d", 0777) = 0', 'chdir("d") = 0', 'chdir("..") = 0', DST, *COPIES
    ),
    "by a descriptor of the folder to which it goes back": by_100(
        'open(".", O_RDONLY) = 5', 'chdir("/") = 0', "fchdir(5) = 0", SRC, DST, *COPIES
    ),
    "from a folder below": by_100(
        'chdir("d") = 0', 'open("../src", O_RDONLY) = 3', 'creat("../dst", 0666) = 4', *COPIES
    ),
    "under another name, which it gives to the output in the end": by_100(
        SRC, DST.replace('"dst"', '"dst.tmp"'), *COPIES, 'rename("dst.tmp", "dst") = 0'
    ),
    "in a folder that gets another name": by_100(
        SRC,
        'openat(AT_FDCWD, "d/x", O_WRONLY|O_CREAT, 0666) = 4',
        'rename("d", "e") = 0',
        *COPIES,
        'renameat2(AT_FDCWD, "e/x", AT_FDCWD, "dst", RENAME_NOREPLACE) = 0',
    ),
    "in place of what it removes": by_100(
        SRC, DST, "close(4) = 0", 'unlink("dst") = 0', DST, *COPIES
    ),
    "under a second name": by_100('link("src", "s") = 0', SRC.replace('"src"', '"s"'), DST, *COPIES),
    "by a link": by_100('symlink("src", "s") = 0', SRC.replace('"src"', '"s"'), DST, *COPIES),
    "by a link to the folder": by_100(
        'symlinkat("/scratch/run-1", AT_FDCWD, "r") = 0', SRC.replace('"src"', '"r/src"'), DST, *COPIES
    ),
    "a file without a name, which it names in the end": by_100(
        SRC,
        'openat(AT_FDCWD, ".", O_WRONLY|O_TMPFILE, 0666) = 4',
        *COPIES,
        'linkat(AT_FDCWD, "/proc/self/fd/4", AT_FDCWD, "dst", AT_SYMLINK_FOLLOW) = 0',
    ),
    "by its standard streams": by_100(
        SRC, DST, "dup2(3, 0) = 0", "dup2(4, 1) = 1", "close_range(3, 4294967295, 0) = 0",
        'open("/dev/stdin", O_RDONLY) = 3', 'open("/dev/fd/1", O_WRONLY) = 4', *COPIES,
    ),
}  # fmt: skip


@pytest.mark.parametrize("how", ALL_ON_THE_FILES)
def test_calls_count_for_the_file_however_a_program_has_opened_it(how: str) -> None:
    log = log_of_processes(ALL_ON_THE_FILES[how])
    assert log.complete
    assert log.stdin == StreamCounter(calls=2, bytes=3, nbyte_min=512, nbyte_max=512)
    assert log.stdout == StreamCounter(calls=1, bytes=3, nbyte_min=3, nbyte_max=3)
    assert (log.other_reads.calls, log.other_writes.calls) == (0, 0)
    assert (log.unknown_reads, log.unknown_writes) == (0, 0)


NONE_ON_THE_FILES = {
    "of another folder": by_100('chdir("d") = 0', SRC, DST, *COPIES),
    "of another open folder": by_100(
        'open("d", O_RDONLY) = 5', 'openat(5, "src", O_RDONLY) = 3', 'openat(5, "dst", O_WRONLY) = 4', *COPIES
    ),
    "that had these names, or get others": by_100(
        'rename("else", "src") = 0', SRC, DST, *COPIES, 'rename("dst", "away") = 0'
    ),
    "that are replaced in the end": by_100(
        SRC.replace('"src"', '"else"'), DST, *COPIES, 'rename("else", "dst") = 0'
    ),
    "that are exchanged": by_100(
        SRC.replace('"src"', '"else"'), DST, *COPIES, 'renameat2(4, "/x", AT_FDCWD, "dst", RENAME_EXCHANGE) = 0'
    ),
    "that are pipes": by_100("pipe2([3, 4], 0) = 0", *COPIES),
    "that are memory": by_100('memfd_create("src", 0) = 3', "dup(3) = 4", *COPIES),
    "by a link": by_100('symlink("else", "s") = 0', SRC.replace('"src"', '"s"'), 'open("x", O_RDWR) = 4', *COPIES),
}  # fmt: skip


@pytest.mark.parametrize("which", NONE_ON_THE_FILES)
def test_calls_on_other_files_do_not_count(which: str) -> None:
    log = log_of_processes(NONE_ON_THE_FILES[which])
    assert log.complete
    assert (log.stdin.calls, log.stdout.calls) == (0, 0)
    assert (log.unknown_reads, log.unknown_writes) == (0, 0)


UNKNOWN_FILES = {
    "came through a socket": by_100("recvmsg(5, {msg_namelen=0}, 0) = 1", *COPIES),
    "has a path that the log does not explain": by_100(
        SRC.replace('"src"', '"/proc/self/cwd/src"'), DST.replace('"dst"', '"/proc/self/cwd/dst"'), *COPIES
    ),
    "is of a process that nobody is seen to make": [*by_101(*COPIES), EXITED],
    "is named after one of these": by_100(
        'open("/proc/7/root/s", O_RDONLY) = 3', 'open("x", O_WRONLY) = 4', *COPIES,
        'rename("/proc/7/cwd/x", "dst") = 0',
    ),
    "climbs out of what may be a link": by_100(
        'symlink("/tmp/a", "l") = 0', SRC.replace("src", "l/../src"), DST.replace("dst", "l/../dst"), *COPIES
    ),
}  # fmt: skip


@pytest.mark.parametrize("why", UNKNOWN_FILES)
def test_a_file_that_is_not_known_is_not_another_one(why: str) -> None:
    log = log_of_processes(UNKNOWN_FILES[why])
    assert log.complete
    assert (log.stdin.calls, log.stdout.calls) == (0, 0)
    # The read that returns nothing moves no bytes.
    assert (log.unknown_reads, log.unknown_writes) == (1, 1)


def test_what_is_unknown_does_not_matter_for_standard_streams() -> None:
    trace = log_of('read(9, "a", 1) = 1', 'write(9, "a", 1) = 1').as_trace()
    assert (trace["unknown_reads"], trace["unknown_writes"]) == (0, 0)


@pytest.mark.timeout(20)
def test_a_program_with_many_names_takes_no_longer_than_others() -> None:
    many = (
        call
        for number in range(5_000)
        for call in (f'open("{number}", O_RDONLY) = 9', f'symlink("x", "l{number}") = 0', 'rename("a", "b") = 0')
    )
    assert log_of_processes(by_100(SRC, DST, *many, *COPIES)).stdin.calls == 2
