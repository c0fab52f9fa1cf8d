"""An engine that stops answering in the middle of a run: it is given up, and used again when it is back."""

from __future__ import annotations

import contextlib
import socket
import threading
import time
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest
from docker import DockerClient

from grader.errors import EngineUnavailableError
from grader.sandbox import attached, docker, engine_watch
from grader.sandbox.docker import DockerSandbox
from grader.sandbox.engine import connect
from tests.contract.containers import Traces, is_asleep, wait_until
from tests.contract.harness import SUCCESS, Exercise, source, step
from tests.waits import ENDS_S, STARTS_S

pytestmark = [pytest.mark.docker, pytest.mark.slow]

SILENCE_S = 8.0
"""In place of a minute."""

SOCKET = Path("/var/run/docker.sock")
SLEEPS = Exercise((step("asleep", "rogue", "sleep"),), {"rogue": source("rogue")})
ENDS = Exercise((step("exit", "actor", "exit", "0"),))


class StallingRelay:
    """Passes on what an engine and its clients say to each other, or keeps it while `stalled` is set."""

    def __init__(self) -> None:
        self._listener = socket.create_server(("127.0.0.1", 0))
        self.address = f"tcp://127.0.0.1:{self._listener.getsockname()[1]}"
        self._flows = threading.Event()
        self._flows.set()
        threading.Thread(target=self._accept, daemon=True).start()

    def stall(self) -> None:
        self._flows.clear()

    def flow(self) -> None:
        self._flows.set()

    def _accept(self) -> None:
        with contextlib.suppress(OSError):
            while True:
                client, _ = self._listener.accept()
                threading.Thread(target=self._relay, args=(client,), daemon=True).start()

    def _relay(self, client: socket.socket) -> None:
        with client, socket.socket(socket.AF_UNIX) as engine:
            engine.connect(str(SOCKET))
            back = threading.Thread(target=self._pass_on, args=(engine, client), daemon=True)
            back.start()
            self._pass_on(client, engine)
            back.join(ENDS_S)

    def _pass_on(self, sender: socket.socket, receiver: socket.socket) -> None:
        with contextlib.suppress(OSError):
            while data := sender.recv(1 << 16):
                assert self._flows.wait(ENDS_S)
                receiver.sendall(data)
            receiver.shutdown(socket.SHUT_WR)

    def close(self) -> None:
        self.flow()
        self._listener.close()


@pytest.fixture
def relay(client: DockerClient, monkeypatch: pytest.MonkeyPatch) -> Iterator[StallingRelay]:
    assert client.ping()
    if not SOCKET.exists():
        pytest.skip("the engine is not at its usual place")
    for module, name, seconds in (
        (engine_watch, "ANSWER_TIMEOUT_S", SILENCE_S),
        (engine_watch, "ASK_EVERY_S", SILENCE_S / 8),
        (attached, "ASK_EVERY_S", SILENCE_S / 8),
        (engine_watch, "PING_TIMEOUT_S", SILENCE_S / 2),
    ):
        monkeypatch.setattr(module, name, seconds)
    with closing(StallingRelay()) as between:
        monkeypatch.setenv("DOCKER_HOST", between.address)
        yield between


def test_a_stalled_engine_is_given_up_for_a_while(
    relay: StallingRelay, made: Traces, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended: list[BaseException] = []

    def run() -> None:
        try:
            SLEEPS.done_in(sandbox)
        except EngineUnavailableError as error:
            ended.append(error)

    with closing(DockerSandbox(connect())) as sandbox:
        running = threading.Thread(target=run, daemon=True)
        running.start()
        assert wait_until(lambda: any(map(is_asleep, made.containers)), STARTS_S)
        relay.stall()
        running.join(ENDS_S)
        assert "has not answered for" in str(ended[0])

        start = time.monotonic()
        with pytest.raises(EngineUnavailableError, match="did not answer a short time ago"):
            ENDS.done_in(sandbox)
        assert time.monotonic() - start < SILENCE_S, "nobody waits for it again"

        monkeypatch.setattr(docker, "GIVEN_UP_S", 0)
        with pytest.raises(EngineUnavailableError, match="still does not answer"):
            ENDS.done_in(sandbox)
        relay.flow()
        assert ENDS.done_in(sandbox).run("exit").ending == SUCCESS
        made.assert_gone()
