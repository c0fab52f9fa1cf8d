"""Compiling a source as the student, and taking over the executable."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from .deadline import Deadline
from .folders import Folders
from .launch import Files, GuestError, Launcher, tool
from .oom import NoMemoryError, OomCounter
from .plan_json import BuildStepJson, LimitsJson
from .streams import head_of

MESSAGES_BYTES = 65536
SYMBOLS_BYTES = 1 << 20
COMPILED = {"kind": "exited", "code": 0}

COMPILER_MEMORY_BYTES = 128 << 20
"""More memory than compiling any source of a lab needs. A source that is made to use up memory takes all there is."""


class Builder:
    """Builds the programs of one submission."""

    def __init__(
        self, launcher: Launcher, folders: Folders, limits: LimitsJson, *, deadline: Deadline, oom: OomCounter
    ) -> None:
        self._launcher = launcher
        self._folders = folders
        self._limits = limits
        self._deadline = deadline
        self._oom = oom
        self._cut_short = False

    def build(self, step: BuildStepJson) -> dict[str, Any]:
        """Compile a program; return the fields of a BuildDone (grader/model/evidence.py).

        Raises:
            NoMemoryError, NoSpaceError: there is too little to compile any source with.
        """
        program = step["program"]
        self._cut_short = False
        self._folders.require_space_to_build()
        symbols = None
        # Closed again before any run, because a build could leave a note for a run in it.
        with self._folders.opened(self._folders.make_run_dir(f"build-{program}")) as scratch:
            executable = os.path.join(scratch, program)
            compiled, messages = self._run(f"{program}.compile", [*step["compile"], "-o", executable], scratch)
            if compiled["ending"] == COMPILED:
                self._take_over(executable, program, scratch)
                symbols = self._symbols(step, scratch)
        return {
            "program": program,
            "ending": compiled["ending"],
            "messages": messages,
            "symbols": symbols,
            "cut_short": self._cut_short,
        }

    def _run(self, name: str, command: Sequence[str], scratch: str, stdout: str = os.devnull) -> tuple[Any, str]:
        messages = self._folders.output(name, "stderr")
        with_path = [tool(command[0]), *command[1:]]
        supervised = self._launcher.tool_command(with_path, self._deadline.within(self._limits))
        files = Files(stdout=stdout, stderr=messages)
        # Sources are named without their folder, so that messages read `tr2b.c:12:5: …`.
        kills_before = self._oom.read()
        report = self._launcher.report_of(supervised, files, self._folders.sources, scratch)
        if self._oom.read() > kills_before and report["peak_memory_bytes"] < COMPILER_MEMORY_BYTES:
            peak = report["peak_memory_bytes"] >> 20
            raise NoMemoryError(
                f"there is too little memory here to compile with: {command[0]} was ended at {peak} MiB"
            )
        self._cut_short |= self._deadline.has_cut(report["ending"])
        text = head_of(messages, MESSAGES_BYTES).decode("utf-8", "replace")
        os.unlink(messages)
        return report, text

    def _take_over(self, executable: str, program: str, scratch: str) -> None:
        """Copy the executable to where students cannot write.

        The student's uid does the copying, because what lies at that path may be a link to anything.
        """
        target = self._folders.executable(program)
        report, messages = self._run(f"{program}.copy", ["cat", "--", executable], scratch, stdout=target)
        if report["ending"] != COMPILED and not self._cut_short:
            raise GuestError(f"the executable of {program} cannot be copied: {messages or report['ending']}")
        os.chmod(target, 0o755)  # noqa: S103 - students execute it

    def _symbols(self, step: BuildStepJson, scratch: str) -> list[str] | None:
        """List the functions that the source calls and does not define; None if the object does not compile."""
        program = step["program"]
        object_file = os.path.join(scratch, f"{program}.o")
        listing = self._folders.output(f"{program}.symbols", "stdout")
        for command, stdout in (
            ([*step["compile_object"], "-o", object_file], os.devnull),
            (["nm", "--undefined-only", "--format=posix", "--", object_file], listing),
        ):
            report, _ = self._run(f"{program}.symbols", command, scratch, stdout)
            if report["ending"] != COMPILED:
                return None
        lines = head_of(listing, SYMBOLS_BYTES).decode("utf-8", "replace").splitlines()
        return sorted({line.split()[0] for line in lines if line.strip()})
