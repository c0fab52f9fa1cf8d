"""A guest works as long as its grader gives signs of life, however long a run takes, and no longer."""

from __future__ import annotations

import pytest

from grader.errors import SandboxError
from grader.model.evidence import LimitReached
from grader.sandbox import session
from grader.sandbox.base import Sandbox

from .harness import Exercise, limits, source, step

SILENCE_S = 1.5
RUN_S = 3.0
ASLEEP = Exercise((step("asleep", "rogue", "sleep", limits=limits(wall_s=RUN_S)),), {"rogue": source("rogue")})


@pytest.fixture(autouse=True)
def impatience(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "SILENCE_S", SILENCE_S)


def test_a_run_may_take_longer_than_a_silence_may(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RUN_S > SILENCE_S
    monkeypatch.setattr(session, "ALIVE_S", SILENCE_S / 5)
    run = ASLEEP.done_in(sandbox).run("asleep", "rogue")
    assert run.ending == LimitReached(kind="limit", limit="wall")


def test_a_guest_without_a_sign_of_life_ends(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ALIVE_S", 60.0)
    with pytest.raises(SandboxError, match="ended before its work was done"):
        ASLEEP.done_in(sandbox)
