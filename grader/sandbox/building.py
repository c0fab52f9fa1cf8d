"""Building an image from a build context; for all images that the grader builds."""

from __future__ import annotations

import io
import re
import tarfile
from collections.abc import Mapping

from docker import DockerClient

from grader.messages import Notify
from grader.sandbox.engine_faults import engine_faults
from grader.sandbox.engine_watch import EngineWatch

STEP_WIDTH = 76
LAST_LINES = 20

# An engine marks with colours what came over standard error. The other lines are its own.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ENGINES_OWN = ("Step ", " ---> ", "Removing intermediate container ")


class StepFailedError(Exception):
    """A step of a Dockerfile failed: `step` is its line there, `output` the end of what it printed."""

    def __init__(self, step: str, output: str) -> None:
        super().__init__(f"{step}: {output}")
        self.step = step
        self.output = output


def build(
    client: DockerClient,
    context: bytes,
    tag: str,
    notify: Notify,
    *,
    arguments: Mapping[str, str] | None = None,
) -> None:
    """Build the image `tag` of a context (a tar archive); `notify` gets one line per step.

    Raises:
        StepFailedError: a step failed.
        EngineUnavailableError: the engine failed, or does not answer any more.
    """
    with engine_faults():
        EngineWatch(client).result_of(lambda: _build(client, context, tag, notify, arguments or {}))


def _build(client: DockerClient, context: bytes, tag: str, notify: Notify, arguments: Mapping[str, str]) -> None:
    step, log = "", ""
    for event in client.api.build(
        fileobj=io.BytesIO(context),
        custom_context=True,
        buildargs=dict(arguments),
        tag=tag,
        rm=True,
        forcerm=True,
        decode=True,
        # Engines inside other containers often have no bridge. Only our own Dockerfiles are built here.
        network_mode="host",
    ):
        text = str(event.get("stream", ""))
        if text.startswith("Step "):
            step, log = " ".join(text.split()), ""
            notify(step if len(step) <= STEP_WIDTH else f"{step[: STEP_WIDTH - 1]}…")
        log += text
        if "error" in event:
            raise StepFailedError(step, _last_lines(log, str(event["error"])))


def tar_of(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of files, owned by root and readable to all; unpacking it makes their folders."""
    parts = []
    for name, data in files.items():
        entry = tarfile.TarInfo(name)
        entry.size = len(data)
        entry.mode = 0o644
        parts += [entry.tobuf(), data, bytes(-len(data) % tarfile.BLOCKSIZE)]
    return b"".join([*parts, bytes(2 * tarfile.BLOCKSIZE)])


def _last_lines(log: str, error: str) -> str:
    lines = [line for line in _COLOURS.sub("", log).splitlines() if line and not line.startswith(_ENGINES_OWN)]
    return "\n".join([*lines[-LAST_LINES:], error])
