"""Runs tally the way the guest does: options, streams, a descriptor for the report."""

from __future__ import annotations

import json
import os
import resource
import subprocess
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

PROGRAMS = Path(__file__).parent / "programs"
TALLY = Path(__file__).parents[2] / "grader" / "guest" / "tally"
WARNINGS = ("-Wall", "-Wextra", "-Wpedantic", "-Wconversion", "-Wshadow", "-Wstrict-prototypes", "-Werror")
HARDENING = ("-D_FORTIFY_SOURCE=2", "-fstack-protector-strong", "-fPIE", "-pie", "-Wl,-z,relro,-z,now")

# All processes of the student's uid are killed, in containers too; so another test run must not have the same.
STUDENT = 20_000 + os.getpid() % 20_000  # the uid and gid that programs get from a tally that is root
ORDINARY = STUDENT + 20_000  # the uid and gid of a tally that is not root
FAULT_STATUS = 125
MODE_OPTIONS = {"filter": ("--read-nbyte", "1", "--write-nbyte", "1")}
DEADLINE_S = 60.0  # for what takes seconds at most; longer, and tally hangs


@dataclass(frozen=True)
class Identity:
    """Who runs tally, and as whom it runs programs. `tally_uid` is None where it runs as we do."""

    name: str
    options: tuple[str, ...]
    tally_uid: int | None
    program_uid: int


ROOT = Identity("root", (), None, 0)  # only for programs that we trust: strace


@dataclass(frozen=True)
class Outcome:
    """What a run of tally left: its own exit status, the reported object (None: no line), the program's streams."""

    status: int
    report: dict[str, Any] | None
    stdout: bytes
    stderr: bytes

    def reported(self, key: str) -> Any:  # noqa: ANN401 -- it is JSON
        """Return a field of the report; the test fails if a fault was reported instead."""
        assert self.status == 0, (self.report, self.stderr)
        assert self.report is not None
        return self.report[key]

    @property
    def ending(self) -> dict[str, Any]:
        """How the program ended."""
        ending: dict[str, Any] = self.reported("ending")
        return ending

    @property
    def accounting(self) -> dict[str, int] | None:
        """The kernel's totals, or None where tally reported null."""
        accounting: dict[str, int] | None = self.reported("accounting")
        return accounting

    @property
    def trace(self) -> dict[str, Any]:
        """The calls of filter mode; the test fails if there is none."""
        trace: dict[str, Any] = self.reported("trace")
        assert trace is not None
        return trace

    def calls(self, name: str) -> tuple[int, int]:
        """How often a call was made, and how often it failed; filter mode."""
        count = self.trace["calls"].get(name, {"calls": 0, "errors": 0})
        return count["calls"], count["errors"]

    @property
    def wall_s(self) -> float:
        """How long the program ran."""
        return float(self.reported("wall_s"))

    @property
    def cpu_s(self) -> float:
        """How much CPU time it took."""
        return float(self.reported("user_s")) + float(self.reported("sys_s"))

    @property
    def fault(self) -> dict[str, Any]:
        """The fault; the test fails if an ending was reported instead, or standard error does not tell."""
        assert self.status == FAULT_STATUS, (self.report, self.stderr)
        assert self.report is not None
        assert set(self.report) == {"tally", "fault"}
        fault: dict[str, Any] = self.report["fault"]
        assert f"tally: {fault['step']}: {fault['message']} (errno {fault['errno']})".encode() in self.stderr
        return fault


@dataclass
class Running:
    """A tally on its way, or another process that holds the writing end of a report."""

    process: subprocess.Popen[bytes]
    report_fd: int

    def finish(self) -> Outcome:
        """Wait for its end and read what it left."""
        stdout, stderr = self.process.communicate(timeout=DEADLINE_S)
        with os.fdopen(self.report_fd, "rb") as channel:
            line = channel.read()
        assert line.endswith(b"\n") or not line
        return Outcome(self.process.returncode, json.loads(line) if line else None, stdout or b"", stderr or b"")


class Workshop:
    """A folder that every uid can read, with the test programs, compiled when they are first wanted."""

    def __init__(self, folder: Path, compiler: str) -> None:
        self.folder = folder
        self._compiler = compiler
        self._built: dict[tuple[str, ...], Path] = {}

    def tally(self) -> Path:
        """Return tally, compiled with all warnings as errors."""
        return self._compile(sorted(TALLY.glob("*.c")), *WARNINGS, *HARDENING)

    def build(self, name: str, *flags: str) -> Path:
        """Return programs/NAME.c compiled with these flags."""
        return self._compile([PROGRAMS / f"{name}.c"], "-Wall", "-Wextra", "-Werror", *flags)

    def compile_as_found(self, source: Path) -> Path:
        """Return a submission's program, compiled as the lab does, whatever the warnings."""
        return self._compile([source], "-w")

    def _compile(self, sources: Sequence[Path], *flags: str) -> Path:
        key = (str(sources[0]), *flags)
        if key not in self._built:
            target = self.folder / f"{sources[0].stem}-{len(self._built)}"
            options = ["-std=gnu11", "-O2", "-pthread", *flags]
            command: list[str | Path] = [self._compiler, *options, "-o", target, *sources]
            subprocess.run(command, check=True, timeout=DEADLINE_S)
            target.chmod(0o755)
            self._built[key] = target
        return self._built[key]


@dataclass(frozen=True)
class Bench:
    """Where one test runs programs: tally, an identity, a mode, and a mark by which its processes are found."""

    workshop: Workshop
    identity: Identity
    mode: str
    mark: str

    def actor(self, *words: object) -> list[str]:
        """Return the command that has programs/actor.c do something."""
        return [str(self.workshop.build("actor")), *map(str, words), self.mark]

    def folder(self) -> Path:
        """Return a new folder that every program may write to, as root without CHOWN cannot give it away."""
        folder = self.workshop.folder / self.mark
        folder.mkdir()
        folder.chmod(0o777)
        return folder

    def start(
        self,
        program: Sequence[str | Path],
        *options: str,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.PIPE,
        beneath: Sequence[str | Path] = (),
    ) -> Running:
        """Start tally, `beneath` another program if one is named."""
        report_read, report_write = os.pipe()
        command = [*beneath, self.workshop.tally(), "--report-fd", report_write, "--mode", self.mode]
        command += MODE_OPTIONS.get(self.mode, ())
        process = subprocess.Popen(
            [str(word) for word in [*command, *self.identity.options, *options, "--", *program]],
            stdin=stdin,
            stdout=stdout,
            stderr=subprocess.PIPE,
            pass_fds=[report_write],
            env={"PATH": os.environ["PATH"], "LC_ALL": "C"},
            cwd="/",
            **_user(self.identity),
        )
        os.close(report_write)
        return Running(process, report_read)

    def run(
        self,
        program: Sequence[str | Path],
        *options: str,
        stdin: int | IO[bytes] = subprocess.DEVNULL,
        stdout: int | IO[bytes] = subprocess.PIPE,
        beneath: Sequence[str | Path] = (),
    ) -> Outcome:
        """Start tally and wait for its end."""
        return self.start(program, *options, stdin=stdin, stdout=stdout, beneath=beneath).finish()

    def run_bare(self, *arguments: object, pass_fds: Sequence[int] = ()) -> Outcome:
        """Run tally with these arguments and no others, and read no report."""
        done = subprocess.run(
            [str(self.workshop.tally()), *map(str, arguments)],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            pass_fds=pass_fds,
            timeout=DEADLINE_S,
            check=False,
            **_user(self.identity),
        )
        return Outcome(done.returncode, None, done.stdout, done.stderr)

    def alive(self) -> list[int]:
        """Return the pids of this test's programs; tally itself, which has the mark too, is none of them."""
        return [
            pid
            for pid, owner, command in _processes()
            if owner == self.identity.program_uid and self.mark in command and "--report-fd" not in command
        ]

    def left(self) -> list[int]:
        """Return what is left of this test's programs: zombies too, where the uid is ours alone."""
        if self.identity.program_uid != STUDENT:
            return self.alive()
        return [pid for pid, owner, _ in _processes() if owner == STUDENT]


def _user(identity: Identity) -> dict[str, Any]:
    if identity.tally_uid is None:
        return {}
    return {"user": identity.tally_uid, "group": identity.tally_uid, "extra_groups": []}


def _processes() -> Iterator[tuple[int, int, str]]:
    for entry in Path("/proc").iterdir():
        if entry.name.isdigit():
            try:
                status = (entry / "status").read_text(encoding="utf-8", errors="replace")
                command = (entry / "cmdline").read_text(encoding="utf-8", errors="replace")
            except OSError:  # it has ended meanwhile
                continue
            yield int(entry.name), int(status.split("\nUid:\t")[1].split()[0]), command


def switches() -> int:
    """Return how often programs that have ended gave up the CPU to wait: at each of its stops a traced one does."""
    return resource.getrusage(resource.RUSAGE_CHILDREN).ru_nvcsw


def wait_until(condition: Callable[[], bool]) -> None:
    """Return when a condition holds; fail the test if it does not within the deadline."""
    deadline_s = time.monotonic() + DEADLINE_S
    while not condition():
        assert time.monotonic() < deadline_s
        time.sleep(0.01)
