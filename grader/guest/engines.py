"""Which engines count system calls correctly here: each is tried on a program whose calls are known.

A kernel may keep no accounting, a container may refuse ptrace, and a kernel that only looks like Linux may answer
with zeros. None of that may count against a student, so each engine must prove itself once per submission.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any

from .deadline import Deadline
from .folders import Folders
from .launch import Files, Filter, Launcher, Program, TallyFaultError, tool
from .own_time import with_time
from .plan_json import EngineJson, LimitsJson, UntracedEngine
from .strace_log import read_log

FALLBACK: dict[EngineJson, EngineJson] = {"strace": "filter", "filter": "account", "account": "plain"}
"""What replaces an engine that does not work here. tally's filter counts what strace counts; the engines after it see
less, and claim less."""

SEES_CALLS: tuple[EngineJson, ...] = ("strace", "filter")
PTRACE_SCOPE = "/proc/sys/kernel/yama/ptrace_scope"
SCOPES_THAT_FORBID = ("2", "3")
PROBE = ("head", "-c", "1")
"""Reads a byte and writes it."""


class Engines:
    """Which engines work here; `missing` says why each of the others does not."""

    def __init__(
        self, launcher: Launcher, folders: Folders, limits: LimitsJson, deadline: Deadline, strace_problem: str
    ) -> None:
        """Try the engine that needs most; if it fails, the others, which need less of the same.

        `strace_problem`: why strace does not work here, "" if nothing is known to be wrong with it.
        """
        self._launcher = launcher
        self._folders = folders
        self._limits = limits
        self._deadline = deadline
        self._probe = Program(tool(PROBE[0]), PROBE[0], PROBE[1:])
        self.missing: dict[EngineJson, str] = {}
        if strace_problem:
            self._set_strace_missing(strace_problem)
        if not self._tally_works("filter"):
            self._tally_works("account")
            if not strace_problem and not self._strace_works():
                self._set_strace_missing("strace may not trace here")

    def choose(self, planned: EngineJson) -> EngineJson | None:
        """Return the engine that the plan names or the next one that works, None if nothing can trace."""
        engine: EngineJson | None = planned
        while engine in self.missing:
            engine = FALLBACK.get(engine)
        return None if planned == "strace" and engine not in SEES_CALLS else engine

    def _set_strace_missing(self, why: str) -> None:
        self.missing["strace"] = self.missing["strace-count"] = why

    def _tally_works(self, mode: UntracedEngine) -> bool:
        """Count the probe's calls in one of tally's modes; if the counts are wrong, note why."""
        filtered = Filter(1, 1) if mode == "filter" else Filter()

        def command_in(run_dir: str, limits: LimitsJson) -> list[str]:
            return self._launcher.student_command(self._probe, limits, mode=mode, writable=run_dir, filtered=filtered)

        try:
            why = _wrong_with(self._report(mode, command_in), mode)
        except TallyFaultError as error:
            why = f"{error}{_forbidden_by(str(error))}"
        if why is not None:
            self.missing[mode] = why
        return why is None

    def _strace_works(self) -> bool:
        log_path = self._folders.output("try-strace", "strace")

        def command_in(run_dir: str, limits: LimitsJson) -> list[str]:
            return self._launcher.strace_command(
                self._probe, limits, limits, writable=run_dir, options=["-f", "-o", log_path]
            )

        try:
            self._report("strace", command_in)
            with open(log_path, encoding="utf-8", errors="replace") as lines:
                return read_log(lines).complete
        except (FileNotFoundError, TallyFaultError):
            return False

    def _report(self, name: str, command_in: Callable[[str, LimitsJson], list[str]]) -> dict[str, Any]:
        """Run a command on one byte in a folder of its own; return tally's report."""
        run_dir = self._folders.make_run_dir(f"try-{name}")
        stdin, stdout = (self._folders.output(f"try-{name}", stream) for stream in ("stdin", "stdout"))
        with open(stdin, "wb") as file:
            file.write(b"x")

        def run(attempt_s: float) -> dict[str, Any]:
            command = command_in(run_dir, {**self._limits, "wall_s": attempt_s})
            return self._launcher.report_of(command, Files(stdin, stdout), run_dir, run_dir, is_of_starter=True)

        try:
            with self._folders.opened(run_dir):
                return with_time(run, self._limits["wall_s"], self._deadline)
        finally:
            os.unlink(stdin)
            os.unlink(stdout)


def _forbidden_by(fault: str) -> str:
    """Return why ptrace may be refused, if the machine says so."""
    try:
        with open(PTRACE_SCOPE, encoding="ascii") as file:
            scope = file.read().strip()
    except OSError:
        return ""
    return f" (kernel.yama.ptrace_scope is {scope})" if "ptrace" in fault and scope in SCOPES_THAT_FORBID else ""


def _wrong_with(report: dict[str, Any], mode: UntracedEngine) -> str | None:
    accounting, trace = report["accounting"], report["trace"]
    if accounting is None and not os.path.exists("/proc/self"):
        return "this machine shows no /proc"
    if accounting is None:
        return "the kernel keeps no I/O accounting that can be read (/proc/PID/io)"
    if accounting["writes"] != 1 or accounting["written_bytes"] != 1 or accounting["reads"] < 1:
        return "the kernel's I/O accounting counts wrong: {writes} writes for 1".format(**accounting)
    if mode == "filter" and not (trace["complete"] and trace["stdin"]["calls"] == trace["stdout"]["calls"] == 1):
        return "calls that pass the filter are not counted right"
    return None
