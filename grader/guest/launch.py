"""Starting student code: always under tally, with limits, the student's uid and an environment of our own."""

from __future__ import annotations

import fcntl
import json
import os
import shutil
import signal
import subprocess
from collections.abc import Mapping, Sequence
from types import MappingProxyType
from typing import Any, NamedTuple

from .own_time import OwnTime, waited_s
from .plan_json import CheckerJson, GuestRequestJson, LimitsJson, UntracedEngine

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"}


# See the manuals of the sanitizers and valgrind. A memory limit in MiB replaces the one on the address space. Text
# must be short: the guest only keeps its beginning.
_ASAN_OPTIONS = "detect_leaks=0:detect_stack_use_after_return=1:hard_rss_limit_mb=300:print_legend=0:color=never"
CHECKER_ENVIRONMENT: Mapping[CheckerJson | None, Mapping[str, str]] = {
    None: {},
    "sanitizers": {"ASAN_OPTIONS": _ASAN_OPTIONS, "UBSAN_OPTIONS": "color=never"},
    "addresses": {"ASAN_OPTIONS": f"{_ASAN_OPTIONS}:symbolize=0", "UBSAN_OPTIONS": "color=never"},
    "valgrind": {},
}
VALGRIND = (
    "valgrind", "--quiet", "--track-origins=yes", "--exit-on-first-error=yes", "--error-exitcode=99",
    "--leak-check=no", "--vgdb=no",
)  # fmt: skip
VALGRIND_MEMORY_BYTES = 512 << 20
"""valgrind itself and its tables take 200 MiB."""
CHECKER_THREADS: Mapping[CheckerJson, int] = {"sanitizers": 1, "addresses": 1, "valgrind": 0}
"""Threads of a checker's own, which count as the program's."""

ENDED_WELL = {"kind": "exited", "code": 0}
KILLED = {"kind": "signalled", "signal": signal.SIGKILL.value}

# What the failure of a step of tally says about the machine.
NO_OTHER_USER = "root may not become another user here: give the container CAP_SETUID and CAP_SETGID, or use no root"
HINTS = {
    **dict.fromkeys(("setgroups", "setresgid", "setresuid"), NO_OTHER_USER),
    "seccomp": "this kernel, or a container around us, has no seccomp filters, without which no program is run",
    "fork": "this user may have no more processes: end some",
    "setrlimit": (
        "try a new terminal; if the limit is as low there, somebody with the rights must raise it, in"
        " /etc/security/limits.conf or in the settings of the container"
    ),
}


class Program(NamedTuple):
    """A program to run.

    `called` is what it finds in argv[0]: what it writes about itself must not depend on where it is.
    """

    path: str
    called: str
    operands: Sequence[str]


def _called(program: Program) -> list[str]:
    return ["--argv0", program.called, "--", program.path, *program.operands]


class GuestError(Exception):
    """The guest's side failed; the submission is not graded."""


class TallyFaultError(GuestError):
    """tally itself failed; the message names the step."""


def tool(name: str) -> str:
    """Return the path of a tool on our own search path: tally takes paths.

    Raises:
        GuestError: it is not installed.
    """
    path = shutil.which(name, path=ENVIRONMENT["PATH"])
    if path is None:
        raise GuestError(
            f"{name} is not installed where submissions run; `grader doctor --lab LAB` says how to get it"
        )
    return path


def is_installed(name: str) -> bool:
    """Return whether a tool is on our own search path."""
    return shutil.which(name, path=ENVIRONMENT["PATH"]) is not None


class Descriptors(NamedTuple):
    """Descriptors that become standard input, output and error of the program."""

    stdin: int
    stdout: int
    stderr: int


class Files(NamedTuple):
    """Paths that standard input is read from, and standard output and error are written to."""

    stdin: str = os.devnull
    stdout: str = os.devnull
    stderr: str = os.devnull


class Filter(NamedTuple):
    """Options of modes `filter` and `account`: see `Launcher.student_command`."""

    read_nbyte: int | None = None
    write_nbyte: int | None = None
    max_stops: int | None = None
    transfers_only: bool = False
    limits_only: bool = False


class Launcher:
    """Starts programs as a request says."""

    def __init__(self, request: GuestRequestJson) -> None:
        self._layout = request["layout"]
        self._plan = request["plan"]
        self._cpu = max(os.sched_getaffinity(0))
        self.own_time = OwnTime()

    def student_command(
        self,
        program: Program,
        limits: LimitsJson,
        *,
        mode: UntracedEngine,
        writable: str,
        filtered: Filter = Filter(),  # noqa: B008 - immutable
    ) -> list[str]:
        """Return a command that runs a program as the student, supervised, without the report's descriptor.

        `writable` is the folder in which the program may change files.

        In mode `filter` the kernel counts reads of `read_nbyte` bytes from standard input and writes of `write_nbyte`
        bytes to standard output. Each other call costs a stop, which takes ten times as long if the program and tally
        are on different CPUs. With `transfers_only` only calls that move bytes are stopped, with `limits_only` only
        those that may be refused or that a limit may make fail. A run with more than `max_stops` stops is ended.

        In mode `account` with `read_nbyte` and `write_nbyte`, the report names all other calls on these streams, and
        calls that copy their descriptors, in each of its processes. The program finds no tracer and no filter.
        """
        options = ["--mode", mode]
        if mode == "filter":
            options += ["--pin-cpu", str(self._cpu)]
        if filtered.read_nbyte is not None:
            options += ["--read-nbyte", str(filtered.read_nbyte)]
        if filtered.write_nbyte is not None:
            options += ["--write-nbyte", str(filtered.write_nbyte)]
        if filtered.max_stops is not None:
            options += ["--max-stops", str(filtered.max_stops)]
        if filtered.transfers_only:
            options.append("--transfers-only")
        if filtered.limits_only:
            options.append("--limits-only")
        return [self._layout["tally"], *options, *self._student(writable), *self._limits(limits), *_called(program)]

    def checked_command(
        self, program: Program, limits: LimitsJson, checker: CheckerJson, *, mode: UntracedEngine, writable: str
    ) -> list[str]:
        """Return a command that runs a program as the student, while a checker looks for memory errors.

        valgrind calls the program by its path. Mode `filter` shows what was refused to the program.

        The program must not start processes, but may start threads: a checker limits the memory of one process only.
        Dozens of them used up a machine's memory, and the kernel killed the grader.
        """
        own_threads = CHECKER_THREADS[checker]
        if checker == "valgrind":
            valgrind_limits: LimitsJson = {**limits, "memory_bytes": VALGRIND_MEMORY_BYTES}
            own_limits = self._limits(valgrind_limits, checker_threads=own_threads)
            called = ["--", tool(VALGRIND[0]), *VALGRIND[1:], program.path, *program.operands]
        else:
            own_limits = self._limits(limits, limits_memory=False, checker_threads=own_threads)
            called = _called(program)
        options = ["--mode", "filter", "--limits-only"] if mode == "filter" else ["--mode", "plain"]
        return [self._layout["tally"], *options, *self._student(writable), *own_limits, *called]

    def tool_command(self, command: Sequence[str], limits: LimitsJson, *, writable: str) -> list[str]:
        """Return a command that runs a tool of ours on what the student wrote, as the student.

        If the limit of processes counts a person's other processes, the tool has none: an editor that starts in the
        meantime must not make a compilation fail.
        """
        own_limits = self._limits(limits, is_tool=True)
        return [self._layout["tally"], "--mode", "plain", *self._student(writable), *own_limits, "--", *command]

    def strace_command(
        self,
        program: Program,
        limits: LimitsJson,
        tracer_limits: LimitsJson,
        *,
        writable: str,
        options: Sequence[str],
    ) -> list[str]:
        """Return a command that runs a program as the student under a strace that is not the student's.

        strace keeps the guest's uid, so that the program cannot reach its tracer. A second tally under it takes the
        student's uid once it is traced, which needs no capability. The guard is that inner tally's, because it would
        refuse ptrace to strace. All are on one CPU: with the tracer on another, each call takes five times as long.
        """
        # The times are the tracer's, because tracing takes time. The output is its own: a log may be larger.
        output_bytes = min(limits["output_bytes"], tracer_limits["output_bytes"])
        inner_limits: LimitsJson = {**tracer_limits, "output_bytes": output_bytes}
        return [
            self._layout["tally"], "--mode", "plain", "--no-guard", "--pin-cpu", str(self._cpu),
            *self._limits(tracer_limits), "--", tool("strace"), *options, "--",
            self._layout["tally"], "--exec", *self._student(writable), *self._limits(inner_limits, is_traced=True),
            *_called(program),
        ]  # fmt: skip

    def _student(self, writable: str) -> list[str]:
        student = self._layout["student"]
        ids = ["--uid", str(student["uid"]), "--gid", str(student["gid"])] if student else []
        return [*ids, "--writable", writable]

    def _limits(
        self,
        limits: LimitsJson,
        *,
        is_traced: bool = False,
        is_tool: bool = False,
        limits_memory: bool = True,
        checker_threads: int | None = None,
    ) -> list[str]:
        """Return the options of limits. With a checker, a uid that is the student's alone has threads only."""
        options = ["--cpu-s", str(limits["cpu_s"])]
        if limits_memory:
            options += ["--memory-bytes", str(limits["memory_bytes"])]
        options += ["--output-bytes", str(limits["output_bytes"]), "--open-files", str(self._plan["open_files"])]
        if not is_traced:
            options += ["--wall-s", str(limits["wall_s"])]
        process_limit = self._layout["process_limit"]
        if process_limit == "all":
            options += ["--processes", str(self._plan["processes"] + (checker_threads or 0))]
            if checker_threads is not None:
                options.append("--threads-only")
        # A traced program inherits the limit: finding it out takes children, which the trace would show.
        elif process_limit == "more" and not is_traced and not is_tool:
            options += ["--spare-processes", str(self._plan["processes"])]
        return options

    def start(
        self,
        command: Sequence[str],
        descriptors: Descriptors,
        cwd: str,
        scratch: str,
        environment: Mapping[str, str] = MappingProxyType({}),
    ) -> Running:
        """Start a command made above, in the folder `cwd`, with `scratch` for its temporary files.

        `environment` is added to the one that all programs get.

        Raises:
            GuestError: tally could not be started.
        """
        report_read, report_write = os.pipe()
        options = _in_memory(["--report-fd", str(report_write), *command[1:]])
        try:
            process = subprocess.Popen(
                # The program can read this line: it is the same in each run.
                [command[0], "--options-fd", str(options)],
                stdin=descriptors.stdin,
                stdout=descriptors.stdout,
                stderr=descriptors.stderr,
                pass_fds=(options, report_write),
                env={**ENVIRONMENT, **environment, "TMPDIR": scratch},
                cwd=cwd,
            )
        except OSError as error:
            os.close(report_read)
            raise GuestError(f"tally cannot be started: {error}") from error
        finally:
            os.close(options)
            os.close(report_write)
        return Running(process, report_read, self.own_time)

    def report_of(  # noqa: PLR0913 - what it needs to start it, and to understand its time
        self,
        command: Sequence[str],
        files: Files,
        cwd: str,
        scratch: str,
        environment: Mapping[str, str] = MappingProxyType({}),
        *,
        is_of_starter: bool = False,
    ) -> dict[str, Any]:
        """Start a command with files for its streams, wait for its end, and return tally's report.

        `is_of_starter`: see `OwnTime.measure`.

        Raises:
            GuestError: see `start` and `Running.finish`.
        """
        descriptors = Descriptors(
            os.open(files.stdin, os.O_RDONLY | os.O_CLOEXEC), _create(files.stdout), _create(files.stderr)
        )
        try:
            return self.start(command, descriptors, cwd, scratch, environment).finish(is_of_starter=is_of_starter)
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


OPTIONS_FD = 100
"""The lowest descriptor for tally's options. So it always has the same number, however many others are open."""


def _in_memory(words: Sequence[str]) -> int:
    """Return a descriptor of a file with these words, each ended by a NUL byte."""
    memory = os.memfd_create("options", os.MFD_CLOEXEC)
    try:
        with open(memory, "wb", closefd=False) as file:
            file.write(b"".join(os.fsencode(word) + b"\0" for word in words))
        return fcntl.fcntl(memory, fcntl.F_DUPFD_CLOEXEC, OPTIONS_FD)
    finally:
        os.close(memory)


def _create(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)


class Running:
    """A supervised program that was started; `report_fd` becomes readable when it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], report_fd: int, own_time: OwnTime) -> None:
        self._process = process
        self.report_fd = report_fd
        self._own_time = own_time
        self._waited_before_s = waited_s("self")

    def finish(self, *, is_of_starter: bool = False) -> dict[str, Any]:
        """Wait for the end and return tally's report, a JSON object with `ending`, times and `accounting`.

        It gets `own_s` and `slept_s`: see `OwnTime.measure`, also for `is_of_starter`.

        Raises:
            TallyFaultError: tally reported a fault of its own.
            GuestError: what it reported cannot be read.
        """
        with os.fdopen(self.report_fd, "rb") as channel:
            text = channel.read()
        helpers_waited_s = waited_s(self._process.pid) + waited_s("self") - self._waited_before_s
        status = self._process.wait()
        try:
            report: dict[str, Any] = json.loads(text)
        except ValueError as error:
            raise GuestError(f"tally ended with status {status} and reported {text[:200]!r}") from error
        if "fault" in report:
            step, message = report["fault"]["step"], report["fault"]["message"]
            hint = f" ({HINTS[step]})" if step in HINTS else ""
            raise TallyFaultError(f"tally failed: {step}: {message}{hint}")
        self._own_time.measure(report, helpers_waited_s, is_of_starter=is_of_starter)
        return report

    def end(self) -> None:
        """Make tally end the program and everything that it started."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()
