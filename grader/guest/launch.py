"""Starting student code: always beneath tally, with limits, the student's uid and an environment of our own."""

from __future__ import annotations

import json
import os
import shutil
import signal
import subprocess
from collections.abc import Sequence
from typing import Any, NamedTuple

from .plan_json import LimitsJson, PlanJson, UntracedEngine

ENVIRONMENT = {"PATH": "/usr/local/bin:/usr/bin:/bin", "LC_ALL": "C", "HOME": "/nonexistent"}


# What the failure of a step of tally says about the machine.
HINTS = {
    "seccomp": "this kernel, or a container around us, has no seccomp filters, without which no program is run",
    "fork": "this user may have no more processes: end some",
    "setrlimit": "a limit of this machine is lower than the lab's: `ulimit -aH` shows them",
}


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
        raise GuestError(f"{name} is not installed where submissions run")
    return path


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


class Launcher:
    """Starts programs as a plan says."""

    def __init__(self, plan: PlanJson) -> None:
        self._layout = plan["layout"]
        self._work = plan["work"]
        self._cpu = max(os.sched_getaffinity(0))

    def student_command(
        self,
        program: Sequence[str],
        limits: LimitsJson,
        *,
        mode: UntracedEngine,
        read_nbyte: int | None = None,
        write_nbyte: int | None = None,
    ) -> list[str]:
        """Return a command that runs a program as the student, supervised, without the report's descriptor.

        In mode `filter` the kernel counts reads of `read_nbyte` bytes from standard input and writes of `write_nbyte`
        bytes to standard output. Each other call costs a stop, which takes ten times as long if the program and tally
        are on different CPUs.
        """
        options = ["--mode", mode]
        if mode == "filter":
            options += ["--pin-cpu", str(self._cpu)]
        if read_nbyte is not None:
            options += ["--read-nbyte", str(read_nbyte)]
        if write_nbyte is not None:
            options += ["--write-nbyte", str(write_nbyte)]
        return [self._layout["tally"], *options, *self._student(), *self._limits(limits), "--", *program]

    def tool_command(self, command: Sequence[str], limits: LimitsJson) -> list[str]:
        """Return a command that runs a tool of ours on what the student wrote, as the student.

        If the limit of processes counts a person's other processes, the tool has none: an editor that starts in the
        meantime must not make a compilation fail.
        """
        own_limits = self._limits(limits, is_tool=True)
        return [self._layout["tally"], "--mode", "plain", *self._student(), *own_limits, "--", *command]

    def strace_command(
        self, program: Sequence[str], limits: LimitsJson, tracer_limits: LimitsJson, *, options: Sequence[str]
    ) -> list[str]:
        """Return a command that runs a program as the student beneath a strace that is not the student's.

        strace keeps the guest's uid, so that the program cannot reach its tracer. A second tally beneath it takes the
        student's uid once it is traced, which needs no capability. The guard is that inner tally's, because it would
        refuse ptrace to strace. All are on one CPU: with the tracer on another, each call takes five times as long.
        """
        # The times are the tracer's, because tracing takes time. The output is its own: a log may be larger.
        output_bytes = min(limits["output_bytes"], tracer_limits["output_bytes"])
        inner_limits: LimitsJson = {**tracer_limits, "output_bytes": output_bytes}
        return [
            self._layout["tally"], "--mode", "plain", "--no-guard", "--pin-cpu", str(self._cpu),
            *self._limits(tracer_limits), "--", tool("strace"), *options, "--",
            self._layout["tally"], "--exec", *self._student(), *self._limits(inner_limits, is_traced=True), "--",
            *program,
        ]  # fmt: skip

    def _student(self) -> list[str]:
        student = self._layout["student"]
        return ["--uid", str(student["uid"]), "--gid", str(student["gid"])] if student else []

    def _limits(self, limits: LimitsJson, *, is_traced: bool = False, is_tool: bool = False) -> list[str]:
        options = ["--cpu-s", str(limits["cpu_s"]), "--memory-bytes", str(limits["memory_bytes"])]
        options += ["--output-bytes", str(limits["output_bytes"]), "--open-files", str(self._work["open_files"])]
        if not is_traced:
            options += ["--wall-s", str(limits["wall_s"])]
        process_limit = self._layout["process_limit"]
        if process_limit == "all":
            options += ["--processes", str(self._work["processes"])]
        # A traced program inherits the limit: finding it out takes children, which the trace would show.
        elif process_limit == "more" and not is_traced and not is_tool:
            options += ["--spare-processes", str(self._work["processes"])]
        return options

    def start(self, command: Sequence[str], descriptors: Descriptors, cwd: str, scratch: str) -> Running:
        """Start a command made above, in the folder `cwd`, with `scratch` for its temporary files.

        Raises:
            GuestError: tally could not be started.
        """
        report_read, report_write = os.pipe()
        try:
            process = subprocess.Popen(
                [command[0], "--report-fd", str(report_write), *command[1:]],
                stdin=descriptors.stdin,
                stdout=descriptors.stdout,
                stderr=descriptors.stderr,
                pass_fds=(report_write,),
                env={**ENVIRONMENT, "TMPDIR": scratch},
                cwd=cwd,
            )
        except OSError as error:
            os.close(report_read)
            raise GuestError(f"tally cannot be started: {error}") from error
        finally:
            os.close(report_write)
        return Running(process, report_read)

    def report_of(self, command: Sequence[str], files: Files, cwd: str, scratch: str) -> dict[str, Any]:
        """Start a command with files for its streams, wait for its end, and return tally's report.

        Raises:
            GuestError: see `start` and `Running.finish`.
        """
        descriptors = Descriptors(
            os.open(files.stdin, os.O_RDONLY | os.O_CLOEXEC), _create(files.stdout), _create(files.stderr)
        )
        try:
            return self.start(command, descriptors, cwd, scratch).finish()
        finally:
            for descriptor in descriptors:
                os.close(descriptor)


def _create(path: str) -> int:
    return os.open(path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)


class Running:
    """A supervised program that was started; `report_fd` becomes readable when it has ended."""

    def __init__(self, process: subprocess.Popen[bytes], report_fd: int) -> None:
        self._process = process
        self.report_fd = report_fd

    def finish(self) -> dict[str, Any]:
        """Wait for the end and return tally's report, a JSON object with `ending`, times and `accounting`.

        Raises:
            TallyFaultError: tally reported a fault of its own.
            GuestError: it reported nothing.
        """
        with os.fdopen(self.report_fd, encoding="utf-8") as channel:
            text = channel.read()
        status = self._process.wait()
        if not text:
            raise GuestError(f"tally ended with status {status} and reported nothing")
        report: dict[str, Any] = json.loads(text)
        if "fault" in report:
            step, message = report["fault"]["step"], report["fault"]["message"]
            hint = f" ({HINTS[step]})" if step in HINTS else ""
            raise TallyFaultError(f"tally failed: {step}: {message}{hint}")
        return report

    def end(self) -> None:
        """Make tally end the program and everything that it started."""
        if self._process.poll() is None:
            self._process.send_signal(signal.SIGTERM)
            self._process.wait()
