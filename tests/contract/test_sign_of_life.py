"""A guest works as long as its grader gives signs of life, however long a run takes, and no longer."""

from __future__ import annotations

import time

import pytest

from grader.errors import SandboxError
from grader.model.evidence import LimitReached
from grader.sandbox import session
from grader.sandbox.base import Job, Sandbox
from grader.sandbox.collector import collect
from grader.sandbox.local import LocalSandbox
from tests.waits import ENDS_S

from .harness import Exercise, limits, source, step

SILENCE_S = 4.0
RUN_S = 8.0


def asleep(wall_s: float) -> Exercise:
    return Exercise((step("asleep", "rogue", "sleep", limits=limits(wall_s=wall_s)),), {"rogue": source("rogue")})


@pytest.fixture(autouse=True)
def short_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SILENCE_S", SILENCE_S)


@pytest.mark.slow
def test_a_run_may_take_longer_than_a_silence_may(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RUN_S > SILENCE_S
    monkeypatch.setattr(session, "ALIVE_S", SILENCE_S / 20)
    run = asleep(RUN_S).done_in(sandbox).run("asleep", "rogue")
    assert run.ending == LimitReached(kind="limit", limit="wall")


@pytest.mark.slow
def test_the_grader_may_be_busy_with_something_else_for_longer(
    sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(session, "ALIVE_S", SILENCE_S / 20)
    job = Exercise((step("once"),)).job()
    with sandbox.open(job) as guest:
        events = guest.events()
        next(events)
        time.sleep(2 * SILENCE_S)
        first = collect(events)
        time.sleep(2 * SILENCE_S)
        guest.work_on(Job(job.plan.model_copy(update={"builds": ()}), {}, job.inputs))
        again = collect(guest.events())
    assert {*first.runs} == {*again.runs} == {"actor.once"}


@pytest.mark.slow
def test_a_guest_without_a_sign_of_life_ends(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    if isinstance(sandbox, LocalSandbox):
        pytest.skip("its pipe says when the grader is gone, and a silence says nothing")
    monkeypatch.setattr(session, "ALIVE_S", 2 * ENDS_S)
    with pytest.raises(SandboxError, match=r"ended before its work was done.*no sign of life"):
        # Much longer, so that on a machine that stands still for a while the run is not over before the silence.
        asleep(ENDS_S).done_in(sandbox)
