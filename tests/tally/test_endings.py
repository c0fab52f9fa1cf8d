from __future__ import annotations

import errno
import os
import re
import resource
import signal
import subprocess
import time
import uuid
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.waits import busy_cpu

from .conftest import identity_of
from .harness import DEADLINE_S, Bench, Workshop

CPU = {"kind": "limit", "limit": "cpu"}
WALL = {"kind": "limit", "limit": "wall"}
OUTPUT = {"kind": "limit", "limit": "output"}


def exited(code: int) -> dict[str, object]:
    return {"kind": "exited", "code": code}


def signalled(number: int) -> dict[str, object]:
    return {"kind": "signalled", "signal": number}


@pytest.mark.parametrize("code", [0, 1, 7, 125, 255])
def test_exit_code(bench: Bench, code: int) -> None:
    assert bench.run(bench.actor("exit", code)).ending == exited(code)


@pytest.mark.parametrize(
    "name", ["HUP", "TRAP", "ABRT", "KILL", "SEGV", "PIPE", "TERM", "XCPU", "XFSZ", "RTMIN", "RTMAX"]
)
def test_signal(bench: Bench, name: str) -> None:
    number = int(signal.Signals[f"SIG{name}"])
    assert bench.run(bench.actor("signal", number)).ending == signalled(number)


@pytest.mark.parametrize("name", ["XCPU", "KILL"])
def test_signal_that_looks_like_the_cpu_limit(plain_bench: Bench, name: str) -> None:
    number = int(signal.Signals[f"SIG{name}"])
    assert plain_bench.run(plain_bench.actor("signal", number), "--cpu-s", "1").ending == signalled(number)


def test_the_report_is_one_line_with_these_keys_and_full_precision(bench: Bench) -> None:
    running = bench.start(bench.actor("exit"))
    running.process.wait(DEADLINE_S)
    text = os.read(running.report_fd, 65536).decode()
    os.close(running.report_fd)
    running.process.communicate(timeout=DEADLINE_S)
    assert re.fullmatch(
        r'\{"tally":1,"ending":\{[^}]*\},"waited_s":(null|\d+\.\d{6}),"wall_s":\d+\.\d{9},"user_s":\d+\.\d{6},"sys_s":\d+\.\d{6},'
        r'"peak_memory_bytes":\d+,"accounting":(null|\{[^}]*\}),"trace":(null|\{.*\}),'
        r'"opened_again":(null|true|false),"left_processes":\d+,"strays":(null|\[.*\])\}\n',
        text,
    )


# --- not started


def make_text(folder: Path) -> Path:
    path = folder / "text"
    path.write_text("no program\n")
    path.chmod(0o755)
    return path


def make_without_permission(folder: Path) -> Path:
    path = make_text(folder)
    path.chmod(0o644)
    return path


def make_without_interpreter(folder: Path) -> Path:
    path = make_text(folder)
    path.write_text("#!/nonexistent/interpreter\n")
    return path


def make_link_to_itself(folder: Path) -> Path:
    path = folder / "link"
    path.symlink_to(path)
    return path


def make_truncated(folder: Path) -> Path:
    path = make_text(folder)
    path.write_bytes(Path("/bin/sh").read_bytes()[:100])
    return path


def make_nothing(folder: Path) -> Path:
    return folder / "missing"


def make_folder(folder: Path) -> Path:
    return folder


def make_below_a_file(folder: Path) -> Path:
    return make_text(folder) / "program"


def make_long_name(folder: Path) -> Path:
    return folder / ("n" * 300)


NOT_STARTED: dict[Callable[[Path], Path], int] = {
    make_nothing: errno.ENOENT,
    make_text: errno.ENOEXEC,
    make_folder: errno.EACCES,
    make_without_permission: errno.EACCES,
    make_without_interpreter: errno.ENOENT,
    make_below_a_file: errno.ENOTDIR,
    make_link_to_itself: errno.ELOOP,
    make_long_name: errno.ENAMETOOLONG,
    make_truncated: errno.ENOEXEC,
}


@pytest.mark.parametrize("make", NOT_STARTED)
def test_not_started(bench: Bench, make: Callable[[Path], Path]) -> None:
    number = NOT_STARTED[make]
    outcome = bench.run([make(bench.folder())])
    assert outcome.ending == {"kind": "not_started", "errno": number, "message": os.strerror(number)}
    assert outcome.accounting is None


def test_a_name_without_a_slash_is_not_searched_for(plain_bench: Bench) -> None:
    assert plain_bench.run(["true"]).ending["kind"] == "not_started"


# --- limits


def test_cpu_limit(bench: Bench) -> None:
    outcome = bench.run(bench.actor("spin"), "--cpu-s", "1", "--wall-s", "30")
    assert outcome.ending == CPU
    assert 0.5 < outcome.cpu_s < 1.9  # the limit counts ticks, the report measures


@pytest.mark.slow
def test_cpu_limit_for_who_ignores_its_signal(plain_bench: Bench) -> None:
    outcome = plain_bench.run(plain_bench.actor("spin", int(signal.SIGXCPU)), "--cpu-s", "1", "--wall-s", "30")
    assert outcome.ending == CPU
    assert 1 < outcome.cpu_s < 2.9


def test_wall_limit_for_who_ignores_every_polite_signal(bench: Bench) -> None:
    outcome = bench.run(bench.actor("sleep-deaf", 1000), "--wall-s", "0.25")
    assert outcome.ending == WALL
    assert 0.25 <= outcome.wall_s < 10


@pytest.mark.slow
@pytest.mark.parametrize(
    ("program", "waits"),
    [("while :; do :; done", True), ("(while :; do :; done) & wait", True), ("exec sleep 1000", False)],
    ids=["program", "child", "sleeper"],
)
def test_at_the_wall_limit_the_longest_time_in_a_queue_is_told(
    plain_bench: Bench, program: str, *, waits: bool
) -> None:
    plain_bench.workshop.tally()  # compiled while the machine is idle
    with busy_cpu(5) as cpu:
        outcome = plain_bench.run(["/bin/sh", "-c", program], "--wall-s", "2", beneath=["taskset", "--cpu-list", cpu])
    assert outcome.ending == WALL
    # Half of the time, if the kernel shares it among sessions; a sleeper waits until it has begun.
    assert (outcome.reported("waited_s") > 0.4) == waits


def test_wall_limit_for_who_stops_itself(bench: Bench) -> None:
    assert bench.run(bench.actor("signal", int(signal.SIGSTOP)), "--wall-s", "0.25").ending == WALL


@pytest.mark.parametrize(("program", "ending"), [("exec sleep 0.6", exited(0)), ("exec sleep 1000", WALL)])
def test_time_in_which_tally_itself_is_stopped_is_left_out(
    bench: Bench, program: str, ending: dict[str, object]
) -> None:
    """As in a paused container, or on a machine that stands still; the program's own sleep still counts."""
    bench.workshop.tally()
    pause_s = 1.2
    began_s = time.monotonic()
    running = bench.start(["/bin/sh", "-c", f"echo begun; {program}"], "--wall-s", "1")
    assert running.process.stdout is not None
    assert os.read(running.process.stdout.fileno(), 10) == b"begun\n"
    os.kill(running.process.pid, signal.SIGSTOP)
    time.sleep(pause_s)
    os.kill(running.process.pid, signal.SIGCONT)
    outcome = running.finish()
    took_s = time.monotonic() - began_s
    assert outcome.ending == ending
    assert outcome.wall_s <= took_s - pause_s + 0.3
    assert ending != WALL or outcome.wall_s >= 1


@pytest.mark.parametrize("act", [["signal", int(signal.SIGSTOP)], ["wait-in-vfork"]])
def test_time_in_which_only_the_program_stands_still_is_its_own(bench: Bench, act: list[object]) -> None:
    outcome = bench.run(bench.actor(*act), "--wall-s", "1.2")
    assert outcome.ending == WALL
    assert outcome.wall_s >= 1.2


def test_a_stopped_program_can_be_continued(bench: Bench) -> None:
    outcome = bench.run(bench.actor("stop-and-go-on", 3), "--wall-s", "30")
    assert outcome.ending == exited(3)
    assert outcome.wall_s >= 0.2


def test_a_program_gets_its_signals(bench: Bench) -> None:
    assert bench.run(bench.actor("catch-alarm", 3), "--wall-s", "30").ending == exited(3)


@pytest.mark.parametrize("most", [0, 1, 4096, 100_000])
def test_output_limit(plain_bench: Bench, most: int) -> None:
    path = plain_bench.folder() / "output"
    copy = plain_bench.workshop.build("copy")
    with path.open("wb") as output, Path("/dev/zero").open("rb") as zeros:
        outcome = plain_bench.run([copy], "--output-bytes", str(most), "--wall-s", "30", stdin=zeros, stdout=output)
    assert outcome.ending == OUTPUT
    assert path.stat().st_size == most


@pytest.mark.parametrize(("megabytes", "code"), [(10, 0), (500, 1)])
def test_memory_limit(plain_bench: Bench, megabytes: int, code: int) -> None:
    """The program is refused memory, and this one chooses to say so."""
    outcome = plain_bench.run(plain_bench.actor("memory", megabytes), "--memory-bytes", str(200 << 20))
    assert outcome.ending == exited(code)


def test_no_memory_to_start_in(bench: Bench) -> None:
    """The kernel kills a process whose new image does not fit: the program's ending, whichever it is."""
    ending = bench.run(bench.actor("exit"), "--memory-bytes", "4096").ending
    assert ending["kind"] in ("signalled", "not_started")


def test_peak_memory(plain_bench: Bench) -> None:
    megabytes = 50
    peak_bytes = plain_bench.run(plain_bench.actor("memory", megabytes)).reported("peak_memory_bytes")
    assert megabytes << 20 <= peak_bytes < (megabytes + 10) << 20


def test_open_files_limit(plain_bench: Bench) -> None:
    most, streams = 20, 3
    outcome = plain_bench.run(plain_bench.actor("open-files", 1000), "--open-files", str(most))
    assert int(outcome.stdout) == most - streams


def test_processes_limit(plain_bench: Bench) -> None:
    most, itself = 20, 1
    tallies = 0 if plain_bench.identity.options else 1  # an ordinary tally has the program's uid
    outcome = plain_bench.run(plain_bench.actor("fork-some", 100), "--processes", str(most))
    if os.geteuid() == 0:
        assert int(outcome.stdout) == most - itself - tallies
    else:
        assert int(outcome.stdout) <= most - itself - tallies  # we have other processes


@contextmanager
def asleep(uid: int, count: int) -> Iterator[None]:
    """Have so many processes of a uid."""
    sleepers = [subprocess.Popen(["/bin/sleep", "1000"], user=uid) for _ in range(count)]
    try:
        yield
    finally:
        for sleeper in sleepers:
            sleeper.kill()
            sleeper.wait(DEADLINE_S)


def at_most(processes: int) -> list[str]:
    """Return what to run tally under, so that its uid may have no more."""
    return ["/usr/bin/prlimit", f"--nproc={processes}", "--"]


@pytest.mark.parametrize("mode", ["plain", "account", "filter"])
@pytest.mark.skipif(os.geteuid() != 0, reason="only root can have a uid whose processes it knows")
def test_so_many_processes_more_than_there_are(workshop: Workshop, mode: str) -> None:
    bench = Bench(workshop, identity_of("ordinary"), mode, f"mark-{uuid.uuid4().hex}")
    others, spare, itself = 30, 20, 1
    # In mode account it has another thread.
    tally = 2 if mode == "account" else 1
    fork_some = bench.actor("fork-some", 100)
    with asleep(bench.identity.program_uid, others):
        outcome = bench.run(fork_some, "--spare-processes", str(spare))
        assert int(outcome.stdout) == spare - itself
        if mode == "filter":
            assert outcome.calls("execve") == (1, 0), "what was tried before the program began is not its own"
        # Never more than tally itself may have.
        tight = bench.run(fork_some, "--spare-processes", str(spare), beneath=at_most(others + 10))
        assert int(tight.stdout) == 10 - itself - tally
        none_left = bench.run(fork_some, "--spare-processes", str(spare), beneath=at_most(others + 1))
        assert (none_left.fault["step"], none_left.fault["errno"]) == ("fork", errno.EAGAIN)


def test_stack_limit(plain_bench: Bench) -> None:
    outcome = plain_bench.run(["/bin/sh", "-c", "ulimit -s"], "--stack-bytes", str(1 << 20))
    assert outcome.stdout == b"1024\n"


SHOW_LIMITS = """
import resource
for name in dir(resource):
    if name.startswith("RLIMIT_"):
        print(name, *resource.getrlimit(getattr(resource, name)))
"""
GUEST_OPTIONS = ("--cpu-s", "9", "--memory-bytes", "300000000", "--output-bytes", "100000", "--open-files", "30")
WITHOUT_EFFECT = {"RLIMIT_RSS", "RLIMIT_LOCKS", "RLIMIT_RTTIME"}
"""The kernel ignores the first two, and the third is for real-time priorities, which no program gets."""
LOWEST = {"RLIMIT_AS": 400_000_000, "RLIMIT_DATA": 400_000_000, "RLIMIT_STACK": 1 << 20, "RLIMIT_NOFILE": 64}
"""Lower soft limits than usual, with which tally itself can still start; 100 of anything else."""


def limits_of_program(bench: Bench, *options: str, beneath: Sequence[str] = ()) -> dict[str, list[str]]:
    program = ["/usr/bin/python3", "-I", "-S", "-c", SHOW_LIMITS]
    shown = bench.run(program, *GUEST_OPTIONS, *options, beneath=beneath).stdout.decode().splitlines()
    return {name: values for name, *values in map(str.split, shown)}


def with_limit(kind: str, soft: int | str, hard: int | str = "") -> list[str]:
    return ["/usr/bin/prlimit", f"--{kind.removeprefix('RLIMIT_').lower()}={soft}:{hard}", "--"]


ALL_LIMITS = sorted(
    {name for name in dir(resource) if name.startswith("RLIMIT_")} - {"RLIMIT_OFILE"} - WITHOUT_EFFECT
)


def test_each_limit_is_the_same_in_any_shell(plain_bench: Bench) -> None:
    usual = limits_of_program(plain_bench)
    assert usual["RLIMIT_STACK"][0] == str(8 << 20)
    assert usual["RLIMIT_DATA"] == usual["RLIMIT_AS"] == ["300000000"] * 2
    for kind in ALL_LIMITS:
        soft = resource.getrlimit(getattr(resource, kind))[0]
        low = min(LOWEST.get(kind, 100), soft) if soft != resource.RLIM_INFINITY else LOWEST.get(kind, 100_000)
        assert limits_of_program(plain_bench, beneath=with_limit(kind, low)) == usual, kind
    if resource.getrlimit(resource.RLIMIT_STACK)[1] == resource.RLIM_INFINITY:
        assert limits_of_program(plain_bench, beneath=with_limit("stack", "unlimited")) == usual


@pytest.mark.parametrize(
    ("kind", "most", "words"),
    [
        ("stack", 1 << 20, "1048576 bytes of stack (ulimit -Hs), and 8388608 are needed"),
        ("data", 90_000_000, "90000000 bytes of data (ulimit -Hd), and 300000000 are needed"),
        ("as", 200_000_000, "200000000 bytes of address space (ulimit -Hv), and 300000000 are needed"),
        ("fsize", 10_000, "10000 bytes in a file (ulimit -Hf), and 100000 are needed"),
        ("nofile", 20, "20 open files (ulimit -Hn), and 30 are needed"),
        ("memlock", 4096, "4096 bytes of locked memory (ulimit -Hl), and 65536 are needed"),
        ("sigpending", 7, "7 pending signals (ulimit -Hi), and 1024 are needed"),
        ("msgqueue", 0, "0 bytes in message queues (ulimit -Hq), and 819200 are needed"),
    ],
)
def test_a_hard_limit_that_is_too_low_is_our_fault(ordinary: Bench, kind: str, most: int, words: str) -> None:
    fault = ordinary.run(["/bin/true"], *GUEST_OPTIONS, beneath=with_limit(kind, most, most)).fault
    assert fault == {"step": "setrlimit", "errno": errno.EPERM, "message": f"this machine allows {words}"}


def test_a_program_may_raise_its_stack(ordinary: Bench) -> None:
    if resource.getrlimit(resource.RLIMIT_STACK)[1] != resource.RLIM_INFINITY:
        pytest.skip("this machine has a hard limit of the stack")
    raised = ordinary.run(["/bin/sh", "-c", "ulimit -s 100000; ulimit -s"], *GUEST_OPTIONS)
    assert raised.stdout == b"100000\n"


def test_no_core_file(plain_bench: Bench) -> None:
    assert plain_bench.run(["/bin/sh", "-c", "ulimit -c"]).stdout == b"0\n"


def test_a_limit_above_the_inherited_one_is_our_fault(ordinary: Bench) -> None:
    beneath = ["/bin/sh", "-c", 'ulimit -n 500; exec "$@"', "sh"]
    fault = ordinary.run(ordinary.actor("exit"), "--open-files", "1000", beneath=beneath).fault
    assert (fault["step"], fault["errno"]) == ("setrlimit", errno.EPERM)


# --- times and the rest


def test_times(bench: Bench) -> None:
    before_s = time.monotonic()
    outcome = bench.run(["/bin/sleep", "0.5"])
    assert 0.5 <= outcome.wall_s < time.monotonic() - before_s
    assert outcome.cpu_s < 0.2


def test_pinned_cpu(plain_bench: Bench) -> None:
    cpu = max(os.sched_getaffinity(0))
    assert plain_bench.run(plain_bench.actor("cpus"), "--pin-cpu", str(cpu)).stdout == b"%d\n" % cpu


def test_folder_and_streams(plain_bench: Bench) -> None:
    folder = plain_bench.folder()
    (folder / "input").write_bytes(b"abc")
    with (folder / "input").open("rb") as stdin:
        outcome = plain_bench.run(["/bin/sh", "-c", "pwd; cat; echo err >&2"], "--cwd", str(folder), stdin=stdin)
    assert outcome.stdout == f"{folder}\nabc".encode()
    assert outcome.stderr == b"err\n"


def test_operands_and_environment_arrive_as_they_are(plain_bench: Bench) -> None:
    operands = ["--", "", "--uid", "\\", "a b", "\udcff"]
    outcome = plain_bench.run(["/bin/sh", "-c", 'printf "%s|" "$@"; echo "$LC_ALL"', "sh", *operands])
    assert outcome.stdout == b"--||--uid|\\|a b|\xff|C\n"
