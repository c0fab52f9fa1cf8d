"""Running one program once, as a step of the plan says."""

from __future__ import annotations

import base64
import os
from contextlib import closing
from typing import Any

from .deadline import Deadline, TimeUpError
from .folders import Folders
from .launch import Descriptors, Launcher
from .oom import OomCounter
from .plan_json import EngineJson, RunStepJson
from .strace_log import StraceLog, read_log, read_summary
from .streams import Drain, Feeder, captured, head_of, open_terminal, pump
from .timeout_budget import STOPPED_IN_TIME

STDERR_BYTES = 4096
SPARE_BYTES = 65536
STARTING_CALLS = 100
"""More calls than the dynamic loader and the C library need to start a program; they do not grow with the input."""


class Runner:
    """Runs the steps of one submission; remembers what short runs showed, which later steps rely on."""

    def __init__(self, launcher: Launcher, folders: Folders, oom: OomCounter, deadline: Deadline, runs: int) -> None:
        """Make a folder for each run, while there is certainly space for them; each is closed to the other runs."""
        self._launcher = launcher
        self._folders = folders
        self._oom = oom
        self._deadline = deadline
        self._run_dirs = [folders.make_run_dir(f"run-{number}") for number in range(runs)]
        self._logs: dict[str, StraceLog] = {}
        self._short: dict[str, tuple[dict[str, Any], int]] = {}
        self._without_end: set[str] = set()

    def predicted_calls(self, step: RunStepJson) -> int | None:
        """Return how many reads and writes this input should take, going by the step's short run.

        None if there was no such run, or its trace is not complete.
        """
        trace, size_bytes = self._short.get(_short_step(step), (None, 0))
        if trace is None:
            return None
        return self._scaled(trace["stdin"]["calls"] + trace["stdout"]["calls"], size_bytes, step)

    def stops_often(self, step: RunStepJson, max_stops: int) -> bool:
        """Return whether tally's filter would have to stop this run more than `max_stops` times, by its short run.

        If there was none, the answer is yes: ten million stops take minutes.
        """
        trace, size_bytes = self._short.get(_short_step(step), (None, 0))
        if trace is None:
            return True
        calls = sum(count["calls"] for count in trace["calls"].values())
        pass_freely = _conforming(trace["stdin"], step["read_nbyte"]) + _conforming(
            trace["stdout"], step["write_nbyte"]
        )
        return self._scaled(max(calls - pass_freely - STARTING_CALLS, 0), size_bytes, step) > max_stops

    def _scaled(self, calls: int, size_bytes: int, step: RunStepJson) -> int:
        return calls * os.path.getsize(self._folders.input(step["input"])) // max(size_bytes, 1)

    def hit_a_limit(self, step: str) -> bool:
        """Return whether a step was run and did not end by itself."""
        return step in self._without_end

    def run(self, step: RunStepJson, engine: EngineJson) -> dict[str, Any]:
        """Run a step with an engine that works here; return the fields of a RunDone (grader/model/evidence.py).

        If a time limit ends it under tally's filter, it runs again without: the stops may have taken the time.

        Raises:
            TimeUpError: the time for all work was up before the run had ended; it counts as not run.
        """
        with self._folders.opened(self._run_dirs.pop()) as run_dir:
            done = self._in_time(step, engine, run_dir)
            if engine == "filter" and done["ending"] in STOPPED_IN_TIME:
                done = self._in_time(step, "account", run_dir)
        if done["ending"]["kind"] == "limit":
            self._without_end.add(step["id"])
        return done

    def _in_time(self, step: RunStepJson, engine: EngineJson, run_dir: str) -> dict[str, Any]:
        if self._deadline.is_up():
            raise TimeUpError
        tracer_limits = step["tracer_limits"]
        cut = step.copy()
        cut["limits"] = self._deadline.within(step["limits"])
        cut["tracer_limits"] = None if tracer_limits is None else self._deadline.within(tracer_limits)
        done = self._run(cut, engine, run_dir)
        if self._deadline.has_cut(done["ending"]):
            raise TimeUpError
        return done

    def _run(self, step: RunStepJson, engine: EngineJson, run_dir: str) -> dict[str, Any]:
        log_path = self._folders.output(step["id"], "strace")
        kills_before = self._oom.read()
        with closing(StdStreams(step, self._folders)) as streams:
            command = self._command(step, engine, log_path)
            running = self._launcher.start(command, streams.descriptors, run_dir, run_dir)
            try:
                streams.release()
                pump(running, streams.feeder, streams.drain)
                report = running.finish()
            finally:
                running.end()
        oom_kills = self._oom.read() - kills_before
        ending = report["ending"]
        if oom_kills:
            ending = {"kind": "limit", "limit": "memory"}
        elif streams.drain is not None and streams.drain.overflowed:
            ending = {"kind": "limit", "limit": "output"}
        trace = self._trace(step, engine, log_path, report)
        if trace is not None:
            # If a limit ended the tracer, its log is cut short even if it shows the end of every process in it.
            trace["complete"] = trace["complete"] and ending["kind"] != "limit"
            if trace["complete"] and trace["stdin"] is not None:
                self._short[step["id"]] = (trace, os.path.getsize(self._folders.input(step["input"])))
        stdout, stderr = self._stdout(step, streams.stdout_path), self._stderr(streams.stderr_path)
        self._folders.require_space_left()
        return {
            "step": step["id"],
            "engine": engine,
            "ending": ending,
            "times": {"real_s": report["wall_s"], "user_s": report["user_s"], "sys_s": report["sys_s"]},
            "peak_memory_bytes": report["peak_memory_bytes"],
            "stdout": stdout,
            "stderr": stderr,
            "oom_kills": oom_kills,
            "accounting": report["accounting"],
            "trace": trace,
        }

    def _command(self, step: RunStepJson, engine: EngineJson, log_path: str) -> list[str]:
        operands = [os.fsdecode(base64.b64decode(operand)) for operand in step["operands"]]
        program = [self._folders.executable(step["program"]), *operands]
        match engine:
            case "plain" | "account" as mode:
                return self._launcher.student_command(program, step["limits"], mode=mode)
            case "filter":
                return self._launcher.student_command(
                    program,
                    step["limits"],
                    mode="filter",
                    read_nbyte=step["read_nbyte"],
                    write_nbyte=step["write_nbyte"],
                )
            case "strace":
                # Only the slice's bytes are shown to anybody; writing those of longer runs would take strace time.
                bytes_shown = ["-s", "0"] if step["only_if"] else []
                return self._strace_command(program, step, ["-f", *bytes_shown, "-o", log_path])
            case "strace-count":
                return self._strace_command(program, step, ["-f", "-c", "-o", log_path])

    def _strace_command(self, program: list[str], step: RunStepJson, options: list[str]) -> list[str]:
        tracer_limits = step["tracer_limits"] or step["limits"]
        return self._launcher.strace_command(program, step["limits"], tracer_limits, options=options)

    def _stdout(self, step: RunStepJson, path: str) -> dict[str, Any]:
        description = captured(path)
        # Output far longer than any right one is cut, because all outputs together must fit the folder.
        max_bytes = 2 * os.path.getsize(self._folders.input(step["input"])) + SPARE_BYTES
        if description["size_bytes"] > max_bytes:
            os.truncate(path, max_bytes)
        return description

    def _stderr(self, path: str) -> dict[str, Any]:
        description = captured(path, inline_bytes=0)
        description["data"] = base64.b64encode(head_of(path, STDERR_BYTES)).decode("ascii")
        os.unlink(path)
        return description

    def _trace(
        self, step: RunStepJson, engine: EngineJson, log_path: str, report: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Return the fields of a Trace (grader/model/evidence.py), None for an engine that does not see calls."""
        if engine in ("plain", "account"):
            return None
        if engine == "filter":
            return None if report["trace"] is None else {**report["trace"], "excerpt": ""}
        with open(log_path, encoding="utf-8", errors="replace") as lines:
            if engine == "strace-count":
                calls = read_summary(lines, self._logs[_short_step(step)])
                streams = dict.fromkeys(("stdin", "stdout", "other_reads", "other_writes"))
                return {"complete": True, "calls": calls, **streams, "excerpt": ""}
            log = read_log(lines)
        os.unlink(log_path)
        self._logs[step["id"]] = log
        return log.as_trace()


def _short_step(step: RunStepJson) -> str:
    """Return the id of the short run whose trace predicts this step."""
    return step["predicted_by"] or ""


def _conforming(stream: dict[str, Any], nbyte: int | None) -> int:
    """Return how many calls of a stream pass tally's filter without a stop."""
    return stream["calls"] if nbyte is not None and stream["nbyte_min"] == stream["nbyte_max"] == nbyte else 0


class StdStreams:
    """The descriptors of one run, ours and the program's.

    The program's are released when it has been started, ours closed at the end.
    """

    def __init__(self, step: RunStepJson, folders: Folders) -> None:
        self.stdout_path = folders.output(step["id"], "stdout")
        self.stderr_path = folders.output(step["id"], "stderr")
        self.feeder: Feeder | None = None
        self.drain: Drain | None = None
        limit_bytes = step["limits"]["output_bytes"]
        self.descriptors = Descriptors(
            self._open_stdin(step, folders.input(step["input"])),
            self._open_stdout(step, limit_bytes),
            os.open(self.stderr_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600),
        )
        self._released = False

    def _open_stdin(self, step: RunStepJson, path: str) -> int:
        if step["pipe"] is None:
            return os.open(path, os.O_RDONLY | os.O_CLOEXEC)
        with open(path, "rb") as file:
            self.feeder = Feeder(file.read(), step["pipe"]["chunk_bytes"])
        return self.feeder.read_end

    def _open_stdout(self, step: RunStepJson, limit_bytes: int) -> int:
        if step["sink"] == "file":
            return os.open(self.stdout_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        ours, theirs = os.pipe() if step["sink"] == "pipe" else open_terminal()
        self.drain = Drain(ours, self.stdout_path, limit_bytes)
        return theirs

    def release(self) -> None:
        """Close our copies of the program's descriptors, so that we see when the program has closed its own."""
        if not self._released:
            self._released = True
            for descriptor in self.descriptors:
                os.close(descriptor)

    def close(self) -> None:
        """Close the descriptors that are still open."""
        self.release()
        if self.feeder is not None:
            self.feeder.close()
        if self.drain is not None:
            self.drain.close()
