"""A guest works as long as its grader gives signs of life, however long a run takes, and no longer."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from grader.errors import SandboxError
from grader.guest import stream
from grader.model.evidence import LimitReached
from grader.sandbox import session
from grader.sandbox.base import Sandbox
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.guest_files import guest_files
from grader.sandbox.local import LocalSandbox

from .harness import Exercise, limits, source, step

SILENCE_S = 1.5
RUN_S = 3.0
ASLEEP = Exercise((step("asleep", "rogue", "sleep", limits=limits(wall_s=RUN_S)),), {"rogue": source("rogue")})


@pytest.fixture
def impatient(sandbox: Sandbox, monkeypatch: pytest.MonkeyPatch) -> Iterator[Sandbox]:
    """A sandbox of the same kind whose guests bear a shorter silence."""
    files = dict(guest_files())
    declared = f"SILENCE_S = {stream.SILENCE_S}".encode()
    assert files["stream.py"].count(declared) == 1
    files["stream.py"] = files["stream.py"].replace(declared, f"SILENCE_S = {SILENCE_S}".encode())
    for name in ("local", "docker"):
        monkeypatch.setattr(f"grader.sandbox.{name}.guest_files", lambda: files)
    other = LocalSandbox() if isinstance(sandbox, LocalSandbox) else DockerSandbox()
    yield other
    other.close()


def test_the_grader_gives_signs_several_times_as_often_as_the_guest_needs_them() -> None:
    assert session.ALIVE_S * 5 <= stream.SILENCE_S


def test_a_run_may_take_longer_than_a_silence_may(impatient: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    assert RUN_S > SILENCE_S
    monkeypatch.setattr(session, "ALIVE_S", SILENCE_S / 5)
    run = ASLEEP.done_in(impatient).run("asleep", "rogue")
    assert run.ending == LimitReached(kind="limit", limit="wall")


def test_a_guest_without_a_sign_of_life_ends(impatient: Sandbox, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(session, "ALIVE_S", 60.0)
    with pytest.raises(SandboxError, match="ended before its work was done"):
        ASLEEP.done_in(impatient)
