"""The sandbox in a container: one for each guest, never used again."""

from __future__ import annotations

import logging
import time
from collections.abc import Iterator
from contextlib import contextmanager
from queue import Empty, SimpleQueue

from docker import DockerClient
from docker.errors import APIError, DockerException, NotFound
from docker.models.containers import Container
from requests.exceptions import RequestException

from grader.errors import EngineUnavailableError, SandboxError
from grader.model.report import Isolation
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.base import Job, Session
from grader.sandbox.container import LABEL, PLACES, container_settings
from grader.sandbox.engine import connect, find_image
from grader.sandbox.session import ActiveTransports, GuestSession

log = logging.getLogger(__name__)

ABANDONED_S = 3600
"""Age in seconds at which a container that was never started no longer has a grader, on any machine.

From creating a container to starting it takes seconds.
"""

NO_SUCH_CPU = "Requested CPUs are not available"


class DockerSandbox:
    """Runs guests in containers of one engine and one image."""

    isolation: Isolation = "container"

    def __init__(self, client: DockerClient | None = None) -> None:
        """Use this engine, else the one that the `docker` command would use, and its image.

        Raises:
            EngineUnavailableError: no engine answers, or the image is not built.
        """
        self._client = client or connect()
        try:
            digest = find_image(self._client)
            engine = self._client.info()
            self._remove_abandoned()
        except (DockerException, RequestException) as error:
            raise EngineUnavailableError(f"the Docker engine failed: {error}") from error
        if digest is None:
            raise EngineUnavailableError("the runner image is not built; run: grader image build")
        self.image_digest: str | None = digest
        self._image = digest
        self.runner = f"docker {digest}"
        self.cpus = int(engine["NCPU"])
        self._kernel = engine["KernelVersion"]
        self._gives_cpus = True
        self._at_work = ActiveTransports()
        self._ending: SimpleQueue[Container] = SimpleQueue()

    def interrupt(self) -> None:
        """End every guest at work; see Sandbox."""
        self._at_work.interrupt()

    def close(self) -> None:
        """Make sure that no container of ours is left; let go of the engine."""
        self._see_off()
        self._client.close()

    def _see_off(self) -> None:
        """Remove the containers whose work was done; most are gone by themselves, and were not waited for.

        Trouble with that is told and costs nobody a grade: all evidence is at hand.
        """
        while True:
            try:
                container = self._ending.get_nowait()
            except Empty:
                return
            trouble = remove(container)
            if trouble:
                log.warning("%s", trouble)

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
        self._see_off()
        try:
            container = self._create(job.work.processes, slot)
            transport = AttachedTransport(container)
            try:
                container.start()
                with self._at_work.including(transport):
                    session = GuestSession(transport, PLACES, job)
                    yield session
                    session.end()
                    finished = True
            finally:
                transport.close()
        except (DockerException, RequestException) as error:
            raise SandboxError(f"the Docker engine failed: {error}") from error
        finally:
            if container is not None and finished:
                self._ending.put(container)
            elif container is not None and (trouble := remove(container)):
                raise SandboxError(trouble)

    def _create(self, processes: int, slot: int) -> Container:
        """Make a container with a CPU of its own; where that is not the engine's to give, without.

        An engine that is confined to some CPUs, inside another container for instance, does not say which.
        """
        cpuset = str(slot % self.cpus) if slot and self._gives_cpus else None
        settings = container_settings(processes, cpuset, self.cpus)
        try:
            return self._client.containers.create(self._image, **settings)
        except APIError as error:
            if cpuset is None or NO_SUCH_CPU not in str(error.explanation):
                raise
        self._gives_cpus = False
        return self._create(processes, slot)

    def _remove_abandoned(self) -> None:
        """Remove the containers of graders that were killed between creating a container and starting it.

        Once started, a container ends by itself when its grader is gone. Until then nothing else removes it.
        """
        never_started: dict[str, str | list[str] | bool] = {"label": f"{LABEL}=runner", "status": "created"}
        for container in self._client.containers.list(all=True, sparse=True, filters=never_started):
            if time.time() - container.attrs["Created"] > ABANDONED_S:
                remove(container)


def remove(container: Container) -> str | None:
    """Remove a container; return what was in the way, None where nothing was."""
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return None
    except APIError as error:
        # 409: the engine is removing it already, because it has ended.
        removing = error.response is not None and error.response.status_code == 409  # noqa: PLR2004 - HTTP
        return None if removing else f"a container may be left behind: {error}"
    except RequestException as error:
        return f"the engine is gone; the container ends by itself within a minute: {error}"
    return None
