"""The sandbox without a container: for a student's own machine, and inside somebody else's container.

If the grader is root, student code runs under its own uid, which cannot touch the grader's files and processes
(isolation `uid`). Otherwise it runs as the same user, within limits but with all rights of that user (isolation
`none`), so it must be the user's own code.
"""

from __future__ import annotations

import os
import py_compile
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.model.plan import SandboxLayout, StudentUser
from grader.model.report import Isolation
from grader.sandbox.base import Job, Session
from grader.sandbox.compiled import find_compiler, put_tally
from grader.sandbox.guest_files import guest_command, guest_digest, guest_files
from grader.sandbox.local_uid import chosen_uid, random_uid
from grader.sandbox.process import ProcessTransport
from grader.sandbox.session import ActiveTransports, guest_session
from grader.sandbox.temporary import (
    locked_folder,
    naming_the_full_disk,
    require_space,
    require_writable,
    temporary_folder,
)

SPARE_BYTES = 4 << 20
"""More than compiling tally and the guest's files need."""


@dataclass(frozen=True)
class HostEnvironment:
    """What the sandbox runs in: a machine, or somebody else's container that nobody else uses.

    `in_container`: the memory counters are about us. `scratch` is the folder that programs may write to; None: one
    next to our other temporary files.
    """

    in_container: bool = False
    scratch: Path | None = None

    def uid(self) -> AbstractContextManager[int]:
        """Reserve a uid for student code."""
        return random_uid() if self.in_container else chosen_uid()


ON_A_MACHINE = HostEnvironment()


class LocalSandbox:
    """Runs guests as child processes, each in a temporary folder of its own."""

    image_digest: str | None = None

    def __init__(self, host: HostEnvironment = ON_A_MACHINE) -> None:
        """Get tally, compiled with the compiler that compiles submissions.

        Raises:
            EngineUnavailableError: there is no compiler, or it does not compile tally.
            NoTemporaryFolderError: programs can be started from no folder for temporary files.
            SandboxError: programs cannot write to the folder that the host has for them.
        """
        if host.scratch is not None:
            require_writable(host.scratch)
        compiler = find_compiler()
        self.runner = f"local {compiler.name} {guest_digest()}"
        self._host = host
        self._splits_uid = os.geteuid() == 0
        self.isolation: Isolation = "uid" if self._splits_uid else "none"
        self._closing = ExitStack()
        base = self._base = self._closing.enter_context(locked_folder("iolab-grader-"))
        # Student code under its own uid must pass through, but not list the folder: its names cannot be guessed.
        self._mode = 0o711 if self._splits_uid else 0o700
        base.chmod(self._mode)
        self._tally = base / "tally"
        try:
            with naming_the_full_disk(base):
                require_space(base, SPARE_BYTES)
                put_tally(self._tally, compiler)
                _put_guest(base)
        except BaseException:
            self._closing.close()
            raise
        self.cpus = len(os.sched_getaffinity(0))
        self._transports = ActiveTransports()

    def interrupt(self) -> None:
        """End every running guest; see Sandbox."""
        self._transports.interrupt()

    def close(self) -> None:
        """Remove the temporary folder."""
        self._closing.close()

    def identity(self) -> str:
        """Return the runner and the kernel; see Sandbox."""
        return f"{self.runner} {os.uname().release}"

    @contextmanager
    def open(self, job: Job, *, slot: int = 0) -> Iterator[Session]:
        """Start a guest on a job; see Sandbox.

        Raises:
            SandboxError: the guest could not be started.
        """
        base = self._base
        with ExitStack() as stack:
            folder = stack.enter_context(temporary_folder("job-", base))
            scratch = stack.enter_context(temporary_folder("iolab-grader-", self._host.scratch or folder))
            uid = stack.enter_context(self._host.uid()) if self._splits_uid else None
            with naming_the_full_disk(base):
                layout = self._make_layout(folder, scratch, uid)
            cpus = sorted(os.sched_getaffinity(0))
            transport = ProcessTransport(
                guest_command(sys.executable, str(base / "lib")),
                cpu=cpus[slot % len(cpus)] if slot else None,
                folder=folder,
            )
            try:
                with self._transports.including(transport), guest_session(transport, layout, job) as session:
                    yield session
            finally:
                transport.close()

    def _make_layout(self, folder: Path, scratch: Path, uid: int | None) -> SandboxLayout:
        for own in (folder, scratch):
            own.chmod(self._mode)
            # Every uid can see this path in command lines, but other guests' uids must not read what is there. Root
            # in a container may lack the right to change a folder's group.
            if uid is not None and not self._host.in_container:
                with suppress(PermissionError):
                    os.chown(own, -1, uid)
                    own.chmod(0o710)
        work = folder / "work"
        work.mkdir()
        # Students' uids must be able to pass through and read, whatever the umask.
        work.chmod(0o755)
        return SandboxLayout(
            work_dir=str(work),
            scratch_dir=str(scratch),
            tally=str(self._tally),
            student=None if uid is None else StudentUser(uid=uid, gid=uid),
            in_container=self._host.in_container,
            process_limit="all" if self._splits_uid else "more",
        )


def _put_guest(base: Path) -> None:
    """Copy the guest, so that all submissions of a run get the same one, even if another is installed meanwhile.

    The guest runs with our rights, so no student's uid must be able to write to it, whatever the umask.
    """
    folder = base / "lib" / "guest"
    bytecode = folder / "__pycache__"
    for made in (folder.parent, folder, bytecode):
        made.mkdir()
        made.chmod(0o755)
    for name, data in guest_files().items():
        path = folder / name
        path.write_bytes(data)
        path.chmod(0o644)
        # A guest writes nothing here, so each would compile the modules again. They do not change.
        compiled = bytecode / f"{path.stem}.{sys.implementation.cache_tag}.pyc"
        py_compile.compile(
            str(path), str(compiled), doraise=True, invalidation_mode=py_compile.PycInvalidationMode.UNCHECKED_HASH
        )
        compiled.chmod(0o644)
