"""The sandbox in a container: one container a submission, never used again."""

from __future__ import annotations

import io
import socket
import struct
import tarfile
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from typing import Any

from docker import DockerClient
from docker.errors import APIError, DockerException, NotFound
from docker.models.containers import Container
from docker.types import LogConfig, Mount, Ulimit
from requests.exceptions import RequestException

from grader.errors import EngineUnavailableError, SandboxError
from grader.model.plan import Places, Plan, Student
from grader.model.report import Isolation
from grader.sandbox.base import Job, Session
from grader.sandbox.engine import connect, find_image
from grader.sandbox.guest_files import guest_command, guest_files
from grader.sandbox.session import AtWork, GuestSession

# Not one of the local sandbox's: on a host where both are at work, that one ends all that runs under its uid.
STUDENT = Student(uid=60500, gid=60500)
LABEL = "iolab-grader"
MEMORY = "768m"
GUEST_PROCESSES = 32
"""Room in the container's limit for init, the guest, strace and the compiler, beside the student's."""

PLACES = Places(
    job_dir="/job",
    work_dir="/work",
    scratch_dir="/scratch",
    tally="/usr/local/bin/tally",
    student=STUDENT,
    in_container=True,
    # RLIMIT_NPROC would count the same uid's processes in other containers; the pids cgroup counts ours.
    limit_processes=False,
)
ABANDONED_S = 3600
"""A container that was made so long ago and never started has no grader any more."""

FRAME_HEADER = struct.Struct(">BxxxL")
STDOUT_FRAME = 1


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
            _remove_abandoned(self._client)
        except (DockerException, RequestException) as error:
            raise EngineUnavailableError(f"the Docker engine failed: {error}") from error
        if digest is None:
            raise EngineUnavailableError("the runner image is not built; run: grader image build")
        self.image_digest: str | None = digest
        self._image = digest
        self._cpus = int(engine["NCPU"])
        self._kernel = engine["KernelVersion"]
        self._shared: tuple[Mapping[str, bytes], bytes] | None = None
        self._at_work = AtWork()

    def interrupt(self) -> None:
        """End every guest at work; see Sandbox."""
        self._at_work.interrupt()

    def close(self) -> None:
        """Close the connection to the engine."""
        self._client.close()

    def identity(self) -> str:
        """Return the image and the engine's kernel, which outputs and counts depend on."""
        return f"docker {self._image} {self._kernel}"

    @contextmanager
    def open(self, job: Job, *, slot: int = 0) -> Iterator[Session]:
        """Start a guest on a job; see Sandbox.

        Raises:
            SandboxError: the engine refused, or broke.
        """
        container: Container | None = None
        try:
            container = self._client.containers.create(
                self._image, **container_settings(job.work.processes, self._cpuset(slot), self._cpus)
            )
            container.put_archive("/job", self._shared_archive(job.inputs))
            container.put_archive("/job", _archive({f"sources/{name}": data for name, data in job.sources.items()}))
            transport = AttachedTransport(container)
            try:
                container.start()
                with self._at_work.including(transport):
                    session = GuestSession(transport, Plan(places=PLACES, work=job.work))
                    yield session
                    session.end()
            finally:
                transport.close()
        except (DockerException, RequestException) as error:
            raise SandboxError(f"the Docker engine failed: {error}") from error
        finally:
            if container is not None:
                _remove(container)

    def _cpuset(self, slot: int) -> str | None:
        return str(slot % self._cpus) if slot else None

    def _shared_archive(self, inputs: Mapping[str, bytes]) -> bytes:
        """Return what is the same for all submissions, made once."""
        if self._shared is None or self._shared[0] is not inputs:
            files = {f"lib/guest/{name}": data for name, data in guest_files().items()}
            files |= {f"inputs/{name}": data for name, data in inputs.items()}
            self._shared = (inputs, _archive(files))
        return self._shared[1]


def container_settings(processes: int, cpuset: str | None, cpus: int) -> dict[str, Any]:
    """Return the arguments of `containers.create`: each is there for a danger (docs/isolation.md has the list)."""
    return {
        "command": guest_command("python3", "/job/lib"),
        "stdin_open": True,  # its end is how the guest learns that the grader is gone
        "user": "0:0",
        "working_dir": "/",
        "environment": {},
        "labels": {LABEL: "runner"},
        # An init reaps what students orphan, or their zombies would fill the process limit.
        "init": True,
        # Gone when it ends, even if nobody is left to remove it.
        "auto_remove": True,
        # No way out: no network, no shared memory with others, no device, nothing of the host.
        "network_mode": "none",
        "ipc_mode": "none",
        "log_config": LogConfig(type="none"),
        # No rights beyond what splitting off the student's uid takes.
        "cap_drop": ["ALL"],
        "cap_add": ["SETUID", "SETGID", "KILL"],
        "security_opt": ["no-new-privileges"],
        # Nothing to write to but two folders in memory: one for the guest alone, one for students.
        "read_only": True,
        "tmpfs": {
            "/work": "rw,exec,nosuid,nodev,size=256m,nr_inodes=4096,mode=0755",
            "/scratch": "rw,exec,nosuid,nodev,size=128m,nr_inodes=4096,mode=0755",
        },
        # An anonymous volume is where the API can put files although the root is read only.
        "mounts": [Mount(target="/job", source=None, type="volume")],
        # As much swap as memory, in sum: none. Unset, it would be twice the memory.
        "mem_limit": MEMORY,
        "memswap_limit": MEMORY,
        # If the host runs out of memory all the same, this goes first.
        "oom_score_adj": 500,
        "pids_limit": processes + GUEST_PROCESSES,
        "nano_cpus": min(2, cpus) * 1_000_000_000,
        "cpuset_cpus": cpuset,
        "ulimits": [Ulimit(name="core", soft=0, hard=0), Ulimit(name="nofile", soft=256, hard=256)],
    }


class AttachedTransport:
    """The standard streams of a container, over the connection that attaches to it."""

    def __init__(self, container: Container) -> None:
        """Attach; done before the start, so that no output is missed."""
        streams = {"stdin": 1, "stdout": 1, "stderr": 1, "stream": 1, "logs": 0}
        self._attached: Any = container.attach_socket(params=streams)
        # For a plain or TLS connection the SDK hands out a file over the socket; what we need is the socket.
        self._socket: Any = getattr(self._attached, "_sock", self._attached)
        self._received = bytearray()
        self._stderr = bytearray()

    def send(self, data: bytes) -> None:
        """Write to the guest; see Transport."""
        self._socket.settimeout(None)
        self._socket.sendall(data)

    def receive(self, timeout_s: float) -> bytes:
        """Read from the guest; see Transport. Frames of standard error are kept for last_words."""
        self._socket.settimeout(timeout_s)
        while True:
            frame = self._frame()
            if frame is None:
                return b""
            stream, payload = frame
            if stream == STDOUT_FRAME:
                return payload
            self._stderr += payload[:4096]

    def _frame(self) -> tuple[int, bytes] | None:
        """Return (stream, payload) of the next frame, None at the end; a frame cut short is an end as well."""
        if not self._have(FRAME_HEADER.size):
            return None
        stream, size_bytes = FRAME_HEADER.unpack_from(self._received)
        end = FRAME_HEADER.size + size_bytes
        if not self._have(end):
            return None
        # Taken only when it is whole: a timeout before that leaves its beginning for the next call.
        payload = bytes(self._received[FRAME_HEADER.size : end])
        del self._received[:end]
        return stream, payload

    def _have(self, size_bytes: int) -> bool:
        while len(self._received) < size_bytes:
            data = self._socket.recv(1 << 16)
            if not data:
                return False
            self._received += data
        return True

    def last_words(self) -> str:
        """Return the guest's standard error; see Transport."""
        return self._stderr.decode("utf-8", "replace")

    def interrupt(self) -> None:
        """Break the connection; see Transport."""
        # It may be broken already.
        with suppress(OSError):
            self._socket.shutdown(socket.SHUT_RDWR)

    def close(self) -> None:
        """Close the connection, which ends the guest's input."""
        self._attached.close()
        self._socket.close()


def _archive(files: Mapping[str, bytes]) -> bytes:
    """Return a tar of files, root's and readable to all; folders on their way are made by whoever unpacks it."""
    buffer = io.BytesIO()
    with tarfile.open(fileobj=buffer, mode="w") as tar:
        for name, data in files.items():
            entry = tarfile.TarInfo(name)
            entry.size = len(data)
            entry.mode = 0o644
            tar.addfile(entry, io.BytesIO(data))
    return buffer.getvalue()


def _remove(container: Container) -> None:
    try:
        container.remove(force=True, v=True)
    except NotFound:
        return
    except APIError as error:
        # 409: the engine is removing it already, because it has ended.
        if error.response is None or error.response.status_code != 409:  # noqa: PLR2004 - an HTTP status
            raise SandboxError(f"a container may be left behind: {error}") from error
    except RequestException as error:
        raise SandboxError(f"the engine is gone; the container ends by itself within a minute: {error}") from error


def _remove_abandoned(client: DockerClient) -> None:
    """Remove what graders left that were killed after they had made a container and before they started it.

    Once started, a container ends by itself when its grader is gone.
    """
    wanted: dict[str, str | list[str] | bool] = {"label": f"{LABEL}=runner", "status": "created"}
    for container in client.containers.list(all=True, sparse=True, filters=wanted):
        if time.time() - container.attrs["Created"] > ABANDONED_S:
            _remove(container)
