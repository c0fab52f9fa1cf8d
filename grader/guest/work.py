"""Working through a plan: every build, then every run, and what is left out."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

from .build import COMPILED, Builder
from .channel import Emitter
from .deadline import Deadline, TimeUpError
from .engines import Engines
from .folders import Folders
from .launch import ENVIRONMENT, Launcher, tool
from .oom import OomCounter
from .plan_json import BuildStepJson, EngineJson, PlanJson, RunStepJson
from .runs import Runner
from .timeout_budget import TimeoutBudget

TOOL_ANSWER_S = 20


class Worker:
    """Works through the plan of one submission, and emits an event for each step."""

    def __init__(self, plan: PlanJson, folders: Folders, emitter: Emitter) -> None:
        """Find out what works here, and emit it; the submission's time runs from now on."""
        self._work = work = plan["work"]
        self._emitter = emitter
        deadline = Deadline(work["deadline_s"])
        launcher = Launcher(plan)
        strace = _first_line(["strace", "--version"])
        self._engines = Engines(launcher, folders, work["build_limits"], strace=strace is not None)
        emitter.emit(
            "toolchain",
            python=sys.version.partition(" ")[0],
            kernel=os.uname().release,
            compiler=_first_line([tool("gcc"), "--version"]),
            strace=strace,
            missing=self._engines.missing,
        )
        oom = OomCounter(in_container=plan["layout"]["in_container"])
        self._builder = Builder(launcher, folders, work["build_limits"], deadline=deadline, oom=oom)
        self._runner = Runner(launcher, folders, oom, deadline, len(work["runs"]))
        self._builds: dict[str, dict[str, Any]] = {}
        self._used_s = dict.fromkeys((step["program"] for step in work["builds"]), 0.0)
        self._timeouts = TimeoutBudget()

    def work(self) -> None:
        """Do every step that is not to be left out."""
        for build in self._work["builds"]:
            self._build(build)
        for run in self._work["runs"]:
            self._run(run)
        self._emitter.emit("done")

    def _build(self, step: BuildStepJson) -> None:
        started = time.monotonic()
        done = self._builder.build(step)
        wall_s = self._charge(step["program"], started)
        self._builds[step["program"]] = done
        self._emitter.emit("build", **done, wall_s=wall_s)

    def _run(self, step: RunStepJson) -> None:
        engine = self._engine(step)
        why = self._why_left_out(step, engine)
        if engine is None or why is not None:
            self._emitter.emit("left-out", step=step["id"], why=why)
            return
        started = time.monotonic()
        try:
            done = self._runner.run(step, engine)
        except TimeUpError:
            # Not charged: later runs, too, are left out because of the deadline and not of the program's share.
            self._emitter.emit("left-out", step=step["id"], why="deadline", took_s=time.monotonic() - started)
            return
        took_s = self._charge(step["program"], started)
        self._timeouts.note(step, done["ending"])
        self._emitter.emit("run", **done, took_s=took_s)

    def _charge(self, program: str, started: float) -> float:
        """Count the time since `started` towards the program's share, and return it in seconds."""
        took_s = time.monotonic() - started
        self._used_s[program] += took_s
        return took_s

    def _engine(self, step: RunStepJson) -> EngineJson | None:
        """Return an engine that works here and does not take longer than the run itself, None if there is none."""
        too_slow = (
            step["engine"] == "filter"
            and step["predicted_by"] is not None
            and self._runner.stops_often(step, self._work["cheap_calls"])
        )
        return self._engines.choose("account" if too_slow else step["engine"])

    def _why_left_out(self, step: RunStepJson, engine: EngineJson | None) -> str | None:
        """Return a WhyLeftOut (grader/model/evidence.py), None if the step is to be run."""
        build = self._builds[step["program"]]
        if build["cut_short"]:
            return "deadline"
        if build["ending"] != COMPILED:
            return "not-built"
        if step["requires_ended"] is not None and self._runner.hit_a_limit(step["requires_ended"]):
            return "no-end"
        if self._timeouts.is_over(step):
            return "given-up"
        why = self._unfit_cost(step)
        if why is None and self._used_s[step["program"]] > self._work["program_wall_s"]:
            why = "submission-time"
        if why is None and engine is None:
            why = "no-tracer"
        return why

    def _unfit_cost(self, step: RunStepJson) -> str | None:
        if step["only_if"] is None:
            return None
        calls = self._runner.predicted_calls(step)
        if calls is None:
            return "not-cheap"
        expected = "cheap" if calls <= self._work["cheap_calls"] else "costly"
        return None if step["only_if"] == expected else f"not-{step['only_if']}"


def _first_line(command: list[str]) -> str | None:
    """Return the first line that a tool prints about itself, None if there is no such tool."""
    try:
        answer = subprocess.run(
            command, capture_output=True, text=True, check=True, timeout=TOOL_ANSWER_S, env=ENVIRONMENT
        )
    except (FileNotFoundError, PermissionError):
        return None
    return answer.stdout.partition("\n")[0]
