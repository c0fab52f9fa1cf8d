"""Where a program's bytes come from and go to: files, pipes, a terminal."""

from __future__ import annotations

import array
import base64
import errno
import fcntl
import hashlib
import os
import select
import termios
import tty
from typing import Any

from .launch import GuestError, Running
from .space import naming_the_full_disk

INLINE_BYTES = 65536
"""Outputs up to this size travel in the event; larger ones are kept and fetched when they differ."""

SEARCHED_BYTES = 1 << 18
"""Most bytes of an output in which a case looks for something."""

READ_BYTES = 65536
PACKET_BYTES = os.sysconf("SC_PAGE_SIZE")
REFILL_WAIT_S = 0.0005
LAST_BYTES_WAIT_S = 10.0


def captured(path: str, inline_bytes: int = INLINE_BYTES) -> dict[str, Any]:
    """Describe a file: size_bytes, sha256 and, up to `inline_bytes`, data as base64 (else None)."""
    hasher = hashlib.sha256()
    size_bytes = 0
    head = b""
    with open(path, "rb") as file:
        while block := file.read(1 << 20):
            hasher.update(block)
            size_bytes += len(block)
            head = head or block
    data = base64.b64encode(head).decode("ascii") if size_bytes <= inline_bytes else None
    return {"size_bytes": size_bytes, "sha256": hasher.hexdigest(), "data": data}


def head_of(path: str, limit_bytes: int) -> bytes:
    """Return the beginning of a file."""
    with open(path, "rb") as file:
        return file.read(limit_bytes)


def open_terminal() -> tuple[int, int]:
    """Open a pseudo-terminal that passes bytes on unchanged; return (its master, the terminal itself)."""
    master, terminal = os.openpty()
    # Raw, or each newline would arrive as two bytes. It is still a terminal to the program.
    tty.setraw(terminal, termios.TCSANOW)
    return master, terminal


class Feeder:
    """Fills a pipe with `data`, a chunk at a time and only when the pipe is empty, so that reads are short."""

    def __init__(self, data: bytes, chunk_bytes: int) -> None:
        self.read_end, self._write_end = os.pipe()
        # The student's uid does not own the pipe, but a program may open /dev/stdin to read it.
        os.fchmod(self.read_end, 0o444)
        # A chunk may be larger than the pipe. A write must not block, because the sink must be drained meanwhile.
        os.set_blocking(self._write_end, False)
        self._data = memoryview(data)
        self._chunk_bytes = chunk_bytes
        self._open = True

    @property
    def active(self) -> bool:
        """Whether there is more to feed."""
        return self._open

    def step(self) -> None:
        """Write the next chunk if the last one was taken; close the pipe after the last."""
        waiting = array.array("i", [0])
        fcntl.ioctl(self._write_end, termios.FIONREAD, waiting)
        if waiting[0]:
            return
        try:
            written = os.write(self._write_end, self._data[: self._chunk_bytes]) if self._data else 0
        except BrokenPipeError:
            # The program has closed its input or has ended.
            self._data = self._data[:0]
            written = 0
        self._data = self._data[written:]
        if not self._data:
            self.close()

    def close(self) -> None:
        """Close the pipe: the program reads its end."""
        if self._open:
            os.close(self._write_end)
            self._open = False


def pump(running: Running, feeder: Feeder | None, *sinks: Drain | None) -> None:
    """Feed and drain until the program has ended and all its output has been read."""
    ended = False
    drains = [drain for drain in sinks if drain is not None]
    while drains or not ended:
        waiting_for = [] if ended else [running.report_fd]
        waiting_for += [drain.read_end for drain in drains]
        feeding = feeder is not None and feeder.active
        # Once the program has ended nobody holds the other end of its output, so its end comes within moments.
        timeout_s = LAST_BYTES_WAIT_S if ended else REFILL_WAIT_S if feeding else None
        ready, _, _ = select.select(waiting_for, [], [], timeout_s)
        if ended and not ready:
            raise GuestError("a program has ended and something still holds its output")
        ended = ended or running.report_fd in ready
        if feeder is not None and feeder.active:
            feeder.step()
        for drain in drains:
            if drain.read_end in ready:
                drain.step()
        drains = [drain for drain in drains if not drain.closed]


def open_packets() -> tuple[int, int] | None:
    """Open a pipe in which writes stay apart, so that they can be counted; return (our end, the program's).

    A write of more than PACKET_BYTES arrives in parts of that size. None if the kernel has no such pipes.
    """
    try:
        return os.pipe2(os.O_CLOEXEC | os.O_DIRECT)
    except OSError as error:
        if error.errno != errno.EINVAL:
            raise
        return None


class Drain:
    """Writes what arrives at a pipe or a terminal to a file, up to `limit_bytes`; then it closes its end.

    `writes` counts those that arrived, if the pipe keeps them apart: one that continues a part is not counted.
    """

    def __init__(self, read_end: int, path: str, limit_bytes: int) -> None:
        self.read_end = read_end
        self.closed = False
        self.overflowed = False
        self.writes = 0
        self._last_bytes = 0
        self._path = path
        self._file = open(path, "wb")  # noqa: SIM115 - closed with the descriptor
        self._left_bytes = limit_bytes

    def step(self) -> None:
        """Read what is there.

        Raises:
            NoSpaceError: it does not fit on the disk.
        """
        try:
            block = os.read(self.read_end, READ_BYTES)
        except OSError as error:
            if error.errno != errno.EIO:
                raise
            # A terminal reports its end this way.
            block = b""
        self.writes += bool(block) and self._last_bytes != PACKET_BYTES
        self._last_bytes = len(block)
        self._left_bytes -= len(block)
        self.overflowed = self._left_bytes < 0
        if block and not self.overflowed:
            with naming_the_full_disk(self._path):
                self._file.write(block)
        else:
            self.close()

    def close(self) -> None:
        """Close the file and the descriptor; a program that goes on writing gets SIGPIPE or an error.

        Raises:
            NoSpaceError: the last bytes do not fit on the disk.
        """
        if self.closed:
            return
        self.closed = True
        try:
            with naming_the_full_disk(self._path):
                self._file.close()
        finally:
            os.close(self.read_end)
