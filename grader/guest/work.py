"""Working through a plan: every build, then every run, and what is left out."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from typing import Any

from .build import Builder
from .channel import Emitter
from .deadline import Deadline, TimeUpError
from .engines import Engines
from .folders import Folders
from .launch import ENDED_WELL, ENVIRONMENT, GuestError, Launcher, is_installed, tool
from .oom import OomCounter
from .plan_json import BuildStepJson, EngineJson, GuestRequestJson, PlanJson, RunStepJson
from .runs import Runner
from .timeout_budget import TimeoutBudget

TOOL_ANSWER_S = 20


class Worker:
    """Works through plans of one submission, one after another, and emits an event for each step.

    A later plan may run what an earlier one built.
    """

    def __init__(self, request: GuestRequestJson, folders: Folders, emitter: Emitter) -> None:
        """Find out what works here; the time of the request's plan runs from now on."""
        self._folders = folders
        self._emitter = emitter
        self._deadline = Deadline(request["plan"]["deadline_s"])
        self._launcher = Launcher(request)
        self._strace, strace_problem = version_of("strace")
        self._compiler = _compiler()
        limits = request["plan"]["build_limits"]
        self._engines = Engines(self._launcher, folders, limits, self._deadline, strace_problem)
        self._oom = OomCounter(in_container=request["layout"]["in_container"])
        self._builds: dict[str, dict[str, Any]] = {}
        self._set_plan(request["plan"])

    def _set_plan(self, plan: PlanJson) -> None:
        self._plan = plan
        self._builder = Builder(
            self._launcher, self._folders, plan["build_limits"], deadline=self._deadline, oom=self._oom
        )
        self._runner = Runner(self._launcher, self._folders, self._oom, self._deadline, plan)
        self._used_s = dict.fromkeys((step["program"] for step in (*plan["builds"], *plan["runs"])), 0.0)
        self._timeouts = TimeoutBudget()

    def work_on(self, plan: PlanJson) -> None:
        """Work through another plan."""
        self._deadline = Deadline(plan["deadline_s"])
        self._set_plan(plan)
        self.work()

    def work(self) -> None:
        """Emit what works here, and do every step that is not to be left out."""
        self._emitter.emit(
            "toolchain",
            python=sys.version.partition(" ")[0],
            kernel=os.uname().release,
            compiler=self._compiler,
            strace=self._strace,
            missing=self._engines.missing,
        )
        for build in self._plan["builds"]:
            self._build(build)
        for run in self._plan["runs"]:
            self._run(run)
        self._emitter.emit("done")

    def _build(self, step: BuildStepJson) -> None:
        started, before_s = time.monotonic(), self._launcher.own_time.total_s
        done = self._builder.build(step)
        own_s = self._charge(step["program"], before_s)
        self._builds[step["program"]] = done
        self._emitter.emit("build", **done, wall_s=time.monotonic() - started, own_s=own_s)

    def _run(self, step: RunStepJson) -> None:
        engine = self._engines.choose(step["engine"])
        why = self._why_left_out(step, engine)
        if engine is None or why is not None:
            self._emitter.emit("left-out", step=step["id"], why=why)
            return
        started, before_s = time.monotonic(), self._launcher.own_time.total_s
        try:
            done = self._runner.run(step, engine, self._timeouts.stop_s(step))
        except TimeUpError as cut:
            # Not charged: later runs, too, are left out because of the deadline and not of the program's share.
            took_s = time.monotonic() - started
            own_s = self._launcher.own_time.total_s - before_s
            self._emitter.emit(
                "left-out", step=step["id"], why="deadline", took_s=took_s, own_s=own_s, slept_s=cut.slept_s
            )
            return
        self._timeouts.note(step, done["ending"], done["own_s"])
        own_s = self._charge(step["program"], before_s)
        self._emitter.emit("run", **{**done, "took_s": time.monotonic() - started, "own_s": own_s})

    def _charge(self, program: str, before_s: float) -> float:
        """Count the own time of everything run since it was `before_s` towards the program's share, and return it."""
        own_s = self._launcher.own_time.total_s - before_s
        self._used_s[program] += own_s
        return own_s

    def _why_left_out(self, step: RunStepJson, engine: EngineJson | None) -> str | None:
        """Return a WhyLeftOut (grader/model/evidence.py), None if the step is to be run."""
        build = self._builds[step["program"]]
        if build["cut_short"]:
            return "deadline"
        if build["ending"] != ENDED_WELL:
            return "not-built"
        if any(map(self._runner.hit_a_limit, step["requires_ended"])):
            return "no-end"
        if self._timeouts.is_over(step):
            return "given-up"
        if step["checker"] == "valgrind" and not is_installed("valgrind"):
            return "no-checker"
        why = self._unfit_cost(step)
        if why is None and self._used_s[step["program"]] > self._plan["program_wall_s"]:
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
        expected = "cheap" if calls <= self._plan["cheap_calls"] else "costly"
        return None if step["only_if"] == expected else f"not-{step['only_if']}"


def version_of(name: str) -> tuple[str | None, str]:
    """Return the first line that a tool prints about itself; if it does not work here, None and why not."""
    if not is_installed(name):
        return None, f"{name} is not installed (the package {name} has it)"
    try:
        answer = subprocess.run(
            [tool(name), "--version"], capture_output=True, text=True, errors="replace", check=False,
            timeout=TOOL_ANSWER_S, env=ENVIRONMENT,
        )  # fmt: skip
    except subprocess.TimeoutExpired:
        return None, f"{name} does not answer within {TOOL_ANSWER_S} s"
    except OSError as error:
        return None, f"{name} cannot be started: {error}"
    if answer.returncode != 0:
        said = answer.stderr.strip().partition("\n")[0]
        return None, f"{name} does not work: {said or f'it ends with status {answer.returncode}'}"
    return answer.stdout.partition("\n")[0], ""


def _compiler() -> str:
    """Return the version of gcc.

    Raises:
        GuestError: it does not work here, and would seem to refuse right sources.
    """
    tool("gcc")
    version, problem = version_of("gcc")
    if version is None:
        raise GuestError(problem)
    return version
