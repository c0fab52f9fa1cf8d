"""A guest as a child process: how the local sandbox communicates with it, and ends it."""

from __future__ import annotations

import os
import select
import subprocess
import tempfile
from pathlib import Path

from grader.errors import SandboxError

END_TIMEOUT_S = 10
RECEIVE_BYTES = 1 << 20


class ProcessTransport:
    """A guest as a child process. The kernel closes the pipe to it when we end."""

    ends_with_us = True

    def __init__(self, command: list[str], cpu: int | None, folder: Path | None = None) -> None:
        """Start the guest; if `cpu` is not None, it and all its children run on that CPU.

        `folder` is for what it writes to standard error.
        """
        try:
            self._stderr = tempfile.TemporaryFile(dir=folder)  # noqa: SIM115 - closed with the transport
            self._process = subprocess.Popen(
                command,
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=self._stderr,
                bufsize=0,
                # Ctrl-C in the terminal must reach only the grader, which then ends the guest in order.
                start_new_session=True,
            )
        except OSError as error:
            raise SandboxError(f"the guest cannot be started: {error}") from error
        if cpu is not None:
            os.sched_setaffinity(self._process.pid, {cpu})

    def send(self, data: bytes) -> None:
        """Write to the guest; see Transport."""
        if self._process.stdin is None:
            raise BrokenPipeError("the guest's standard input is closed")
        view = memoryview(data)
        while view:
            view = view[self._process.stdin.write(view) :]

    def receive(self, timeout_s: float) -> bytes:
        """Read from the guest; see Transport."""
        if self._process.stdout is None:
            return b""
        ready, _, _ = select.select([self._process.stdout], [], [], timeout_s)
        if not ready:
            raise TimeoutError
        return os.read(self._process.stdout.fileno(), RECEIVE_BYTES)

    def stderr_text(self) -> str:
        """Return the guest's standard error; see Transport."""
        self._stderr.seek(0)
        return self._stderr.read().decode("utf-8", "replace")

    def interrupt(self) -> None:
        """End the guest, which ends what it runs; see Transport."""
        self._process.terminate()

    def close(self) -> None:
        """End the guest by closing its input, kill it if that does not help, and free what it held."""
        if self._process.stdin is not None:
            self._process.stdin.close()
        try:
            self._process.wait(END_TIMEOUT_S)
        except subprocess.TimeoutExpired:
            self._process.kill()
            self._process.wait()
        if self._process.stdout is not None:
            self._process.stdout.close()
        self._stderr.close()
