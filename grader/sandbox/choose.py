"""Which sandbox a run uses."""

from __future__ import annotations

from typing import Literal

from grader.errors import EngineUnavailableError, UsageError
from grader.machine_folders import runs_as_root
from grader.messages import Notify
from grader.sandbox.base import Sandbox
from grader.sandbox.requirements import require_all

SandboxChoice = Literal["auto", "docker", "local"]


def choose_sandbox(choice: SandboxChoice, notify: Notify) -> Sandbox:
    """Return the chosen sandbox; `auto` is Docker, and never silently anything less.

    The image is built first if it is missing; `notify` gets one line per step.

    Raises:
        EngineUnavailableError: the chosen sandbox is not available.
        UsageError: the choice is `auto`, and no engine answers.
    """
    if choice == "local":
        return local_sandbox()
    # Imported here because the Docker SDK takes a sixth of a second, and most runs of `grader check` need none.
    from grader.sandbox.docker import DockerSandbox  # noqa: PLC0415
    from grader.sandbox.engine import build_image, connect, find_image  # noqa: PLC0415

    try:
        client = connect()
    except EngineUnavailableError as error:
        if choice == "docker":
            raise
        rights = "under a uid of their own" if runs_as_root() else "with all your rights"
        raise UsageError(
            f"{error}\nSubmissions are other people's programs, so they are not run without a container unless you"
            f" say so: start Docker, or add --sandbox local to run them on this machine {rights}."
        ) from error
    if find_image(client) is None:
        notify("building the runner image (once)")
        build_image(client, notify)
    return DockerSandbox(client)


def local_sandbox() -> Sandbox:
    """Return the sandbox without a container.

    Raises:
        EngineUnavailableError: this is not Linux, or something is missing; the message says what to do.
    """
    require_all()
    # Imported here because it needs modules that Python has only on Linux, and Docker works elsewhere too.
    from grader.sandbox.local import LocalSandbox  # noqa: PLC0415

    return LocalSandbox()
