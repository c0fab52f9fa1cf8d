"""Standard output and standard error that do not fail in the middle of the work, but are reported at its end."""

from __future__ import annotations

import io
import os
import sys
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from _typeshed import ReadableBuffer


class _Stream(io.FileIO):
    """A standard stream; `problem` says why something could not be written, and is empty if everything was.

    Otherwise an error would come up wherever something is printed, and be taken for one of that step: click would
    even end the process with 1. If just nobody reads any more, as after `| head`, nothing is wrong.
    """

    problem = ""

    def write(self, data: ReadableBuffer, /) -> int:
        """Write as much as possible; what cannot be written counts as written."""
        try:
            return super().write(data)
        except BrokenPipeError:
            pass
        except OSError as error:
            self.problem = self.problem or str(error.strerror)
        return memoryview(data).nbytes


_STANDARD_ERROR = 2
_streams: dict[str, _Stream] = {}


def guard_streams() -> None:
    """Replace the standard streams; a closed one is reserved, so that no other file gets its number."""
    while (descriptor := os.open(os.devnull, os.O_RDONLY)) <= _STANDARD_ERROR:
        # Open for reading only, so that writing to it fails, for programs that are started too.
        os.set_inheritable(descriptor, True)  # noqa: FBT003 - as it is defined
    os.close(descriptor)
    sys.stdout = guarded(sys.stdout, 1, "standard output")
    sys.stderr = guarded(sys.stderr, _STANDARD_ERROR, "standard error")


def guarded(stream: Any, descriptor: int, name: str) -> Any:  # noqa: ANN401 - None, or any class
    """Return a stream to a descriptor that never fails; another kind of stream stays as it is."""
    buffer = getattr(stream, "buffer", None)
    if stream is not None and type(getattr(buffer, "raw", buffer)) is not io.FileIO:
        # A console of Windows, or what a test has put there.
        return stream
    raw: Any = _Stream(descriptor, "w", closefd=False)
    _streams[name] = raw
    return io.TextIOWrapper(
        # `python -u` has no buffer.
        raw if isinstance(buffer, io.FileIO) else io.BufferedWriter(raw),
        encoding=getattr(stream, "encoding", "utf-8"),
        errors=getattr(stream, "errors", "backslashreplace"),
        line_buffering=getattr(stream, "line_buffering", True),
        write_through=getattr(stream, "write_through", False),
    )


def unwritten() -> str:
    """Write what is left, and return which stream could not be written and why, empty if everything was."""
    for stream in (sys.stdout, sys.stderr):
        stream.flush()
    problems = (f"{name} cannot be written: {raw.problem}" for name, raw in _streams.items() if raw.problem)
    return "; ".join(problems)
