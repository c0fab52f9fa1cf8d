"""A guest works as long as its grader gives signs of life, however long a run takes, and no longer."""

from __future__ import annotations

import pytest

from grader.errors import SandboxError
from grader.model.evidence import LimitReached
from grader.sandbox import session
from grader.sandbox.base import Sandbox
from tests.waits import ENDS_S

from .harness import Exercise, limits, source, step

SILENCE_S = 1.5
RUN_S = 3.0


def asleep(wall_s: float) -> Exercise:
    return Exercise((step("asleep", "rogue", "sleep", limits=limits(wall_s=wall_s)),), {"rogue": source("rogue")})


@pytest.fixture(autouse=True)
def short_silence(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SILENCE_S", SILENCE_S)


@pytest.mark.slow
def test_a_run_may_take_longer_than_a_silence_may(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RUN_S > SILENCE_S
    monkeypatch.setattr(session, "ALIVE_S", SILENCE_S / 5)
    run = asleep(RUN_S).done_in(sandbox).run("asleep", "rogue")
    assert run.ending == LimitReached(kind="limit", limit="wall")


@pytest.mark.slow
def test_a_guest_without_a_sign_of_life_ends(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ALIVE_S", 2 * ENDS_S)
    with pytest.raises(SandboxError, match="ended before its work was done"):
        # Much longer, so that on a machine that stands still for a while the run is not over before the silence.
        asleep(ENDS_S).done_in(sandbox)
