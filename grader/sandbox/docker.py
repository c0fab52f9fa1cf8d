"""The sandbox that runs each guest in its own container, which is never reused."""

from __future__ import annotations

import logging
import re
import time
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime
from queue import Empty, SimpleQueue

from docker import DockerClient
from docker.errors import APIError, NotFound
from docker.models.containers import Container

from grader.errors import EngineUnavailableError, SandboxError
from grader.model.report import Isolation
from grader.sandbox.attached import AttachedTransport
from grader.sandbox.base import Job, Session
from grader.sandbox.container import LABEL, LAYOUT, container_settings
from grader.sandbox.engine import connect, find_image
from grader.sandbox.engine_faults import ENGINE_FAULTS, engine_faults, fault_words, is_timeout
from grader.sandbox.engine_watch import EngineWatch, ping_problem
from grader.sandbox.session import ActiveTransports, guest_session

log = logging.getLogger(__name__)

ABANDONED_S = 180
"""Age in seconds at which a container that was never started no longer has a grader, on any machine.

From creating a container to starting it takes a second, on a busy engine a few.
"""

GIVEN_UP_S = 60
"""Seconds for which an engine that did not answer is not asked again.

Otherwise each submission of a class would wait for it.
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
        with engine_faults():
            digest = find_image(self._client)
            engine = self._client.info()
            self._remove_abandoned(engine_time_s(engine["SystemTime"]))
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
        self._given_up_at: float | None = None

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
        while self._given_up_at is None:
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
        self._require_engine()
        self._remove_finished()
        try:
            container = self._create(job.plan.processes, slot)
            transport = AttachedTransport(container, EngineWatch(self._client))
            try:
                container.start()
                with self._transports.including(transport), guest_session(transport, LAYOUT, job) as session:
                    yield session
                finished = True
            finally:
                transport.close()
        except ENGINE_FAULTS as error:
            if is_timeout(error) and (problem := ping_problem(self._client)) is not None:
                raise self._given_up(f"the Docker engine does not answer: {problem}") from error
            raise SandboxError(f"the Docker engine failed: {fault_words(error)}") from error
        except EngineUnavailableError as error:
            raise self._given_up(str(error)) from error
        except SandboxError as error:
            if container is not None and not self._interrupted and (why := self._why_ended(container)) is not None:
                raise SandboxError(f"{why} ({error})") from error
            raise
        finally:
            if container is not None and finished:
                self._finished.put(container)
            elif container is not None and self._given_up_at is None and (problem := remove(container)) is not None:
                # An exception is on its way, and says more.
                log.warning("%s", problem)

    def _given_up(self, why: str) -> EngineUnavailableError:
        """Note that the engine does not answer; return the error to raise. Its guests end themselves."""
        self._given_up_at = time.monotonic()
        return EngineUnavailableError(why)

    def _require_engine(self) -> None:
        """Make sure that an engine that did not answer is back.

        Raises:
            EngineUnavailableError: it is not, or was asked a short time ago.
        """
        if self._given_up_at is None:
            return
        if time.monotonic() - self._given_up_at < GIVEN_UP_S:
            raise EngineUnavailableError("the Docker engine did not answer a short time ago")
        if (problem := ping_problem(self._client)) is not None:
            raise self._given_up(f"the Docker engine still does not answer: {problem}")
        self._given_up_at = None

    def _why_ended(self, container: Container) -> str | None:
        """Return why a guest ended before its work was done: no engine, or no memory; None if it was something else.

        The guest itself takes little, and the kernel ends programs before it where it has Landlock, so it was the
        submission that used it. The container is gone by now, but the engine remembers the event for a while.
        """
        wanted = {"container": str(container.id), "event": "oom"}
        try:
            with engine_faults(what="the Docker engine no longer answers"):
                until_s = int(engine_time_s(self._client.info()["SystemTime"])) + 1
                since_s = until_s - RECENT_S
                ran_out = EngineWatch(self._client).result_of(
                    lambda: any(self._client.events(since=since_s, until=until_s, filters=wanted, decode=True))
                )
        except EngineUnavailableError as error:
            # An engine that restarts refuses connections instead, and is back soon.
            if is_timeout(error):
                self._given_up(str(error))
            return str(error)
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
    except ENGINE_FAULTS as error:
        return f"the engine is gone; the container ends by itself within a minute: {fault_words(error)}"
    return None
