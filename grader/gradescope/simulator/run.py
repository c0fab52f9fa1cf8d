"""A run of an autograder in the image of its zip, as Gradescope would run it."""

from __future__ import annotations

import json
import time
from collections.abc import Mapping
from datetime import datetime, timezone
from pathlib import Path
from typing import Any

from docker.models.containers import Container
from docker.types import LogConfig

from grader.errors import SandboxError
from grader.gradescope.simulator.image import Image
from grader.gradescope.simulator.metadata import metadata as usual_metadata
from grader.gradescope.simulator.outcome import SimulatedRun, outcome
from grader.gradescope.simulator.submission import read_files
from grader.messages import Notify
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.building import tar_of
from grader.sandbox.container import LABEL
from grader.sandbox.docker import remove
from grader.sandbox.engine_faults import engine_faults
from grader.sandbox.engine_watch import EngineWatch

TIMEOUT_S = 600
CPUS = 0.5
MEMORY = "768m"
"""The platform's defaults."""

ANSWER_S = 60
"""Seconds that the harness has after the time limit to write its result."""

ENVIRONMENT = {
    "AUTHENTICATION_TOKEN": "not-for-students",
    "SUBMISSION_URL": "https://gradescope.invalid/programming_assignment_submissions/314159265.json",
    "SUBMIT_RESULTS_URL": "https://gradescope.invalid/programming_assignment_submissions/314159265/submit_results",
    "ASSET_HOST": "https://assets.gradescope.invalid",
    "SSHD_TIMEOUT_WARNING_SECONDS": "300",
}
"""The environment of the platform's container, except for the time limit."""


def run(  # noqa: PLR0913 - what an instructor can choose on the platform, and what the platform knows about a submission
    image: Image,
    submission: Path,
    *,
    notify: Notify,
    metadata: Mapping[str, Any] | bytes | None = None,
    timeout_s: int = TIMEOUT_S,
    cpus: float = CPUS,
    memory: str = MEMORY,
    environment: Mapping[str, str] | None = None,
) -> SimulatedRun:
    """Run a submission, a folder or an archive, with Docker's defaults and no stricter, as the platform does.

    Only the network is missing, because this machine is not thrown away after it ran a student's code. `metadata`
    replaces the default metadata (bytes: as they are). `environment` is added to the platform's environment. `memory`
    is in bytes, or as Docker writes it: 768m.

    Raises:
        UsageError: the submission cannot be read.
        SandboxError: the engine failed.
    """
    files = {f"submission/{path}": data for path, data in read_files(submission, notify).items()}
    if metadata is None:
        metadata = usual_metadata(datetime.now(timezone.utc))
    files["submission_metadata.json"] = (
        metadata if isinstance(metadata, bytes) else json.dumps(metadata).encode("utf-8")
    )
    variables = {**ENVIRONMENT, "TIMEOUT_SECONDS": str(timeout_s), **(environment or {})}
    container: Container | None = None
    try:
        with engine_faults(SandboxError, more=(OSError,)):
            container = image.client.containers.create(image.digest, **_settings(variables, cpus, memory))
            container.put_archive("/autograder", tar_of(files))
            return outcome(*_wait(container, EngineWatch(image.client), timeout_s))
    finally:
        removal_error = remove(container) if container is not None else None
        if removal_error:
            notify(removal_error)


def _settings(environment: Mapping[str, str], cpus: float, memory: str) -> dict[str, Any]:
    return {
        # Lets DockerSandbox find and remove a container that a killed grader created and never started.
        "labels": {LABEL: "runner"},
        "environment": dict(environment),
        "stdin_open": True,  # the harness ends when the grader is gone, because its input ends
        "auto_remove": True,
        "log_config": LogConfig(type="none"),
        "network_mode": "none",
        "nano_cpus": int(cpus * 1e9),
        # The sum of memory and swap: so there is no swap.
        "mem_limit": memory,
        "memswap_limit": memory,
    }


def _wait(container: Container, watch: EngineWatch, timeout_s: float) -> tuple[bytes, str, float]:
    """Start the container; return the harness's standard output and standard error, and how long it took.

    Raises:
        SandboxError: it did not end in time.
    """
    transport = AttachedTransport(container, watch)
    try:
        start = time.monotonic()
        container.start()
        output = bytearray()
        while data := transport.receive(max(0.1, start + timeout_s + ANSWER_S - time.monotonic())):
            output += data
        return bytes(output), transport.stderr_text(), time.monotonic() - start
    except TimeoutError as error:
        raise SandboxError(f"the harness did not answer within {ANSWER_S} s after the time limit") from error
    finally:
        transport.close()
