"""The Docker engine: finding it, and the image that guests run in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping

import docker
from docker.context import ContextAPI
from docker.errors import APIError, DockerException, ImageNotFound
from requests.exceptions import RequestException

from grader.cache.entries import files_digest
from grader.errors import EngineUnavailableError, UsageError
from grader.messages import Notify
from grader.resources import resource
from grader.sandbox.building import StepFailedError, build, tar_of
from grader.sandbox.guest_files import guest_files, tally_sources
from grader.sandbox.requirements import MORE_PACKAGES

BASE_IMAGE = "debian:bookworm-slim"
IMAGE_NAME = "iolab-grader-runner"
ANSWER_TIMEOUT_S = 60
SCRIPT_END_S = 30

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def connect() -> docker.DockerClient:
    """Return a client for the engine that the `docker` command would use: DOCKER_HOST, else the current context.

    Raises:
        EngineUnavailableError: no engine answers there.
    """
    try:
        client = docker.from_env(timeout=ANSWER_TIMEOUT_S, environment=_environment())
        client.ping()
    except (DockerException, RequestException) as error:
        raise EngineUnavailableError(f"no Docker engine answers: {_root_cause(error)}") from error
    return client


def _root_cause(error: BaseException) -> str:
    """Return the message of the operating system if there is one: those of the layers above say less."""
    cause: BaseException | None = error
    while cause is not None:
        if isinstance(cause, OSError) and cause.strerror:
            return cause.strerror
        cause = cause.__cause__ or cause.__context__
    return str(error)


def _environment() -> Mapping[str, str]:
    # Docker Desktop listens at the address in its context. The SDK looks only at DOCKER_HOST and the default socket.
    if os.environ.get("DOCKER_HOST"):
        return os.environ
    context = ContextAPI.get_current_context()
    host = context.Host if context is not None else None
    return {**os.environ, "DOCKER_HOST": host} if host else os.environ


def image_context() -> Mapping[str, bytes]:
    """Return the files that the image is built from, by name in the build context."""
    tally = {f"tally/{name}": data for name, data in tally_sources().items()}
    guest = {f"guest/{name}": data for name, data in guest_files().items()}
    packages = "\n".join(_more_packages()).encode("ascii")
    return {"Dockerfile": resource("docker", "Dockerfile").read_bytes(), "packages": packages, **tally, **guest}


def _more_packages() -> list[str]:
    """Return the packages that the image has in addition, by Debian's names.

    Raises:
        UsageError: one is not the name of a package.
    """
    names = os.environ.get(MORE_PACKAGES, "").split()
    for name in names:
        if not _PACKAGE.fullmatch(name):
            raise UsageError(f"{MORE_PACKAGES}: {name!r} is not the name of a Debian package")
    return sorted(set(names))


def image_tag() -> str:
    """Return the image's name with a tag computed from its files: if they change, it is another image."""
    return f"{IMAGE_NAME}:{files_digest(dict(sorted(image_context().items())))[:12]}"


def find_image(client: docker.DockerClient) -> str | None:
    """Return the digest (`sha256:…`) of the image for this version of the grader, None if it is not built."""
    try:
        return str(client.images.get(image_tag()).id)
    except ImageNotFound:
        return None


def build_image(client: docker.DockerClient, notify: Notify) -> str:
    """Build the image, and its base if that is missing; `notify` gets one line per step. Return its digest.

    Raises:
        EngineUnavailableError: a step failed; the message contains the end of its output.
    """
    ensure_base(client, notify)
    try:
        build(client, tar_of(image_context()), image_tag(), notify)
    except StepFailedError as failure:
        raise EngineUnavailableError(f"the image cannot be built: {failure.step}\n{failure.output}") from failure
    except APIError as error:
        raise EngineUnavailableError(f"the image cannot be built: {error}") from error
    return str(client.images.get(image_tag()).id)


def ensure_base(client: docker.DockerClient, notify: Notify) -> None:
    """Make sure that the base image exists: from the registry, or built from Debian's packages.

    Raises:
        EngineUnavailableError: neither works.
    """
    try:
        client.images.get(BASE_IMAGE)
    except ImageNotFound:
        notify(f"the base image {BASE_IMAGE} is not here; getting it")
        bash, cli = shutil.which("bash"), shutil.which("docker")
        if sys.platform == "linux" and bash and cli:
            # The script asks the registry first, and can build the image if none answers.
            _make_base(bash)
        else:
            _pull_base(client)


def _pull_base(client: docker.DockerClient) -> None:
    try:
        client.images.pull(BASE_IMAGE)
    except (DockerException, RequestException) as error:
        raise EngineUnavailableError(f"{BASE_IMAGE} cannot be pulled: {_root_cause(error)}") from error


def _make_base(bash: str) -> None:
    # Its progress goes to our standard error. On Ctrl-C it needs a moment to remove its folder; subprocess.run would
    # kill it.
    script = subprocess.Popen([bash, resource("docker", "make-base.sh")], stdin=subprocess.DEVNULL)
    try:
        status = script.wait()
    except BaseException:
        script.terminate()
        script.wait(SCRIPT_END_S)
        raise
    if status:
        raise EngineUnavailableError(f"{BASE_IMAGE} can be neither pulled nor built; the messages above say why")
