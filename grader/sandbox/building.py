"""An image from a build context, step by step; for all images that the grader has an engine make."""

from __future__ import annotations

import io
import re
from collections.abc import Mapping

from docker import DockerClient

from grader.messages import Notify

STEP_WIDTH = 76
LAST_LINES = 20

# With which an engine marks what came over standard error; and what it says itself.
_COLOURS = re.compile(r"\x1b\[[0-9;]*m")
_ENGINES_OWN = ("Step ", " ---> ", "Removing intermediate container ")


class StepFailedError(Exception):
    """A step of a Dockerfile failed: `step` as it stands there, `said` the end of what it printed."""

    def __init__(self, step: str, said: str) -> None:
        """Keep both: whose fault it is, who asked for the image knows."""
        super().__init__(f"{step}: {said}")
        self.step = step
        self.said = said


def build(
    client: DockerClient,
    context: bytes,
    tag: str,
    notify: Notify,
    *,
    arguments: Mapping[str, str] | None = None,
) -> None:
    """Build the image `tag` of a context (a tar archive); `notify` gets a line a step.

    Raises:
        StepFailedError: a step failed.
        DockerException, RequestException: the engine did.
    """
    step, log = "", ""
    for event in client.api.build(
        fileobj=io.BytesIO(context),
        custom_context=True,
        buildargs=dict(arguments or {}),
        tag=tag,
        rm=True,
        forcerm=True,
        decode=True,
        # Engines inside other containers often have no bridge; and only our own Dockerfiles run here.
        network_mode="host",
    ):
        text = str(event.get("stream", ""))
        if text.startswith("Step "):
            step, log = " ".join(text.split()), ""
            notify(step if len(step) <= STEP_WIDTH else f"{step[: STEP_WIDTH - 1]}…")
        log += text
        if "error" in event:
            raise StepFailedError(step, _end(log, str(event["error"])))


def _end(log: str, error: str) -> str:
    lines = [line for line in _COLOURS.sub("", log).splitlines() if line and not line.startswith(_ENGINES_OWN)]
    return "\n".join([*lines[-LAST_LINES:], error])
