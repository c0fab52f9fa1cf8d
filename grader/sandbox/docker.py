"""The sandbox that runs each guest in its own container, which is never reused."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from queue import Empty, SimpleQueue

from docker import DockerClient
from docker.errors import APIError, DockerException, NotFound
from docker.models.containers import Container
from requests.exceptions import RequestException

from grader.errors import EngineUnavailableError, SandboxError
from grader.model.report import Isolation
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.base import Job, Session
from grader.sandbox.container import LABEL, LAYOUT, container_settings
from grader.sandbox.engine import connect, find_image
from grader.sandbox.session import ActiveTransports, GuestSession

log = logging.getLogger(__name__)

ABANDONED_S = 180
"""Age in seconds at which a container that was never started no longer has a grader, on any machine.

From creating a container to starting it takes a second, on a busy engine a few.
"""

RECENT_S = 10
"""Seconds within which a container that is out of memory ends."""

OUT_OF_MEMORY = "the submission used up the memory of its container, and the kernel ended the grader's part in it"

NO_SUCH_CPU = "Requested CPUs are not available"


_ENGINE_TIME = re.compile(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:\d\d)")


class DockerSandbox:
    """Runs guests in containers of one engine and one image."""

    isolation: Isolation = "container"

    def __init__(self, client: DockerClient | None = None) -> None:
        """Use this engine, or by default the one that the `docker` command would use, and its image.

        Raises:
            EngineUnavailableError: no engine answers, or the image is not built.
        """
        self._client = client or connect()
        try:
            digest = find_image(self._client)
            engine = self._client.info()
            self._remove_abandoned(engine_time_s(engine["SystemTime"]))
        except (DockerException, RequestException) as error:
            raise EngineUnavailableError(f"the Docker engine failed: {error}") from error
        if digest is None:
            raise EngineUnavailableError(
                "the runner image is not built; the grader's command `image build` builds it"
            )
        self.image_digest: str | None = digest
        self._image = digest
        self.runner = f"docker {digest}"
        self.cpus = int(engine["NCPU"])
        self._kernel = engine["KernelVersion"]
        self._engine_gives_cpus = True
        self._transports = ActiveTransports()
        self._interrupted = False
        self._finished: SimpleQueue[Container] = SimpleQueue()

    def interrupt(self) -> None:
        """End every running guest; see Sandbox."""
        self._interrupted = True
        self._transports.interrupt()

    def close(self) -> None:
        """Remove our containers that are left, and disconnect from the engine."""
        self._remove_finished()
        self._client.close()

    def _remove_finished(self) -> None:
        """Remove the containers whose work is done; most have ended and are gone by now.

        If one cannot be removed, a warning is enough: all its evidence has been received.
        """
        while True:
            try:
                container = self._finished.get_nowait()
            except Empty:
                return
            problem = remove(container)
            if problem is not None:
                log.warning("%s", problem)

    def identity(self) -> str:
        """Return the runner and the engine's kernel; see Sandbox."""
        return f"{self.runner} {self._kernel}"

    @contextmanager
    def open(self, job: Job, *, slot: int = 0) -> Iterator[Session]:
        """Start a guest on a job; see Sandbox.

        Raises:
            SandboxError: the engine refused, or broke.
        """
        container: Container | None = None
        finished = False
        self._remove_finished()
        try:
            container = self._create(job.plan.processes, slot)
            transport = AttachedTransport(container)
            try:
                container.start()
                with self._transports.including(transport):
                    session = GuestSession(transport, LAYOUT, job)
                    yield session
                    session.end()
                    finished = True
            finally:
                transport.close()
        except (DockerException, RequestException) as error:
            raise SandboxError(f"the Docker engine failed: {error}") from error
        except SandboxError as error:
            if container is not None and not self._interrupted and (why := self._why_ended(container)) is not None:
                raise SandboxError(f"{why} ({error})") from error
            raise
        finally:
            if container is not None and finished:
                self._finished.put(container)
            elif container is not None and (problem := remove(container)) is not None:
                # An exception is on its way, and says more.
                log.warning("%s", problem)

    def _why_ended(self, container: Container) -> str | None:
        """Return why a guest ended before its work was done: no engine, or no memory; None if it was something else.

        The guest itself takes little, and the kernel ends programs before it where it has Landlock, so it was the
        submission that used it. The container is gone by now, but the engine remembers the event for a while.
        """
        wanted = {"container": str(container.id), "event": "oom"}
        try:
            until_s = int(engine_time_s(self._client.info()["SystemTime"])) + 1
            ran_out = any(self._client.events(since=until_s - RECENT_S, until=until_s, filters=wanted, decode=True))
        except (DockerException, RequestException, EngineUnavailableError) as error:
            return f"the Docker engine no longer answers: {error}"
        return OUT_OF_MEMORY if ran_out else None

    def _create(self, processes: int, slot: int) -> Container:
        """Create a container with its own CPU, or without if the engine cannot give it that CPU.

        An engine that is confined to some CPUs, for example inside another container, does not say which.
        """
        cpuset = str(slot % self.cpus) if slot and self._engine_gives_cpus else None
        settings = container_settings(processes, cpuset, self.cpus)
        try:
            return self._client.containers.create(self._image, **settings)
        except APIError as error:
            if cpuset is None or NO_SUCH_CPU not in str(error.explanation):
                raise
        self._engine_gives_cpus = False
        return self._create(processes, slot)

    def _remove_abandoned(self, now_s: float) -> None:
        """Remove the containers of graders that were killed between creating a container and starting it.

        Once started, a container ends by itself when its grader is gone. Until then nothing else removes it. `now_s`
        is the engine's time, which may not be ours.
        """
        never_started: dict[str, str | list[str] | bool] = {"label": f"{LABEL}=runner", "status": "created"}
        for container in self._client.containers.list(all=True, sparse=True, filters=never_started):
            if now_s - container.attrs["Created"] > ABANDONED_S:
                remove(container)


def engine_time_s(text: str) -> float:
    """Return an engine's time as seconds since 1970; it is as in RFC 3339, with up to nine decimals."""
    parts = _ENGINE_TIME.fullmatch(text)
    if parts is None:
        raise EngineUnavailableError(f"the Docker engine has a clock that cannot be read: {text!r}")
    seconds, decimals, zone = parts.groups()
    return datetime.fromisoformat(seconds + zone.replace("Z", "+00:00")).timestamp() + float(decimals or 0)


def remove(container: Container) -> str | None:
    """Remove a container; return the problem if that failed, None if it worked."""
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return None
    except APIError as error:
        # 409: the engine is already removing it, because it has ended.
        removing = error.response is not None and error.response.status_code == 409  # noqa: PLR2004 - HTTP
        return None if removing else f"a container may be left behind: {error}"
    except RequestException as error:
        return f"the engine is gone; the container ends by itself within a minute: {error}"
    return None
