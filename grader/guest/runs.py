"""Running one program once, as a step of the plan says."""

from __future__ import annotations

import base64
import os
from collections.abc import Callable
from contextlib import closing
from functools import partial
from typing import Any

from .deadline import STOPPED_BY_WALL, Deadline, TimeUpError
from .folders import Folders
from .launch import CHECKER_ENVIRONMENT, Descriptors, Filter, Launcher, Program
from .left_files import LeftFiles
from .oom import OUT_OF_MEMORY, OomCounter
from .own_time import LONGEST, with_time
from .plan_json import EngineJson, PlanJson, RunStepJson, UntracedEngine
from .space import NoSpaceError
from .strace_log import StraceLog, read_log, read_summary
from .streams import SEARCHED_BYTES, Drain, Feeder, captured, head_of, open_packets, open_terminal, pump
from .timeout_budget import STOPPED_BY_TIME

STDERR_BYTES = 4096
CHECKED_STDERR_BYTES = 65536
"""Enough for what a checker writes: the longest is the trace of an endless recursion."""

SPARE_BYTES = 65536
STARTING_CALLS = 100
"""More calls than the dynamic loader and the C library need to start a program; they do not grow with the input."""

STOPS_PER_CPU_S = 10_000
"""Stops that a run may have for each second of its CPU limit: at 20 microseconds each, they take a fifth of it."""

MANY_STOPS = 1000
"""Stops that take tenths of a second on a busy machine."""

STOPPED_TOO_OFTEN = {"kind": "limit", "limit": "stops"}
NO_FILTER = Filter()
LIMITS = Filter(limits_only=True)


class Runner:
    """Runs the steps of one submission; remembers what short runs showed, which later steps rely on."""

    def __init__(
        self, launcher: Launcher, folders: Folders, oom: OomCounter, deadline: Deadline, plan: PlanJson
    ) -> None:
        """Make a folder for each run, while there is certainly space for them; each is closed to the other runs."""
        self._launcher = launcher
        self._folders = folders
        self._oom = oom
        self._deadline = deadline
        self._max_stops = plan["cheap_calls"]
        self._left_files = LeftFiles(launcher, folders, deadline)
        files = {step["id"]: step["files"] for step in plan["runs"]}
        again = {_again_id(step): step["files"] for step in plan["runs"] if step["repeat_untraced"]}
        self._run_dirs = folders.make_for_runs({**files, **again})
        self._used_dirs: set[str] = set()
        self._logs: dict[str, StraceLog] = {}
        self._short: dict[str, tuple[dict[str, Any], int]] = {}
        self._stopped_by_limit: set[str] = set()
        self._made_many_calls: set[str] = set()
        self._names_strays = True

    def predicted_calls(self, step: RunStepJson) -> int | None:
        """Return how many reads and writes this input should take, going by the step's short run.

        None if there was no such run, or its trace is not complete.
        """
        trace, size_bytes = self._short.get(_short_step(step), (None, 0))
        if trace is None:
            return None
        return self._scaled(trace["stdin"]["calls"] + trace["stdout"]["calls"], size_bytes, step)

    def _stops_often(self, step: RunStepJson) -> bool:
        """Return whether it is known from the step's short run that tally's filter would stop this run too often."""
        trace, size_bytes = self._short.get(_short_step(step), (None, 0))
        if trace is None:
            return False
        calls = sum(count["calls"] for count in trace["calls"].values())
        pass_freely = _conforming(trace["stdin"], step["read_nbyte"]) + _conforming(
            trace["stdout"], step["write_nbyte"]
        )
        return self._scaled(max(calls - pass_freely - STARTING_CALLS, 0), size_bytes, step) > self._most_stops(step)

    def _most_stops(self, step: RunStepJson) -> int:
        in_time = step["limits"]["cpu_s"] * STOPS_PER_CPU_S
        return in_time if step["predicted_by"] is None else min(in_time, self._max_stops)

    def _scaled(self, calls: int, size_bytes: int, step: RunStepJson) -> int:
        return calls * self._input_bytes(step) // max(size_bytes, 1)

    def _input_bytes(self, step: RunStepJson) -> int:
        """Return the size of what a run copies."""
        contents = [file["content"] for file in step["files"] if file["name"] == step["input_file"]]
        return self._folders.size_of((contents and contents[0]) or step["input"])

    def hit_a_limit(self, step: str) -> bool:
        """Return whether a step was run and a limit, of any kind, stopped it."""
        return step in self._stopped_by_limit

    def run(self, step: RunStepJson, engine: EngineJson, stop_s: float | None = None) -> dict[str, Any]:
        """Run a step with an engine that works here; return the fields of a RunDone (grader/model/evidence.py).

        After `stop_s` seconds the run is stopped early. If it waited for a CPU meanwhile, it is repeated with more
        time (see `with_time`): what a busy machine makes slow must not count as a run that does not end.

        If tally's filter would stop the program too often, it stops only calls that move bytes. If these are too many
        as well, the kernel's totals count the run, and an incomplete trace shows what was seen until then. If a limit
        then stops that run, later runs of the program are first tried with the totals only, and those that a limit
        stops have no trace.

        A run that is repeated (see RunStep) has the other one in `again`.

        Raises:
            TimeUpError: the time for all work was up before the run had ended; it counts as not run.
            BusyError: there was no CPU for it.
        """
        run_dir = self._run_dirs[step["id"]]
        most_s = LONGEST * step["limits"]["wall_s"]
        done = self._with_retries(step, stop_s, lambda attempt: self._attempt(attempt, engine, run_dir, most_s))
        if done["ending"]["kind"] == "limit":
            self._stopped_by_limit.add(step["id"])
        return {**done, "again": self._again(step, done)}

    def _again(self, step: RunStepJson, done: dict[str, Any]) -> dict[str, Any] | None:
        """Run a step once more without a tracer if the plan says so, and the filter saw all of it."""
        trace = done["trace"]
        is_seen = done["engine"] == "filter" and trace is not None and trace["complete"]
        if not step["repeat_untraced"] or done["ending"]["kind"] != "exited" or not is_seen:
            return None
        # These calls would end the other run, too, and show nothing. A program that makes them has failed.
        return None if trace["strays"] else self._untraced(step)

    def _untraced(self, step: RunStepJson) -> dict[str, Any]:
        """Run a step in another folder, where it finds nothing of its first run, and keep no output."""
        named = Filter(step["read_nbyte"], step["write_nbyte"])
        again = step.copy()
        again["id"] = _again_id(step)
        run_dir = self._run_dirs[again["id"]]
        done = self._with_retries(again, None, lambda attempt: self._in_time(attempt, "account", run_dir, named))
        os.truncate(self._folders.output(again["id"], "stdout"), 0)
        for stream in ("stdout", "stderr"):
            done[stream]["data"] = None
        return done

    def _with_retries(
        self, step: RunStepJson, stop_s: float | None, run: Callable[[RunStepJson], dict[str, Any]]
    ) -> dict[str, Any]:
        limit_s = (step["tracer_limits"] or step["limits"])["wall_s"]
        first_s = min(stop_s or limit_s, limit_s)

        def attempt(attempt_s: float) -> dict[str, Any]:
            done, _ = self._oom.repeating(partial(run, _stopped_after(step, attempt_s)))
            return done

        if step["tracer_limits"] is not None and _untraced_id(step) in self._stopped_by_limit:
            return attempt(first_s)  # only a log is wanted, of a program that has not ended without strace
        return with_time(attempt, limit_s, self._deadline, first_s)

    def _attempt(self, step: RunStepJson, engine: EngineJson, run_dir: str, most_s: float) -> dict[str, Any]:
        """Run a step; if only the stops of tally's filter make it slow, for up to `most_s` seconds."""
        if engine == "filter" and step["limits_only"]:
            return self._in_time(step, engine, run_dir, LIMITS)
        if engine == "filter":
            return self._filtered(step, run_dir, most_s)
        if engine == "account" and step["read_nbyte"] is not None:
            return self._named(step, run_dir, most_s)
        return self._in_time(step, engine, run_dir)

    def _named(self, step: RunStepJson, run_dir: str, most_s: float) -> dict[str, Any]:
        """Run a step without a tracer, and have calls named that do not conform.

        Where the kernel cannot name them, the filter counts them. If there are too many, the totals are enough.
        """
        if self._names_strays:
            named = Filter(step["read_nbyte"], step["write_nbyte"], self._most_stops(step))
            done = self._in_time(step, "account", run_dir, named)
            self._names_strays = done["strays"] is not None
            if done["ending"] == STOPPED_TOO_OFTEN:
                return {**self._totals(step, run_dir, None), "strays": done["strays"]}
            if self._names_strays:
                return done
        return self._filtered(step, run_dir, most_s)

    def _filtered(self, step: RunStepJson, run_dir: str, most_s: float) -> dict[str, Any]:
        if step["program"] in self._made_many_calls:
            # Counting the calls of a run that does not end takes a second, and shows nothing new.
            done = self._in_time(step, "account", run_dir)
            if done["ending"]["kind"] == "limit":
                return done
        filtered = Filter(step["read_nbyte"], step["write_nbyte"], self._most_stops(step))
        if not self._stops_often(step):
            done = self._in_time(step, "filter", run_dir, filtered)
            if _is_slowed(done, step):
                counted = self._totals(step, run_dir, done["trace"])
                if counted["ending"]["kind"] == "limit":
                    return counted
                if done["ending"] == STOPPED_BY_WALL:
                    # Without the stops it ends in time, so these wait for a CPU.
                    done = self._in_time(_stopped_after(step, most_s), "filter", run_dir, filtered)
            if done["ending"] != STOPPED_TOO_OFTEN and not _is_slowed(done, step):
                return done
        done = self._in_time(step, "filter", run_dir, filtered._replace(transfers_only=True))
        if done["ending"] != STOPPED_TOO_OFTEN and not _is_slowed(done, step):
            return done
        # Even if the totals are known, they are counted again: the output of the last run is the one that is kept.
        return self._totals(step, run_dir, done["trace"])

    def _totals(self, step: RunStepJson, run_dir: str, trace: dict[str, Any] | None) -> dict[str, Any]:
        """Run a step without a stop; `trace` shows what was seen until the filter's run was ended.

        Nobody names its calls on the streams.
        """
        done = self._in_time(step, "account", run_dir)
        if done["ending"]["kind"] == "limit":
            self._made_many_calls.add(step["program"])
        return {**done, "trace": trace, "strays": None}

    def _in_time(
        self, step: RunStepJson, engine: EngineJson, run_dir: str, filtered: Filter = NO_FILTER
    ) -> dict[str, Any]:
        if self._deadline.is_up():
            raise TimeUpError
        tracer_limits = step["tracer_limits"]
        cut = step.copy()
        cut["limits"] = self._deadline.within(step["limits"])
        cut["tracer_limits"] = None if tracer_limits is None else self._deadline.within(tracer_limits)
        done = self._run(cut, engine, run_dir, filtered)
        if self._deadline.has_cut(done["ending"]):
            raise TimeUpError(done["slept_s"])
        return done

    def _unchanged(self, step: RunStepJson, run_dir: str) -> str:
        """Return a folder in which no attempt has changed the step's files."""
        if step["files"] and run_dir in self._used_dirs:
            return self._folders.make_run_dir_with(step["files"])
        self._used_dirs.add(run_dir)
        return run_dir

    def _run(self, step: RunStepJson, engine: EngineJson, run_dir: str, filtered: Filter) -> dict[str, Any]:
        try:
            with self._folders.opened(self._unchanged(step, run_dir)) as opened_dir:
                return self._run_in(opened_dir, step, engine, filtered)
        except NoSpaceError as lack:
            raise self._folders.blame(step["called"] or step["program"], lack) from None

    def _run_in(self, run_dir: str, step: RunStepJson, engine: EngineJson, filtered: Filter) -> dict[str, Any]:
        log_path = self._folders.output(step["id"], "strace")
        kills_before = self._oom.read()
        with closing(StdStreams(step, self._folders)) as streams:
            command = self._command(step, engine, log_path, run_dir, filtered)
            environment = {**step["environment"], **CHECKER_ENVIRONMENT[step["checker"]]}
            running = self._launcher.start(command, streams.descriptors, run_dir, run_dir, environment)
            try:
                streams.release()
                pump(running, streams.feeder, *streams.drains)
                # strace sleeps while the program runs or waits for a CPU.
                is_traced = engine in {"strace", "strace-count"}
                report = running.finish(is_of_starter=is_traced)
            finally:
                running.end()
        ending = report["ending"]
        if self._oom.is_of_container and self._oom.read() > kills_before:
            ending = OUT_OF_MEMORY
        elif any(drain.overflowed for drain in streams.drains):
            ending = {"kind": "limit", "limit": "output"}
        elif is_traced and ending == {"kind": "limit", "limit": "output"} and _is_full(log_path, step):
            ending = {"kind": "limit", "limit": "log"}
        trace = self._trace(step, engine, log_path, run_dir, report)
        if trace is not None:
            # If a limit ended the tracer, its log is cut short even if it shows the end of every process in it.
            trace["complete"] = trace["complete"] and ending["kind"] != "limit"
            if trace["complete"] and trace["stdin"] is not None:
                self._short[step["id"]] = (trace, self._input_bytes(step))
        stdout, stderr = self._stdout(step, streams.stdout_path), self._stderr(step, streams.stderr_path)
        files = self._left_files.read(step, run_dir, self._least_kept(step))
        self._folders.require_space_left()
        return {
            "step": step["id"],
            "engine": engine,
            "ending": ending,
            "times": {"real_s": report["wall_s"], "user_s": report["user_s"], "sys_s": report["sys_s"]},
            "own_s": report["own_s"],
            "slept_s": report["slept_s"],
            "peak_memory_bytes": report["peak_memory_bytes"],
            "stdout": stdout,
            "stderr": stderr,
            "files": files,
            "accounting": report["accounting"],
            "opened_again": report["opened_again"],
            "strays": report["strays"],
            "left_processes": report["left_processes"],
            "message_writes": None if streams.messages is None else streams.messages.writes,
            "trace": trace,
        }

    def _command(
        self, step: RunStepJson, engine: EngineJson, log_path: str, run_dir: str, filtered: Filter
    ) -> list[str]:
        operands = [os.fsdecode(base64.b64decode(operand)) for operand in step["operands"]]
        program = Program(
            self._folders.executable(step["program"]), f"./{step['called'] or step['program']}", operands
        )
        if step["checker"] is not None:
            mode: UntracedEngine = "filter" if engine == "filter" else "plain"
            return self._launcher.checked_command(
                program, step["limits"], step["checker"], mode=mode, writable=run_dir
            )
        match engine:
            case "plain" | "account" | "filter" as mode:
                return self._launcher.student_command(
                    program, step["limits"], mode=mode, writable=run_dir, filtered=filtered
                )
            case "strace":
                # Only the slice's bytes are shown to anybody; writing those of longer runs would take strace time.
                bytes_shown = ["-s", "0"] if step["only_if"] else []
                options = ["-f", *bytes_shown, "-o", log_path]
                return self._strace_command(program, step, run_dir, options)
            case "strace-count":
                return self._strace_command(program, step, run_dir, ["-f", "-c", "-o", log_path])

    def _strace_command(self, program: Program, step: RunStepJson, run_dir: str, options: list[str]) -> list[str]:
        tracer_limits = step["tracer_limits"] or step["limits"]
        return self._launcher.strace_command(
            program, step["limits"], tracer_limits, writable=run_dir, options=options
        )

    def _least_kept(self, step: RunStepJson) -> int:
        """Return how many bytes of an output are kept even if there is no space left for whole ones."""
        names = [step["input"], *(file["content"] for file in step["files"] if file["content"] is not None)]
        return 2 * sum(map(self._folders.size_of, names)) + SPARE_BYTES

    def _stdout(self, step: RunStepJson, path: str) -> dict[str, Any]:
        """Describe what a run wrote, and keep what its event has no room for.

        The outputs of earlier runs must not take space: a program that asks how much is left would know how many
        there were.
        """
        description = captured(path)
        if description["data"] is None:
            _add_searched(description, step, "stdout", path)
            self._folders.keep(path, description["size_bytes"], self._least_kept(step))
        else:
            os.truncate(path, 0)
        return description

    def _stderr(self, step: RunStepJson, path: str) -> dict[str, Any]:
        description = captured(path, inline_bytes=0)
        limit_bytes = CHECKED_STDERR_BYTES if step["checker"] else STDERR_BYTES
        description["data"] = _encoded(head_of(path, limit_bytes))
        if description["size_bytes"] > limit_bytes:
            _add_searched(description, step, "stderr", path)
        os.unlink(path)
        return description

    def _trace(
        self, step: RunStepJson, engine: EngineJson, log_path: str, run_dir: str, report: dict[str, Any]
    ) -> dict[str, Any] | None:
        """Return the fields of a Trace (grader/model/evidence.py), None for an engine that does not see calls."""
        if engine in ("plain", "account"):
            return None
        if engine == "filter":
            return None if report["trace"] is None else {**report["trace"], "excerpt": ""}
        with open(log_path, encoding="utf-8", errors="replace") as lines:
            if engine == "strace-count":
                calls, is_complete = read_summary(lines, self._logs[_short_step(step)])
                streams = dict.fromkeys(("stdin", "stdout", "other_reads", "other_writes"))
                return {"complete": is_complete, "calls": calls, **streams, "excerpt": ""}
            log = read_log(lines, *(_path_of(run_dir, step[key]) for key in ("input_file", "output_file")))
        os.unlink(log_path)
        self._logs[step["id"]] = log
        return log.as_trace()


def _add_searched(description: dict[str, Any], step: RunStepJson, stream: str, path: str) -> None:
    """Add the beginning of an output of which the description has too little for the case."""
    if stream in step["searched"]:
        description["searched"] = _encoded(head_of(path, SEARCHED_BYTES))


def _encoded(data: bytes) -> str:
    return base64.b64encode(data).decode("ascii")


def _stopped_after(step: RunStepJson, attempt_s: float) -> RunStepJson:
    """Return the step with this wall limit, which includes strace's time."""
    attempt = step.copy()
    attempt["limits"] = {**step["limits"], "wall_s": attempt_s}
    tracer_limits = step["tracer_limits"]
    if tracer_limits is not None:
        attempt["tracer_limits"] = {**tracer_limits, "wall_s": attempt_s}
    return attempt


def _untraced_id(step: RunStepJson) -> str:
    """Return the id of the run of a traced step's case without a tracer."""
    return f"{step['program']}.{step['case']}"


def _path_of(run_dir: str, name: str | None) -> str | None:
    """Return the whole path of a file of a run; a program may open it by that, too."""
    return None if name is None else os.path.join(os.path.realpath(run_dir), name)


def _again_id(step: RunStepJson) -> str:
    """Return the id of a step that is run once more without a tracer."""
    return f"{step['id']}.again"


def _short_step(step: RunStepJson) -> str:
    """Return the id of the short run whose trace predicts this step."""
    return step["predicted_by"] or ""


def _is_slowed(done: dict[str, Any], step: RunStepJson) -> bool:
    """Return whether a time limit ended a run of the filter, and its stops may be the reason.

    On a busy machine each of them waits for a CPU, and the program is not seen to wait for one meanwhile.
    """
    trace = done["trace"]
    if done["ending"] not in STOPPED_BY_TIME or trace is None:
        return False
    calls: int = sum(count["calls"] for count in trace["calls"].values())
    free = _conforming(trace["stdin"], step["read_nbyte"]) + _conforming(trace["stdout"], step["write_nbyte"])
    return calls - free >= MANY_STOPS


def _conforming(stream: dict[str, Any], nbyte: int | None) -> int:
    """Return how many calls of a stream pass tally's filter without a stop."""
    return stream["calls"] if nbyte is not None and stream["nbyte_min"] == stream["nbyte_max"] == nbyte else 0


def _is_full(log_path: str, step: RunStepJson) -> bool:
    """Return whether strace's log has reached the limit of its size, which ends strace and then the program."""
    limits = step["tracer_limits"]
    return limits is not None and os.path.getsize(log_path) >= limits["output_bytes"]


class StdStreams:
    """The descriptors of one run, ours and the program's.

    The program's are released when it has been started, ours closed at the end.
    """

    def __init__(self, step: RunStepJson, folders: Folders) -> None:
        """Open them. `messages` counts the writes to standard error, if the kernel can keep them apart."""
        self.stdout_path = folders.output(step["id"], "stdout")
        self.stderr_path = folders.output(step["id"], "stderr")
        self.feeder: Feeder | None = None
        self.messages: Drain | None = None
        self.drains: list[Drain] = []
        limit_bytes = step["limits"]["output_bytes"]
        self.descriptors = Descriptors(
            self._open_stdin(step, folders.open_input(step["input"])),
            self._open_stdout(step, limit_bytes),
            self._open_stderr(limit_bytes),
        )
        self._released = False

    def _open_stdin(self, step: RunStepJson, source: int) -> int:
        if step["pipe"] is None:
            return source
        with open(source, "rb") as file:
            self.feeder = Feeder(file.read(), step["pipe"]["chunk_bytes"])
        return self.feeder.read_end

    def _open_stdout(self, step: RunStepJson, limit_bytes: int) -> int:
        if step["sink"] == "file":
            return os.open(self.stdout_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        ours, theirs = os.pipe() if step["sink"] == "pipe" else open_terminal()
        self.drains.append(Drain(ours, self.stdout_path, limit_bytes))
        return theirs

    def _open_stderr(self, limit_bytes: int) -> int:
        packets = open_packets()
        if packets is None:
            return os.open(self.stderr_path, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        self.messages = Drain(packets[0], self.stderr_path, limit_bytes)
        self.drains.append(self.messages)
        return packets[1]

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
        for drain in self.drains:
            drain.close()
