"""The program beside the student's code.

Standard input: the plan, one line of JSON, then the files that it tells of, then commands. Standard output: one JSON
event a step, so that whoever reads sees progress, and keeps what was done if this end breaks. Needs nothing but
Python's standard library.

The order is: toolchain, every build, every run, `done`; then outputs that the grader asks for, until it closes
our standard input. The end of standard input at any other time, or a long silence there, means that nobody is
listening: everything ends.
"""

from __future__ import annotations

import base64
import json
import os
import subprocess
import sys
import time
from collections.abc import Iterator

from .build import COMPILED, Builder
from .deadline import Deadline, TimeUpError
from .engines import Engines
from .folders import Folders
from .launch import ENVIRONMENT, Launcher, tool
from .oom import NoMemoryError, OomCounter
from .plan import Engine, Plan, RunStep, Work
from .runs import Runner
from .space import NoSpaceError, is_full, no_space
from .stream import Commands, Emitter, end_on_sigterm
from .timeout_budget import TimeoutBudget

CHUNK_BYTES = 1 << 19
TOOL_ANSWER_S = 20


def main() -> int:
    """Work through a plan; return the exit status."""
    end_on_sigterm()
    # What is made for students must be theirs to read, whatever the umask of whoever started the grader.
    os.umask(0o022)
    emitter = Emitter()
    try:
        commands = Commands(0)
        plan: Plan = json.loads(commands.plan_line)
        folders = Folders(plan["places"])
        folders.fill(plan["files"], commands.copy)
        commands.listen(plan["silence_s"])
        _work(plan, folders, emitter)
        _serve(commands, folders, emitter)
    except Exception as error:  # noqa: BLE001 - whatever broke, the grader must hear of it, in words
        emitter.emit("fault", message=fault_words(error))
        return 1
    return 0


def fault_words(error: Exception) -> str:
    """Say what broke: where it is the machine in words, else with its place in the code."""
    if isinstance(error, (NoSpaceError, NoMemoryError)):
        return str(error)
    if isinstance(error, OSError) and is_full(error):
        return no_space(error.filename or "temporary files")
    return f"{type(error).__name__}: {error} ({_place(error)})"


def _place(error: Exception) -> str:
    """Return file and line where it was raised."""
    trace = error.__traceback__
    while trace is not None and trace.tb_next is not None:
        trace = trace.tb_next
    return f"{os.path.basename(trace.tb_frame.f_code.co_filename)}:{trace.tb_lineno}" if trace else "nowhere"


def _work(plan: Plan, folders: Folders, emitter: Emitter) -> None:
    work = plan["work"]
    clock = Deadline(work["deadline_s"])
    strace = _first_line(["strace", "--version"])
    launcher = Launcher(plan)
    engines = Engines(launcher, folders, work["build_limits"], strace=strace is not None)
    emitter.emit(
        "toolchain",
        python=sys.version.partition(" ")[0],
        kernel=os.uname().release,
        compiler=_first_line([tool("gcc"), "--version"]),
        strace=strace,
        missing=engines.missing,
    )
    oom = OomCounter(in_container=plan["places"]["in_container"])
    builder = Builder(launcher, folders, work["build_limits"], clock=clock, oom=oom)
    built, cut_short = set(), set()
    taken_s = dict.fromkeys((step["program"] for step in work["builds"]), 0.0)
    for step in work["builds"]:
        started = time.monotonic()
        compiled = builder.build(step)
        took_s = time.monotonic() - started
        taken_s[step["program"]] += took_s
        emitter.emit("build", **compiled, wall_s=took_s)
        if compiled["cut_short"]:
            cut_short.add(step["program"])
        elif compiled["ending"] == COMPILED:
            built.add(step["program"])
    runner = Runner(launcher, folders, oom, clock, len(work["runs"]))
    patience = TimeoutBudget()
    for run in work["runs"]:
        engine = _engine(run, engines, runner, work)
        why = _why_left_out(run, runner, patience, work, built=run["program"] in built)
        if why is None and taken_s[run["program"]] > work["program_wall_s"]:
            why = "submission-time"
        if run["program"] in cut_short:
            why = "deadline"
        if engine is None or why is not None:
            emitter.emit("left-out", step=run["id"], why=why or "no-tracer")
            continue
        started = time.monotonic()
        try:
            done = runner.run(run, engine)
        except TimeUpError:
            emitter.emit("left-out", step=run["id"], why="deadline", took_s=time.monotonic() - started)
        else:
            took_s = time.monotonic() - started
            taken_s[run["program"]] += took_s
            patience.note(run, done["ending"])
            emitter.emit("run", **done, took_s=took_s)
    emitter.emit("done")


def _why_left_out(step: RunStep, runner: Runner, patience: TimeoutBudget, work: Work, *, built: bool) -> str | None:
    if not built:
        return "not-built"
    if step["requires_ended"] is not None and runner.hit_a_limit(step["requires_ended"]):
        return "no-end"
    if patience.is_over(step):
        return "given-up"
    return _unfit_cost(step, runner, work)


def _unfit_cost(step: RunStep, runner: Runner, work: Work) -> str | None:
    if step["only_if"] is None:
        return None
    calls = runner.predicted_calls(step)
    if calls is None:
        return "not-cheap"
    expected = "cheap" if calls <= work["cheap_calls"] else "costly"
    if step["only_if"] == expected:
        return None
    return "not-cheap" if step["only_if"] == "cheap" else "not-costly"


def _engine(step: RunStep, engines: Engines, runner: Runner, work: Work) -> Engine | None:
    """Return what counts this run: what works here, and does not take longer than the run itself."""
    dear = (
        step["engine"] == "filter"
        and step["predicted_by"] is not None
        and runner.stops_often(step, work["cheap_calls"])
    )
    return engines.choose("account" if dear else step["engine"])


def _first_line(command: list[str]) -> str | None:
    """Return the first line that a tool prints of itself, None where there is no such tool."""
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=TOOL_ANSWER_S, env=ENVIRONMENT
        )
    except (FileNotFoundError, PermissionError):
        return None
    return answer.stdout.partition("\n")[0]


def _serve(commands: Commands, folders: Folders, emitter: Emitter) -> None:
    """Answer `{"fetch": STEP}` with the step's kept standard output, until `{"end": true}`."""
    while "end" not in (command := commands.next()):
        step = command["fetch"]
        for chunk, last in _chunks(folders.output(step, "stdout")):
            emitter.emit("chunk", step=step, data=base64.b64encode(chunk).decode("ascii"), last=last)


def _chunks(path: str) -> Iterator[tuple[bytes, bool]]:
    with open(path, "rb") as file:
        block = file.read(CHUNK_BYTES)
        while True:
            following = file.read(CHUNK_BYTES)
            yield block, not following
            if not following:
                return
            block = following


def run() -> None:
    """Run the guest and end the process."""
    status = main()
    # The thread that waits for commands would hold a normal exit back.
    os._exit(status)
