"""Run the lab's programs in a container: alone, under tally, under strace."""

from __future__ import annotations

import json
import os
from dataclasses import replace
from typing import Literal

from bench.figures import Cost, scaled
from bench.lab import EMPTY, PART, MeasuredLab, filter_options
from bench.stopwatch import REPORT_FD
from bench.stopwatch_client import JOB, Stopwatch, TimedCommand
from grader.errors import GraderError
from grader.guest.launch import ENVIRONMENT
from grader.sandbox.container import LAYOUT, STUDENT

TallyMode = Literal["plain", "account", "filter"]
BIN, OUT, SCRATCH = f"{LAYOUT.work_dir}/bin", f"{LAYOUT.work_dir}/out", f"{LAYOUT.scratch_dir}/cwd"
SUCCESS = {"kind": "exited", "code": 0}


class Programs:
    """The compiled programs, in folders like those that the guest makes (grader/guest/folders.py)."""

    def __init__(self, lab: MeasuredLab, stopwatch: Stopwatch) -> None:
        """Make the folders and compile.

        Raises:
            GraderError: a program does not compile.
        """
        self._lab = lab
        self._stopwatch = stopwatch
        for folder, mode in ((BIN, "755"), (OUT, "700"), (SCRATCH, "777")):
            self._set_up("/bin/mkdir", "-m", mode, folder)
        for program in lab.spec.programs:
            self._set_up(*lab.compile_command(program, f"{BIN}/{program}"))

    def _set_up(self, *command: str) -> None:
        environment = {**ENVIRONMENT, "TMPDIR": LAYOUT.scratch_dir}
        errors = f"{LAYOUT.work_dir}/errors"
        self._stopwatch.run(TimedCommand(command, environment=environment, cwd=f"{JOB}/sources", stderr=errors))

    def alone(self, program: str, case: str) -> Cost:
        """Start a program directly, on the input of a case."""
        return self._run(self._timing(program, self._lab.cases[case].input))

    def under_tally(self, program: str, mode: TallyMode) -> Cost:
        """Run the main case as the grader does: supervised, with limits and guard."""
        timing = self._timing(program, self._main_input)
        limits = self._lab.spec.limits.full
        tally = [LAYOUT.tally, "--report-fd", REPORT_FD, "--mode", mode, "--uid", str(STUDENT.uid)]
        tally += ["--gid", str(STUDENT.gid), "--cpu-s", str(limits.cpu_s), "--wall-s", str(limits.wall_s)]
        tally += ["--memory-bytes", str(limits.memory_bytes), "--output-bytes", str(limits.output_bytes)]
        tally += ["--open-files", str(self._lab.spec.limits.open_files)]
        if mode == "filter":
            tally += ["--pin-cpu", str(max(os.sched_getaffinity(0)))]
            tally += filter_options(self._lab.spec.programs[program])
        # tally starts with the guest's uid and switches to the student's for the program.
        supervised = replace(timing, command=[*tally, "--", *timing.command], uid=None, gid=None)
        return self._run(replace(supervised, report=f"{LAYOUT.work_dir}/report"))

    def under_strace(self, program: str, *, pinned: bool) -> Cost:
        """Run the main case under strace -f -c. A costly program gets a part, and its cost is scaled."""
        cpu = max(os.sched_getaffinity(0)) if pinned else None
        if not self._lab.is_costly(program):
            return self._traced(program, self._main_input, cpu)
        empty, part = (self._traced(program, name, cpu) for name in (EMPTY, PART))
        return scaled(empty, part, len(self._lab.inputs[PART]), self._lab.size_bytes)

    def _traced(self, program: str, input_name: str, cpu: int | None) -> Cost:
        timing = self._timing(program, input_name)
        strace = ["/usr/bin/strace", "-f", "-c", "-o", f"{SCRATCH}/strace", "--"]
        return self._run(replace(timing, command=[*strace, *timing.command], cpu=cpu))

    @property
    def _main_input(self) -> str:
        return self._lab.cases[self._lab.main_case].input

    def _timing(self, program: str, input_name: str) -> TimedCommand:
        """Describe a run as the student, with the file names that the guest uses."""
        operands = self._lab.cases[self._lab.main_case].arguments
        return TimedCommand(
            command=[f"{BIN}/{program}", *map(os.fsdecode, operands)],
            stdin=f"{JOB}/inputs/{input_name}",
            stdout=f"{OUT}/{program}.stdout",
            stderr=f"{OUT}/{program}.stderr",
            environment={**ENVIRONMENT, "TMPDIR": SCRATCH},
            cwd=SCRATCH,
            uid=STUDENT.uid,
            gid=STUDENT.gid,
        )

    def _run(self, timing: TimedCommand) -> Cost:
        run = self._stopwatch.run(timing)
        # A program that fails or stops early would look fast.
        expected_bytes = len(self._lab.inputs[timing.stdin.rpartition("/")[2]])
        words = " ".join(timing.command)
        if run.stdout_bytes != expected_bytes:
            raise GraderError(f"{words} wrote {run.stdout_bytes} bytes instead of {expected_bytes}")
        if run.report and json.loads(run.report).get("ending") != SUCCESS:
            raise GraderError(f"{words} did not succeed: {run.report}")
        return run.cost
