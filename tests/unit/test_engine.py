"""Reaching an engine, and giving it up if it stops answering; with a server of ours in its place."""

from __future__ import annotations

import io
import json
import socket
import struct
import threading
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from requests.exceptions import RequestException

from grader.errors import EngineUnavailableError
from grader.sandbox import engine, engine_watch
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.building import build
from grader.sandbox.engine import connect, find_image
from grader.sandbox.engine_address import EngineAddress
from grader.sandbox.engine_faults import fault_words, is_timeout
from grader.sandbox.engine_watch import EngineWatch
from tests.waits import ENDS_S

from .fake_engine import STEP, FakeEngine, fake_engine, ok, usual

SILENCE_S = 1.0
"""In place of a minute."""


@pytest.fixture(autouse=True)
def _impatient(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setattr(engine, "ANSWER_TIMEOUT_S", SILENCE_S)
    monkeypatch.setattr(engine_watch, "ANSWER_TIMEOUT_S", SILENCE_S)
    monkeypatch.setattr(engine_watch, "ASK_EVERY_S", SILENCE_S / 8)
    monkeypatch.setattr("grader.sandbox.attached.ASK_EVERY_S", SILENCE_S / 8)
    monkeypatch.setattr(engine_watch, "PING_TIMEOUT_S", SILENCE_S / 4)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))


@pytest.fixture
def running(monkeypatch: pytest.MonkeyPatch) -> Iterator[FakeEngine]:
    with fake_engine(usual) as server:
        monkeypatch.setenv("DOCKER_HOST", server.address)
        yield server


def error_of_connecting(monkeypatch: pytest.MonkeyPatch, answer: bytes) -> str:
    with fake_engine(lambda _path: answer) as server:
        monkeypatch.setenv("DOCKER_HOST", server.address)
        with pytest.raises(EngineUnavailableError) as raised:
            connect()
    assert "\n" not in str(raised.value)
    return str(raised.value)


def test_settings_for_the_web_are_not_for_an_engine(running: FakeEngine, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in ("HTTP_PROXY", "HTTPS_PROXY", "ALL_PROXY"):
        for variable in (name, name.lower()):
            monkeypatch.setenv(variable, "http://127.0.0.1:9")
    for variable in ("REQUESTS_CA_BUNDLE", "CURL_CA_BUNDLE"):
        monkeypatch.setenv(variable, "/nonexistent")
    assert connect().version()["Version"] == "20.10"
    assert "/version" in running.asked


def test_an_engine_that_accepts_and_does_not_answer_is_given_up(running: FakeEngine) -> None:
    running.stalled.set()
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        connect()


def test_a_byte_at_a_time_is_no_answer(running: FakeEngine) -> None:
    client = connect()
    running.pause_s = SILENCE_S / 4
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        find_image(client)
    with pytest.raises(EngineUnavailableError, match="does not answer"):
        connect()


def test_attaching_ends_if_the_engine_stops_answering(running: FakeEngine) -> None:
    class Silent(SilentContainer):
        def attach_socket(self, params: dict[str, int]) -> socket.socket:
            over.wait(ENDS_S)
            return super().attach_socket(params)

    ours, theirs = socket.socketpair()
    over, watch = threading.Event(), EngineWatch(connect())
    running.stalled.set()
    with ours, theirs, pytest.raises(EngineUnavailableError, match="has not answered for"):
        AttachedTransport(Silent(ours), watch)  # type: ignore[arg-type]
    over.set()


@pytest.mark.parametrize(
    "answer",
    [
        ok(b"[]"),
        ok(b"{}"),
        ok(b"<html>"),
        ok(b'{"ApiVersion": 1}'),
        b"SSH-2.0-OpenSSH\r\n",
        b"HTTP/1.1 500 No\r\n\r\n",
    ],
)
def test_what_is_not_an_engine_is_said_in_one_sentence(answer: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    if answer.startswith(b"HTTP/1.1 500"):
        answer = b"HTTP/1.1 500 No\r\nContent-Length: 0\r\n\r\n"
    assert "tcp://127.0.0.1:" in error_of_connecting(monkeypatch, answer)


@pytest.mark.parametrize(
    "config", [[], {"proxies": 5}, {"auths": {"x": 5}}, {"HttpHeaders": 5}, {"auths": {"x": {"auth": "!"}}}]
)
@pytest.mark.usefixtures("running")
def test_settings_that_the_sdk_cannot_read_are_said_in_one_sentence(config: object, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    with pytest.raises(EngineUnavailableError) as raised:
        connect()
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize(
    "config",
    [
        {"credsStore": "of-another-machine"},
        {"credHelpers": {"registry.example": "of-another-machine"}},
        {"credsStore": "of-another-machine", "auths": {"registry.example": {"auth": "YTpi"}}},
    ],
)
def test_public_images_need_no_credentials(running: FakeEngine, config: dict[str, Any], tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(json.dumps(config), encoding="utf-8")
    credentials = connect().api._auth_configs  # type: ignore[attr-defined]  # noqa: SLF001 - the SDK has no setting
    assert set(credentials.get_all_credentials()) == set(config.get("auths", {}))
    assert credentials.resolve_authconfig("docker.io") is None
    build_is_asked_for(running)


def test_a_helper_that_fails_has_no_credentials(
    running: FakeEngine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    helper = tmp_path / "docker-credential-broken"
    helper.write_text("#!/bin/sh\necho no; exit 1\n", encoding="ascii")
    helper.chmod(0o755)
    monkeypatch.setenv("PATH", f"{tmp_path}:/usr/bin:/bin")
    (tmp_path / "config.json").write_text('{"credsStore": "broken"}', encoding="utf-8")
    build_is_asked_for(running)


def build_is_asked_for(running: FakeEngine) -> None:
    client = connect()
    next(client.api.build(fileobj=io.BytesIO(b""), custom_context=True))
    assert "/v1.41/build" in running.asked


def test_an_engine_that_fails_is_not_a_bug_of_ours(running: FakeEngine) -> None:
    client = connect()
    running.close()
    with pytest.raises(EngineUnavailableError, match=r"^the Docker engine failed: "):
        find_image(client)


def test_a_build_ends_if_the_engine_stops_answering_and_not_before(running: FakeEngine) -> None:
    client = connect()
    told: list[str] = []
    ended: list[str] = []

    def work() -> None:
        try:
            build(client, b"", "a:b", told.append)
        except EngineUnavailableError as error:
            ended.append(str(error))

    building = threading.Thread(target=work, daemon=True)
    building.start()
    building.join(3 * SILENCE_S)
    assert building.is_alive(), "it is silent, but the engine answers"
    assert told == [STEP["stream"]]
    running.stalled.set()
    building.join(ENDS_S)
    assert len(ended) == 1
    assert ended[0].startswith("the Docker engine has not answered for ")


def test_work_on_an_engine_keeps_its_result_and_its_error(running: FakeEngine) -> None:
    client = connect()
    assert EngineWatch(client).result_of(lambda: 7) == 7
    with pytest.raises(ZeroDivisionError):
        EngineWatch(client).result_of(lambda: 1 // 0)
    assert running.asked


class SilentContainer:
    def __init__(self, end: socket.socket) -> None:
        self._end = end

    def attach_socket(self, params: dict[str, int]) -> socket.socket:
        assert params
        return self._end


def attached(end: socket.socket) -> AttachedTransport:
    return AttachedTransport(SilentContainer(end), EngineWatch(connect()))  # type: ignore[arg-type]


def test_a_silent_guest_on_an_engine_that_answers_is_waited_for(running: FakeEngine) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        transport, start = attached(ours), time.monotonic()
        with pytest.raises(TimeoutError):
            transport.receive(3 * SILENCE_S)
        assert time.monotonic() - start >= 3 * SILENCE_S
        assert running.asked.count("/_ping") > 1
        theirs.sendall(struct.pack(">BxxxL", 1, 2) + b"it")
        assert transport.receive(ENDS_S) == b"it"


def test_a_silent_guest_on_an_engine_that_does_not_answer_is_given_up(running: FakeEngine) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        transport = attached(ours)
        running.stalled.set()
        with pytest.raises(EngineUnavailableError, match="restart it"):
            transport.receive(ENDS_S)


def test_a_refused_connection_is_not_taken_for_silence() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
    client = engine._client(EngineAddress(f"tcp://127.0.0.1:{port}", None, "a test"), "1.41")  # noqa: SLF001
    with pytest.raises(RequestException) as raised:
        client.ping()
    assert not is_timeout(raised.value)
    assert fault_words(raised.value) == "Connection refused"
