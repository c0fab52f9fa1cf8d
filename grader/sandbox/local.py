"""The sandbox without a container: for a student's own machine, and inside somebody else's container.

As root, student code runs under a uid of its own, which keeps it from the grader's files and processes
(isolation `uid`). As an ordinary user it runs as that user, within limits but with all that user's rights
(isolation `none`): for one's own code only.
"""

from __future__ import annotations

import os
import sys
from collections.abc import Iterator
from contextlib import AbstractContextManager, ExitStack, contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path

from grader.model.plan import SandboxLayout, Student
from grader.model.report import Isolation
from grader.sandbox.base import Job, Session
from grader.sandbox.compiled import find_compiler, put_tally
from grader.sandbox.guest_files import guest_command, guest_digest, guest_files
from grader.sandbox.local_uid import random_uid, reserved_uid
from grader.sandbox.process import ProcessTransport
from grader.sandbox.session import ActiveTransports, GuestSession
from grader.sandbox.temporary import expect_space, naming_what_is_full, temporary_folder

SPARE_BYTES = 4 << 20
"""More than it takes to compile tally, and the guest's own files."""


@dataclass(frozen=True)
class HostEnvironment:
    """What the sandbox runs in: a machine, or somebody else's container that is ours alone.

    `in_container`: its memory counters are about us. `scratch` is where programs may write, None: beside the other
    temporary files.
    """

    in_container: bool = False
    scratch: Path | None = None

    def uid(self) -> AbstractContextManager[int]:
        """Have a uid for student code."""
        return random_uid() if self.in_container else reserved_uid()


ON_A_MACHINE = HostEnvironment()


class LocalSandbox:
    """Runs guests as child processes, each in a temporary folder of its own."""

    image_digest: str | None = None

    def __init__(self, surroundings: HostEnvironment = ON_A_MACHINE) -> None:
        """Have tally, compiled with the compiler that compiles submissions.

        Raises:
            EngineUnavailableError: there is none, or it does not compile tally.
        """
        compiler = find_compiler()
        self.runner = f"local {compiler.name} {guest_digest()}"
        self._surroundings = surroundings
        self._splits_uid = os.geteuid() == 0
        self.isolation: Isolation = "uid" if self._splits_uid else "none"
        self._closing = ExitStack()
        base = self._home = self._closing.enter_context(temporary_folder("iolab-grader-"))
        # A uid of its own must pass through, and not look around: names are not guessable. Else nobody is let in.
        self._mode = 0o711 if self._splits_uid else 0o700
        base.chmod(self._mode)
        self._tally = base / "tally"
        try:
            with naming_what_is_full(base):
                expect_space(base, SPARE_BYTES)
                put_tally(self._tally, compiler)
                _put_guest(base)
        except BaseException:
            self._closing.close()
            raise
        self.cpus = len(os.sched_getaffinity(0))
        self._at_work = ActiveTransports()

    def interrupt(self) -> None:
        """End every guest at work; see Sandbox."""
        self._at_work.interrupt()

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
        base = self._home
        with ExitStack() as stack:
            folder = stack.enter_context(temporary_folder("job-", base))
            scratch = stack.enter_context(temporary_folder("iolab-grader-", self._surroundings.scratch or folder))
            uid = stack.enter_context(self._surroundings.uid()) if self._splits_uid else None
            with naming_what_is_full(base):
                places = self._places(folder, scratch, uid)
            cpus = sorted(os.sched_getaffinity(0))
            transport = ProcessTransport(
                guest_command(sys.executable, str(base / "lib")), cpu=cpus[slot % len(cpus)] if slot else None
            )
            try:
                with self._at_work.including(transport):
                    session = GuestSession(transport, places, job)
                    yield session
                    session.end()
            finally:
                transport.close()

    def _places(self, folder: Path, scratch: Path, uid: int | None) -> SandboxLayout:
        for own in (folder, scratch):
            own.chmod(self._mode)
            # Command lines tell every uid of this path, and other guests' are not to read what lies there. Root in a
            # container may lack the right to give a folder away.
            if uid is not None and not self._surroundings.in_container:
                with suppress(PermissionError):
                    os.chown(own, -1, uid)
                    own.chmod(0o710)
        work = folder / "work"
        work.mkdir()
        # Students' uids pass through and read, whatever the umask.
        work.chmod(0o755)
        return SandboxLayout(
            work_dir=str(work),
            scratch_dir=str(scratch),
            tally=str(self._tally),
            student=None if uid is None else Student(uid=uid, gid=uid),
            in_container=self._surroundings.in_container,
            process_limit="all" if self._splits_uid else "more",
        )


def _put_guest(base: Path) -> None:
    """Copy the guest, so that all submissions of a run get the same one, whatever is installed meanwhile.

    It works with our rights, so no uid of students may write to it, whatever the umask.
    """
    folder = base / "lib" / "guest"
    for made in (folder.parent, folder):
        made.mkdir()
        made.chmod(0o755)
    for name, data in guest_files().items():
        (folder / name).write_bytes(data)
        (folder / name).chmod(0o644)
