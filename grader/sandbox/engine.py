"""The Docker engine: finding it, and the image that guests run in."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
import sys
import warnings
from collections.abc import Mapping
from contextlib import closing

import docker
from docker.constants import MINIMUM_DOCKER_API_VERSION
from docker.errors import ImageNotFound
from requests.exceptions import InvalidHeader
from urllib3.exceptions import InsecureRequestWarning

from grader.cache.entries import files_digest
from grader.errors import EngineUnavailableError, GraderError, UsageError
from grader.messages import Notify
from grader.resources import resource
from grader.sandbox.building import StepFailedError, build, tar_of
from grader.sandbox.engine_address import EngineAddress, config_problem, engine_address, ssh_problem
from grader.sandbox.engine_faults import ANSWER_TIMEOUT_S, engine_faults
from grader.sandbox.engine_watch import ASK_EVERY_S, EngineWatch, limit_whole_answers
from grader.sandbox.guest_files import guest_files, tally_sources
from grader.sandbox.registry_credentials import AvailableCredentials
from grader.sandbox.requirements import MORE_PACKAGES

BASE_IMAGE = "debian:bookworm-slim"
IMAGE_NAME = "iolab-grader-runner"
SCRIPT_END_S = 30

_PACKAGE = re.compile(r"[a-z0-9][a-z0-9+.-]+")


def connect() -> docker.DockerClient:
    """Return a client for the engine that the `docker` command would use (decision 0104).

    Raises:
        EngineUnavailableError: no engine answers there.
    """
    address = engine_address(os.environ)
    try:
        with (
            engine_faults(what=f"no Docker engine answers at {address.words}"),
            closing(_client(address, MINIMUM_DOCKER_API_VERSION)) as first,
        ):
            answer = first.version(api_version=False)
        if isinstance(answer, dict) and isinstance(version := answer.get("ApiVersion"), str):
            return _client(address, version)
    except GraderError as error:
        # Headers are not looked at before they are sent.
        problem = config_problem(os.environ) if isinstance(error.__cause__, InvalidHeader) else None
        if problem is None:
            raise
        raise EngineUnavailableError(problem) from error
    except Exception as error:
        raise EngineUnavailableError(
            config_problem(os.environ)
            or f"Docker's settings cannot be used ({error!r}): correct config.json in DOCKER_CONFIG or ~/.docker"
        ) from error
    raise EngineUnavailableError(f"what answers at {address.words} is not a Docker engine")


def _client(address: EngineAddress, version: str) -> docker.DockerClient:
    """Return a client, without sending anything.

    Raises:
        EngineUnavailableError: the user's settings cannot be used.
    """
    try:
        client = docker.DockerClient(
            base_url=address.url, version=version, timeout=ANSWER_TIMEOUT_S, tls=address.tls or False
        )
    except Exception as error:
        # The SDK reads the user's whole configuration, and fails in many ways if it is not as expected.
        problem = ssh_problem(address) or config_problem(os.environ)
        if problem is None:
            raise
        raise EngineUnavailableError(problem) from error
    # Proxies and certificates for the web are not for an engine: `docker run` connects directly, too.
    client.api.trust_env = False
    # The SDK has no setting for this.
    client.api._auth_configs = AvailableCredentials(client.api._auth_configs)  # type: ignore[attr-defined]  # noqa: SLF001
    limit_whole_answers(client)
    if address.tls is not None and not address.tls.verify:
        # The user has asked for it, and it would be repeated for each request.
        warnings.simplefilter("ignore", InsecureRequestWarning)
    return client


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
    """Return the digest (`sha256:…`) of the image for this version of the grader, None if it is not built.

    Raises:
        EngineUnavailableError: the engine failed.
    """
    return image_digest(client, image_tag())


def image_digest(client: docker.DockerClient, tag: str) -> str | None:
    """Return the digest of an image, None if the engine does not have it.

    Raises:
        EngineUnavailableError: the engine failed.
    """
    with engine_faults():
        try:
            return str(client.images.get(tag).id)
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
    digest = find_image(client)
    if digest is None:
        raise EngineUnavailableError(f"the engine built {image_tag()} and does not have it")
    return digest


def ensure_base(client: docker.DockerClient, notify: Notify) -> None:
    """Make sure that the base image exists: from the registry, or built from Debian's packages.

    Raises:
        EngineUnavailableError: neither works.
    """
    if image_digest(client, BASE_IMAGE) is not None:
        return
    notify(f"the base image {BASE_IMAGE} is not here; getting it")
    bash, cli = shutil.which("bash"), shutil.which("docker")
    if sys.platform == "linux" and bash and cli:
        # The script asks the registry first, and can build the image if none answers.
        _make_base(bash, client)
    else:
        with engine_faults(what=f"{BASE_IMAGE} cannot be pulled"):
            EngineWatch(client).result_of(lambda: client.images.pull(BASE_IMAGE))


def _make_base(bash: str, client: docker.DockerClient) -> None:
    # Its progress goes to our standard error. On Ctrl-C it needs a moment to remove its folder; subprocess.run would
    # kill it.
    script = subprocess.Popen([bash, resource("docker", "make-base.sh")], stdin=subprocess.DEVNULL)
    watch = EngineWatch(client)
    try:
        while (status := _ended(script)) is None:
            watch.require_answer()
    except BaseException:
        script.terminate()
        script.wait(SCRIPT_END_S)
        raise
    if status:
        raise EngineUnavailableError(f"{BASE_IMAGE} can be neither pulled nor built; the messages above say why")


def _ended(script: subprocess.Popen[bytes]) -> int | None:
    """Wait for a while; return the exit status of a script that has ended."""
    try:
        return script.wait(ASK_EVERY_S)
    except subprocess.TimeoutExpired:
        return None
