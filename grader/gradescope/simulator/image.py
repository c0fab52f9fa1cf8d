"""The image that Gradescope builds from a zip; built once for each zip and base."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass

from docker import DockerClient

from grader.errors import EngineUnavailableError, GraderError
from grader.gradescope.simulator.upload import unpacked
from grader.messages import Notify
from grader.resources import resource
from grader.sandbox import building
from grader.sandbox.building import StepFailedError, tar_of
from grader.sandbox.engine import BASE_IMAGE, ensure_base, image_digest

NAME = "iolab-grader-gradescope"
SETUP_STEP = "setup.sh"


@dataclass(frozen=True)
class Image:
    """A built image and its engine."""

    client: DockerClient
    tag: str
    digest: str


def build(upload: bytes, *, base: str = BASE_IMAGE, client: DockerClient, notify: Notify) -> Image:
    """Build the image of a zip as the platform does, unless it exists; `notify` gets one line per step.

    Raises:
        UsageError: the zip cannot be used.
        GraderError: its setup.sh failed; the message has the end of its output.
        EngineUnavailableError: the engine failed, or the base is not available.
    """
    sources = unpacked(upload)
    files = {name: resource("docker", "gradescope", name).read_bytes() for name in ("Dockerfile", "harness.py")}
    tag = _tag(base, *files.values(), upload)
    try:
        digest = image_digest(client, tag)
        if digest is None:
            if base == BASE_IMAGE:
                ensure_base(client, notify)
            building.build(client, sources + tar_of(files), tag, notify, arguments={"BASE": base})
            digest = image_digest(client, tag)
    except StepFailedError as failed:
        raise _failure(failed, base) from failed
    if digest is None:
        raise EngineUnavailableError(f"the engine built {tag} and does not have it")
    return Image(client, tag, digest)


def _tag(base: str, *parts: bytes) -> str:
    hasher = hashlib.sha256(f"{base}\n".encode())
    for part in parts:
        hasher.update(f"{len(part)}\n".encode() + part)
    return f"{NAME}:{hasher.hexdigest()[:12]}"


def _failure(failed: StepFailedError, base: str) -> GraderError:
    if SETUP_STEP in failed.step:
        return GraderError(
            f"the set-up (setup.sh) failed, so the platform would build no image; it said last:\n{failed.output}"
        )
    return EngineUnavailableError(f"no image can be built on {base}:\n{failed.output}")
