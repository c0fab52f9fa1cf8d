"""Where the Docker engine is: found as the `docker` command finds it (decision 0104)."""

from __future__ import annotations

import base64
import hashlib
import json
import os
import shlex
import ssl
from collections.abc import Mapping
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

from docker.errors import TLSParameterError
from docker.tls import TLSConfig

from grader.errors import EngineUnavailableError

DEFAULT_CONTEXT = "default"
DEFAULT_PORT = 2375
TLS_HOST = "tcp://localhost:2376"
"""What the `docker` command uses if TLS is asked for and no address is given."""

_OBJECTS: dict[str, type] = {"auths": dict, "credHelpers": str, "HttpHeaders": str, "proxies": dict}
"""The keys of Docker's settings that are objects, and what these have."""

_KINDS: dict[type, str] = {dict: "an object", list: "a list", str: "a text", bool: "true or false"}

SOCKETS = ("unix", "npipe")


@dataclass(frozen=True)
class EngineAddress:
    """The address of an engine, None for the system's own; `source` says in messages who names it."""

    url: str | None
    tls: TLSConfig | None
    source: str

    @property
    def words(self) -> str:
        """The address for a message, with the setting that names it."""
        return f"{self.url} ({self.source})" if self.url else "the default address"


def engine_address(environment: Mapping[str, str]) -> EngineAddress:
    """Return the address that the `docker` command would use in this environment.

    DOCKER_HOST comes before DOCKER_CONTEXT, and that before `docker context use`.

    Raises:
        EngineUnavailableError: a setting cannot be used; the message names it.
    """
    folder = _config_folder(environment)
    if environment.get("DOCKER_HOST"):
        return _environments_own(environment, folder)
    name, source = environment.get("DOCKER_CONTEXT"), "DOCKER_CONTEXT"
    if not name:
        name, source = _current_context(folder / "config.json"), "`docker context use`"
    return _environments_own(environment, folder) if name == DEFAULT_CONTEXT else _of_context(folder, name, source)


def ssh_problem(address: EngineAddress) -> str | None:
    """Return why no client can be made for an engine behind SSH, and what to do; None if that is not the reason."""
    parts = urlsplit(address.url or "")
    if parts.scheme != "ssh" or find_spec("paramiko") is not None:
        return None
    try:
        port = ["-p", str(parts.port)] if parts.port else []
    except ValueError:
        port = []
    host = parts.netloc.rpartition("@")[2]
    host = parts.netloc.removesuffix(host) + (parts.hostname or host)
    command = shlex.join(["ssh", *port, "-NL", "docker.sock:/var/run/docker.sock", host])
    return (
        f"an engine is not reached through SSH here ({address.words}): run `{command}` in another terminal,"
        " and set DOCKER_HOST=unix://docker.sock in the same folder"
    )


def config_problem(environment: Mapping[str, str]) -> str | None:
    """Return what is wrong with the file of Docker's settings, in words; None if nothing is known to be."""
    path = _config_folder(environment) / "config.json"
    try:
        found = _json_of(path)
    except (OSError, ValueError):
        return None
    wrong = _wrong_part(found)
    return None if wrong is None else f"{path} is not as Docker needs it: {wrong}. Correct or remove it"


def _wrong_part(config: object) -> str | None:
    if not isinstance(config, dict):
        return f"it has {_kind(config)} instead of an object in braces"
    for key, inner in _OBJECTS.items():
        value = config.get(key)
        if not value:
            continue
        if not isinstance(value, dict):
            return f"{key!r} is {_kind(value)} instead of an object in braces"
        for name, one in value.items():
            if not isinstance(one, inner):
                return f"{name!r} in {key!r} is {_kind(one)} instead of {_KINDS[inner]}"
            for part, text in one.items() if isinstance(one, dict) else ():
                if not isinstance(text, str):
                    return f"{part!r} of {name!r} in {key!r} is {_kind(text)} instead of {_KINDS[str]}"
                if part == "auth" and not _is_login(text):
                    return f"{part!r} of {name!r} in {key!r} is not NAME:PASSWORD in base64"
    return None


def _is_login(auth: str) -> bool:
    try:
        return b":" in base64.b64decode(auth)
    except ValueError:
        return False


def _kind(value: object) -> str:
    return "null" if value is None else _KINDS.get(type(value), "a number")


def _config_folder(environment: Mapping[str, str]) -> Path:
    if given := environment.get("DOCKER_CONFIG"):
        return Path(given)
    # Unlike Path.home, expanduser does not fail for a user without a home.
    return Path(environment.get("HOME") or os.path.expanduser("~")) / ".docker"  # noqa: PTH111


def _current_context(config: Path) -> str:
    """Return the context that `docker context use` has chosen; a configuration that is not readable chooses none."""
    try:
        found = _json_of(config)
    except (OSError, ValueError):
        return DEFAULT_CONTEXT
    name = found.get("currentContext") if isinstance(found, dict) else None
    if not isinstance(name, str) or not name:
        return DEFAULT_CONTEXT
    # As `docker` does: what is only half of a character is another one.
    return name.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def _json_of(path: Path) -> Any:  # noqa: ANN401 - whatever a file has
    """Return what a file of Docker's has.

    Raises:
        OSError: it cannot be read.
        ValueError: it is not JSON, or nested too deeply.
    """
    try:
        return json.loads(path.read_text(encoding="utf-8"))
    except RecursionError as error:
        raise ValueError("it is nested too deeply") from error


def _environments_own(environment: Mapping[str, str], folder: Path) -> EngineAddress:
    """Return the address of DOCKER_HOST, or the default one, with TLS as the environment says."""
    verifies = bool(environment.get("DOCKER_TLS_VERIFY"))
    asks_for_tls = verifies or bool(environment.get("DOCKER_TLS"))
    host = environment.get("DOCKER_HOST", "").strip() or (TLS_HOST if asks_for_tls else "")
    source = "DOCKER_HOST" if environment.get("DOCKER_HOST") else "DOCKER_TLS_VERIFY"
    url = _checked(host, source)
    if not asks_for_tls or _is_socket(url):
        return EngineAddress(url, None, source)
    certificates = Path(environment.get("DOCKER_CERT_PATH") or folder)
    source = f"{source}, with certificates in {certificates}"
    ca = certificates / "ca.pem"
    return EngineAddress(url, _tls(source, verifies=verifies, ca=ca, folder=certificates), source)


def _of_context(folder: Path, name: str, source: str) -> EngineAddress:
    source = f"the context {name!r}, chosen by {source}"
    entry = hashlib.sha256(name.encode("utf-8", "surrogateescape")).hexdigest()
    meta = folder / "contexts" / "meta" / entry / "meta.json"
    try:
        endpoint = _endpoint(_json_of(meta))
    except FileNotFoundError as error:
        raise EngineUnavailableError(f"{source} does not exist; `docker context ls` lists those that do") from error
    except (OSError, ValueError) as error:
        raise EngineUnavailableError(f"{source} cannot be read: {meta}: {error}") from error
    url = _checked(str(endpoint.get("Host") or ""), source)
    verifies = not endpoint.get("SkipTLSVerify")
    certificates = folder / "contexts" / "tls" / entry / "docker"
    if _is_socket(url) or (verifies and not certificates.is_dir()):
        return EngineAddress(url, None, source)
    ca = certificates / "ca.pem"
    known_ca = ca if ca.exists() else None
    return EngineAddress(url, _tls(source, verifies=verifies, ca=known_ca, folder=certificates), source)


def _endpoint(meta: Any) -> dict[str, Any]:  # noqa: ANN401 - whatever a file has
    """Return the part of a context that is about Docker.

    Raises:
        ValueError: there is none.
    """
    endpoints = meta.get("Endpoints") if isinstance(meta, dict) else None
    endpoint = endpoints.get("docker") if isinstance(endpoints, dict) else None
    if not isinstance(endpoint, dict):
        raise ValueError("it has no Docker endpoint")  # noqa: TRY004 - the file is wrong, not our types
    return endpoint


def _tls(source: str, *, verifies: bool, ca: Path | None, folder: Path) -> TLSConfig:
    """Return the settings of TLS; the client's own certificate is used if it is there."""
    own = (str(folder / "cert.pem"), str(folder / "key.pem"))
    # As the `docker` command does, the system's authorities are trusted, which are not those of Python's requests.
    system = ssl.get_default_verify_paths()
    trusted = str(ca) if ca is not None else system.cafile or system.capath
    try:
        return TLSConfig(
            client_cert=own if all(Path(path).exists() for path in own) else None,
            ca_cert=trusted if verifies else None,
            verify=verifies,
        )
    except TLSParameterError as error:
        raise EngineUnavailableError(f"TLS cannot be used ({source}): there is no {trusted}") from error


def _is_socket(url: str | None) -> bool:
    return url is None or urlsplit(url).scheme in SOCKETS


def _checked(host: str, source: str) -> str | None:
    """Return an address as the SDK takes it, None for the system's own.

    Raises:
        EngineUnavailableError: it is not an address of an engine.
    """
    if host in ("", "unix://"):
        return None
    scheme, separator, rest = host.partition("://")
    if not separator:
        scheme, rest = "tcp", host
    if scheme in SOCKETS:
        return f"unix://{_socket(rest)}" if scheme == "unix" else host
    if host.startswith(tuple(f"{kind}:/" for kind in SOCKETS)):
        problem = "its two slashes are missing"
    elif scheme == "ssh":
        problem = _tcp_problem(rest.rpartition("@")[2]) if rest else "it has no host"
    else:
        problem = _tcp_problem(rest) if scheme == "tcp" else "it begins with neither unix:// nor tcp://"
    if problem:
        raise EngineUnavailableError(
            f"{source} is {host!r}, which is not the address of an engine ({problem});"
            " unix:///var/run/docker.sock and tcp://HOST:PORT are, or unset it"
        )
    if scheme == "ssh":
        return host
    parts = urlsplit(f"tcp://{rest}")
    name = f"[{parts.hostname}]" if ":" in (parts.hostname or "") else parts.hostname or "localhost"
    return f"tcp://{name}:{parts.port or DEFAULT_PORT}{parts.path}"


def _socket(path: str) -> Path:
    """Return the path of a socket. The SDK takes each from the root, and the `docker` command from this folder."""
    try:
        return Path(path).absolute()
    except FileNotFoundError as error:
        raise EngineUnavailableError(f"there is no {path}: the current folder has been removed") from error


def _tcp_problem(rest: str) -> str:
    if not rest.isprintable() or " " in rest:
        return "it has a character that no host has"
    try:
        parts = urlsplit(f"tcp://{rest}")
    except ValueError:
        return "its host cannot be read"
    try:
        has_port = parts.port != 0
    except ValueError:
        has_port = False
    if not has_port:
        return "its port is not a number from 1 to 65535"
    has_more = parts.query or parts.fragment or parts.username is not None
    return "it has more than a host and a port" if has_more else ""
