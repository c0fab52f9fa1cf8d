"""The address of the engine, by the settings of the `docker` command."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Callable
from pathlib import Path

import pytest

from grader.cli.exit_status import BROKEN, USAGE
from grader.cli.main import status_of
from grader.errors import EngineUnavailableError
from grader.sandbox.engine import connect
from grader.sandbox.engine_address import EngineAddress, config_problem, engine_address

CERTIFICATES = ("ca.pem", "cert.pem", "key.pem")
Found = Callable[..., EngineAddress]


@pytest.fixture
def found(tmp_path: Path) -> Found:
    """Find the address with these variables, and the configuration in tmp_path."""
    return lambda **variables: engine_address({"HOME": str(tmp_path), "DOCKER_CONFIG": str(tmp_path), **variables})


def add_context(folder: Path, name: str, files: tuple[str, ...] = (), **endpoint: object) -> None:
    entry = hashlib.sha256(name.encode()).hexdigest()
    meta, tls = folder / "contexts" / "meta" / entry, folder / "contexts" / "tls" / entry / "docker"
    meta.mkdir(parents=True)
    (meta / "meta.json").write_text(json.dumps({"Name": name, "Endpoints": {"docker": endpoint}}), encoding="utf-8")
    for file in files:
        tls.mkdir(parents=True, exist_ok=True)
        (tls / file).touch()


def use_context(folder: Path, name: object) -> None:
    (folder / "config.json").write_text(json.dumps({"currentContext": name}), encoding="utf-8")


@pytest.mark.parametrize(
    ("host", "url"),
    [
        ("", None),
        (" ", None),
        ("unix://", None),
        ("unix:///run/docker.sock", "unix:///run/docker.sock"),
        (" unix:///run/docker.sock ", "unix:///run/docker.sock"),
        ("tcp://10.0.0.1:5", "tcp://10.0.0.1:5"),
        ("tcp://10.0.0.1", "tcp://10.0.0.1:2375"),
        ("tcp://", "tcp://localhost:2375"),
        ("tcp://:5", "tcp://localhost:5"),
        ("10.0.0.1:5", "tcp://10.0.0.1:5"),
        (":5", "tcp://localhost:5"),
        ("tcp://[::1]:5", "tcp://[::1]:5"),
        ("tcp://host:5/path", "tcp://host:5/path"),
        ("ssh://me@host", "ssh://me@host"),
    ],
)
def test_addresses_are_read_as_docker_reads_them(host: str, url: str | None, found: Found) -> None:
    assert (found(DOCKER_HOST=host).url, found(DOCKER_HOST=host).tls) == (url, None)


def test_a_relative_socket_is_in_the_current_folder(found: Found) -> None:
    assert found(DOCKER_HOST="unix://a/b").url == f"unix://{Path.cwd()}/a/b"


@pytest.mark.parametrize(
    "host",
    [
        "foo://x", "://", "http://h:1", "https://h:1", "fd://x", "UNIX:///x", "tcp://[::1", "tcp://host:port", "tcp://::1:1",
        "tcp://h:99999", "tcp://h:0", "tcp://h:-1", "tcp://a b:1", "tcp://a\tb:1", "tcp://h\x01:1", "tcp://u:p@h:1",
        "ssh://", "ssh://[::1", "ssh://me@h:port", "unix:/run/docker.sock",
        "tcp://h:1?x", "tcp://h:1#x", "tcp://[", "tcp://]:1", "tcp://[x]:1",
    ],
)  # fmt: skip
@pytest.mark.parametrize("sandbox", ["auto", "docker"])
def test_what_is_not_an_address_is_one_sentence_and_nothing_is_graded(
    host: str, sandbox: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("DOCKER_HOST", host)
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "tr2b.c").write_text("int main(void) { return 0; }\n", encoding="utf-8")
    out = tmp_path / "out"
    status = status_of(["grade", str(tmp_path / "in"), "--lab", "tr2", "--out", str(out), "--sandbox", sandbox])
    said = capsys.readouterr().err
    assert status == (USAGE if sandbox == "auto" else BROKEN)
    assert "grader: DOCKER_HOST is " in said
    assert "Traceback" not in said
    assert not list(out.glob("*/report.json"))


def test_docker_host_comes_before_contexts_and_the_variable_before_the_file(found: Found, tmp_path: Path) -> None:
    add_context(tmp_path, "one", Host="tcp://one:1")
    add_context(tmp_path, "two", Host="unix:///two")
    use_context(tmp_path, "one")
    assert found().url == "tcp://one:1"
    assert found(DOCKER_CONTEXT="").url == "tcp://one:1"
    assert found(DOCKER_CONTEXT="two").url == "unix:///two"
    assert found(DOCKER_CONTEXT="default").url is None
    assert found(DOCKER_CONTEXT="two", DOCKER_HOST="tcp://three:3").url == "tcp://three:3"
    assert found(DOCKER_HOST="").url == "tcp://one:1"
    assert found(DOCKER_HOST=" ", DOCKER_CONTEXT="two").url is None


def test_the_configuration_is_where_docker_looks_for_it(tmp_path: Path) -> None:
    home = tmp_path / "home"
    (home / ".docker").mkdir(parents=True)
    add_context(home / ".docker", "mine", Host="tcp://mine:1")
    use_context(home / ".docker", "mine")
    assert engine_address({"HOME": str(home)}).url == "tcp://mine:1"
    assert engine_address({"HOME": str(home), "DOCKER_CONFIG": str(tmp_path)}).url is None


DEEP = "[" * 100_000


@pytest.mark.parametrize(
    "config", [DEEP, "{bad", "[]", '{"currentContext": 5}', '{"currentContext": ""}', "{}", "\xff"]
)
def test_a_configuration_that_names_no_context_means_the_default(config: str, found: Found, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(config, encoding="latin-1")
    assert found() == EngineAddress(None, None, "DOCKER_TLS_VERIFY")


@pytest.mark.parametrize("chosen_by", ["DOCKER_CONTEXT", "`docker context use`"])
def test_a_context_that_does_not_exist_is_an_error(chosen_by: str, found: Found, tmp_path: Path) -> None:
    use_context(tmp_path, "gone")
    variables = {"DOCKER_CONTEXT": "gone"} if chosen_by == "DOCKER_CONTEXT" else {}
    with pytest.raises(EngineUnavailableError, match=f"'gone', chosen by {chosen_by} does not exist"):
        found(**variables)


@pytest.mark.parametrize("meta", [DEEP, "{bad", "[]", "{}", '{"Endpoints": []}', '{"Endpoints": {"docker": 5}}'])
def test_a_damaged_context_is_an_error(meta: str, found: Found, tmp_path: Path) -> None:
    add_context(tmp_path, "odd")
    next(tmp_path.rglob("meta.json")).write_text(meta, encoding="utf-8")
    with pytest.raises(EngineUnavailableError, match="cannot be read"):
        found(DOCKER_CONTEXT="odd")


@pytest.mark.parametrize("half", ["\\udcff", "\\ud800"])
def test_a_context_whose_name_is_no_text_does_not_exist(half: str, found: Found, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(f'{{"currentContext": "x{half}"}}', encoding="utf-8")
    with pytest.raises(EngineUnavailableError, match="does not exist"):
        found()


def test_a_context_brings_its_certificates(found: Found, tmp_path: Path) -> None:
    add_context(tmp_path, "safe", CERTIFICATES, Host="tcp://safe:2376", SkipTLSVerify=False)
    add_context(tmp_path, "lax", CERTIFICATES[1:], Host="tcp://lax:2376", SkipTLSVerify=True)
    add_context(tmp_path, "socket", CERTIFICATES, Host="unix:///x")
    add_context(tmp_path, "plain", Host="tcp://plain:2375", SkipTLSVerify=False)
    safe, lax = found(DOCKER_CONTEXT="safe").tls, found(DOCKER_CONTEXT="lax").tls
    assert safe is not None
    assert (safe.verify, Path(str(safe.ca_cert)).name) == (True, "ca.pem")
    assert safe.cert is not None
    assert lax is not None
    assert (lax.verify, lax.ca_cert) == (False, None)
    assert found(DOCKER_CONTEXT="socket").tls is None
    assert found(DOCKER_CONTEXT="plain").tls is None


def test_tls_of_the_environment(found: Found, tmp_path: Path) -> None:
    for name in CERTIFICATES:
        (tmp_path / name).touch()
    host = {"DOCKER_HOST": "tcp://h:1"}
    asked = found(**host, DOCKER_TLS_VERIFY="0").tls
    assert asked is not None
    assert (asked.verify, asked.ca_cert) == (True, str(tmp_path / "ca.pem"))
    unverified = found(**host, DOCKER_TLS="1", DOCKER_CERT_PATH=str(tmp_path)).tls
    assert unverified is not None
    assert unverified.verify is False
    assert found(**host, DOCKER_CERT_PATH=str(tmp_path)).tls is None, "certificates alone ask for nothing"
    assert found(DOCKER_HOST="unix:///x", DOCKER_TLS_VERIFY="1").tls is None
    assert found(DOCKER_TLS_VERIFY="1").url == "tcp://localhost:2376"
    with pytest.raises(EngineUnavailableError, match=r"there is no /nonexistent/ca\.pem"):
        found(**host, DOCKER_TLS_VERIFY="1", DOCKER_CERT_PATH="/nonexistent")


@pytest.mark.parametrize(
    ("config", "says"),
    [
        ("[]", "it has a list instead of an object"),
        ("3", "it has a number instead of an object"),
        ('"x"', "it has a text instead of an object"),
        ("null", "it has null instead of an object"),
        ('{"proxies": 3}', "'proxies' is a number instead of an object"),
        ('{"proxies": {"default": 3}}', "'default' in 'proxies' is a number instead of an object"),
        ('{"auths": [1]}', "'auths' is a list instead of an object"),
        ('{"auths": {"a": 3}}', "'a' in 'auths' is a number instead of an object"),
        ('{"auths": {"a": {"auth": 3}}}', "'auth' of 'a' in 'auths' is a number instead of a text"),
        ('{"auths": {"a": {"auth": "!!"}}}', "'auth' of 'a' in 'auths' is not NAME:PASSWORD in base64"),
        ('{"HttpHeaders": {"X": 5}}', "'X' in 'HttpHeaders' is a number instead of a text"),
        ('{"credHelpers": true}', "'credHelpers' is true or false instead of an object"),
        ('{"HttpHeaders": 5}', "'HttpHeaders' is a number instead of an object"),
    ],
)
def test_a_configuration_that_cannot_be_used_is_described(
    config: str, says: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", "tcp://127.0.0.1:1")
    with pytest.raises(EngineUnavailableError) as caught:
        connect()
    assert str(caught.value).startswith(f"{tmp_path / 'config.json'} is not as Docker needs it: {says}")
    assert "Error(" not in str(caught.value)


@pytest.mark.parametrize(
    "config", ["{}", '{"auths": {}, "proxies": {"default": {"httpProxy": "http://p:1"}}}', "{bad"]
)
def test_nothing_is_said_of_settings_that_can_be_used(config: str, tmp_path: Path) -> None:
    (tmp_path / "config.json").write_text(config, encoding="utf-8")
    assert config_problem({"DOCKER_CONFIG": str(tmp_path)}) is None
    assert config_problem({"DOCKER_CONFIG": str(tmp_path / "missing")}) is None


@pytest.mark.parametrize(
    ("host", "command"),
    [
        ("ssh://me@host", "ssh -NL docker.sock:/var/run/docker.sock me@host"),
        ("ssh://host:2222", "ssh -p 2222 -NL docker.sock:/var/run/docker.sock host"),
        ("ssh://a b@host", "ssh -NL docker.sock:/var/run/docker.sock 'a b@host'"),
    ],
)
def test_an_engine_behind_ssh_is_reached_by_a_forwarded_socket(
    host: str, command: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("grader.sandbox.engine_address.find_spec", lambda _name: None)
    monkeypatch.setenv("DOCKER_CONFIG", str(tmp_path))
    monkeypatch.setenv("DOCKER_HOST", host)
    with pytest.raises(EngineUnavailableError) as caught:
        connect()
    assert f"{host} (DOCKER_HOST)" in str(caught.value)
    assert f"`{command}`" in str(caught.value)
    assert "DOCKER_HOST=unix://docker.sock" in str(caught.value)
    assert "paramiko" not in str(caught.value)
