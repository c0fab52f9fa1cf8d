"""Which steps of a plan the guest does, which it leaves out and why, with tools that only seem to take time."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

import pytest

from grader.guest import work as module
from grader.guest.deadline import TimeUpError
from grader.guest.launch import ENDED_WELL
from grader.guest.own_time import OwnTime
from grader.guest.work import Worker

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
    monkeypatch.setattr(module, "_first_line", lambda _command: "gcc 12")
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


def test_a_run_that_nothing_can_trace_is_left_out(guest: Guest) -> None:
    guest.engine = None
    assert guest.work(program_wall_s=1000)[1:] == [*[("left-out", "no-tracer")] * 3, ("done", None)]
