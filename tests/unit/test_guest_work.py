"""Which steps of a plan the guest does, which it leaves out and why, with tools that only seem to take time."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest

from grader.guest import launch
from grader.guest import work as module
from grader.guest.deadline import TimeUpError
from grader.guest.launch import ENDED_WELL, GuestError
from grader.guest.own_time import OwnTime
from grader.guest.work import Worker, version_of

from .test_plan_builder import steps

BUILD_S = 5.0
RUN_S = 2.0
QUEUE_S = 1000.0
"""How long each of them waits for a CPU."""

FAILED = {"kind": "exited", "code": 1}


class Guest:
    """A guest without programs: builds end as `ending` says, runs end well, or with `time_is_up` never."""

    def __init__(self) -> None:
        self.now = 100.0
        self.ending = ENDED_WELL
        self.cut_short = False
        self.time_is_up = False
        self.engine: str | None = "plain"
        self.own_time = OwnTime()
        self.missing: dict[str, str] = {}
        self.events: list[dict[str, Any]] = []

    def emit(self, event: str, **fields: Any) -> None:  # noqa: ANN401 - as in Emitter
        self.events.append({"event": event, **fields})

    def build(self, step: dict[str, Any]) -> dict[str, Any]:
        self.now += BUILD_S + QUEUE_S
        self.own_time.total_s += BUILD_S
        return {"program": step["program"], "ending": self.ending, "cut_short": self.cut_short}

    def choose(self, _engine: str) -> str | None:
        return self.engine

    def run(self, step: dict[str, Any], _engine: str, _stop_s: float | None) -> dict[str, Any]:
        self.now += RUN_S + QUEUE_S
        self.own_time.total_s += RUN_S
        if self.time_is_up:
            raise TimeUpError
        return {"step": step["id"], "ending": ENDED_WELL, "own_s": RUN_S}

    def hit_a_limit(self, _step: str) -> bool:
        return False

    def work(self, program_wall_s: float, runs: int = 3) -> list[tuple[str, object]]:
        """Work through one build and some runs; return each event after the first, and why its step was left out."""
        plain: Any = steps("many")["many.copy"].model_dump(mode="json")
        request: Any = {
            "layout": {"in_container": False},
            "plan": {
                "builds": [{"program": "many"}],
                "runs": [{**plain, "id": f"many.{number}", "engine": "plain"} for number in range(runs)],
                "build_limits": None,
                "cheap_calls": 1,
                "program_wall_s": program_wall_s,
                "deadline_s": None,
            },
        }
        Worker(request, None, self).work()  # type: ignore[arg-type]
        assert self.events[0]["event"] == "toolchain"
        return [(event["event"], event.get("why")) for event in self.events[1:]]

    def took_s(self, kind: str) -> Iterable[float]:
        return [event["wall_s" if kind == "build" else "took_s"] for event in self.events if event["event"] == kind]


@pytest.fixture
def guest(monkeypatch: pytest.MonkeyPatch) -> Guest:
    guest = Guest()
    for name in ("Builder", "Runner", "Engines", "Launcher"):
        monkeypatch.setattr(module, name, lambda *_arguments, **_options: guest)
    monkeypatch.setattr(module, "version_of", lambda name: (f"{name} 12", ""))
    monkeypatch.setattr("grader.guest.work.time.monotonic", lambda: guest.now)
    return guest


def test_every_step_is_done_and_says_how_long_it_took(guest: Guest) -> None:
    events = guest.work(program_wall_s=1000)
    assert events == [("build", None), *[("run", None)] * 3, ("done", None)]
    assert guest.took_s("build") == [BUILD_S + QUEUE_S]
    assert guest.took_s("run") == [RUN_S + QUEUE_S] * 3
    assert [event["own_s"] for event in guest.events if "own_s" in event] == [BUILD_S, RUN_S, RUN_S, RUN_S]


def test_what_builds_and_runs_take_themselves_uses_up_a_program_s_share_and_no_queue_does(guest: Guest) -> None:
    events = guest.work(program_wall_s=BUILD_S + RUN_S)
    assert events == [("build", None), *[("run", None)] * 2, ("left-out", "submission-time"), ("done", None)]


def test_after_the_deadline_runs_are_left_out_because_of_it_and_not_of_the_share(guest: Guest) -> None:
    guest.time_is_up = True
    events = guest.work(program_wall_s=BUILD_S + RUN_S)
    assert events == [("build", None), *[("left-out", "deadline")] * 3, ("done", None)]
    assert guest.took_s("left-out") == [RUN_S + QUEUE_S] * 3


@pytest.mark.parametrize(("cut_short", "why"), [(False, "not-built"), (True, "deadline")])
def test_without_an_executable_nothing_is_run(*, guest: Guest, cut_short: bool, why: str) -> None:
    guest.ending, guest.cut_short = FAILED, cut_short
    assert guest.work(program_wall_s=1000) == [("build", None), *[("left-out", why)] * 3, ("done", None)]


BROKEN = [
    ("exit 127", "does not work: it ends with status 127"),
    ("echo 'no such library' >&2; echo more >&2; exit 1", "does not work: no such library"),
    ("kill -9 $$", "does not work: it ends with status -9"),
    (None, "cannot be started: "),
]
"""What a tool does (None: nothing, as its interpreter is missing), and what is wrong with it then."""


def install(name: str, folder: Path, does: str | None, monkeypatch: pytest.MonkeyPatch) -> None:
    """Make the guest find a tool of this name that does this."""
    monkeypatch.setattr(launch, "ENVIRONMENT", {**launch.ENVIRONMENT, "PATH": str(folder)})
    path = folder / name
    path.write_text("#!/nonexistent/interpreter\n" if does is None else f"#!/bin/sh\n{does}\n")
    path.chmod(0o755)


@pytest.mark.parametrize(("does", "says"), BROKEN)
def test_a_strace_that_does_not_work_is_missing_with_the_reason(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str | None, says: str
) -> None:
    install("strace", tmp_path, does, monkeypatch)
    version, problem = version_of("strace")
    assert version is None
    assert problem.startswith(f"strace {says}")


@pytest.mark.parametrize(("does", "says"), BROKEN)
def test_with_a_gcc_that_does_not_work_nothing_is_graded(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, does: str | None, says: str
) -> None:
    install("gcc", tmp_path, does, monkeypatch)
    plan: Any = {"plan": {"deadline_s": None, "build_limits": None}, "layout": {"in_container": False}}
    monkeypatch.setattr(module, "Launcher", lambda _request: None)
    with pytest.raises(GuestError, match=f"^gcc {says}"):
        Worker(plan, None, None)  # type: ignore[arg-type]


def test_a_tool_that_does_not_answer_is_missing_too(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def too_slow(command: list[str], *, timeout: float, **_options: object) -> None:
        raise subprocess.TimeoutExpired(command, timeout)

    install("strace", tmp_path, "", monkeypatch)
    monkeypatch.setattr("grader.guest.work.subprocess.run", too_slow)
    assert version_of("strace") == (None, f"strace does not answer within {module.TOOL_ANSWER_S} s")


def test_a_tool_that_is_not_there_and_one_that_works(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    install("strace", tmp_path, "echo strace -- version 6.1; echo more", monkeypatch)
    assert version_of("strace") == ("strace -- version 6.1", "")
    (tmp_path / "strace").unlink()
    assert version_of("strace") == (None, "strace is not installed (the package strace has it)")


def test_a_run_that_nothing_can_trace_is_left_out(guest: Guest) -> None:
    guest.engine = None
    assert guest.work(program_wall_s=1000)[1:] == [*[("left-out", "no-tracer")] * 3, ("done", None)]
