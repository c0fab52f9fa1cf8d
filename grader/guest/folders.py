"""The guest's folders: what student code may write lies apart from what the guest relies on."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import BinaryIO

from .plan import SandboxLayout, SentFile
from .space import BUILD_BYTES, PROBE_BYTES, expect_space, naming_what_is_full


class Folders:
    """Paths below the two roots of a sandbox.

    work: sources, inputs, executables, outputs and logs; only the guest writes here. scratch: where the compiler and
    the programs may write.
    """

    def __init__(self, places: SandboxLayout) -> None:
        """Make the folders; they must not exist yet."""
        self._work = places["work_dir"]
        self._scratch = places["scratch_dir"]
        self.sources = os.path.join(self._work, "sources")
        self._inputs = os.path.join(self._work, "inputs")
        for name in ("sources", "bin"):
            os.mkdir(os.path.join(self._work, name), 0o755)
        # A program gets its own input as a descriptor; there may be some that a student is not to know of.
        for name in ("inputs", "out"):
            os.mkdir(os.path.join(self._work, name), 0o700)

    def fill(self, files: list[SentFile], copy: Callable[[BinaryIO, int], None]) -> None:
        """Write the files that the grader sends: `copy` gets a file to write to, and how many bytes are its.

        Raises:
            NoSpaceError: they do not fit.
        """
        folders = {"sources": self.sources, "inputs": self._inputs}
        for file in files:
            path = os.path.join(folders[file["folder"]], file["name"])
            with naming_what_is_full(path), open(path, "xb", buffering=0) as target:
                copy(target, file["size_bytes"])

    def input(self, name: str) -> str:
        """Return the path of an input."""
        return os.path.join(self._inputs, name)

    def executable(self, program: str) -> str:
        """Return the path of a program, in a folder that students cannot write to."""
        return os.path.join(self._work, "bin", program)

    def output(self, step: str, stream: str) -> str:
        """Return the path that keeps what a step wrote to a stream."""
        return os.path.join(self._work, "out", f"{step}.{stream}")

    def expect_space_to_build(self) -> None:
        """Make sure that no compilation fails for want of it, which would look like a mistake of the student's.

        Raises:
            NoSpaceError: there is none.
        """
        expect_space(self._scratch, BUILD_BYTES)

    def expect_space_left(self) -> None:
        """Make sure that what was just kept of a run was not cut short.

        Raises:
            NoSpaceError: it may have been.
        """
        expect_space(os.path.join(self._work, "out"), PROBE_BYTES)

    def room(self, name: str) -> str:
        """Make a folder for one run or build, closed to student code until it is opened, and return its path.

        What is left in it nobody finds later: one program could tell another there of cases that are hidden.
        """
        path = os.path.join(self._scratch, name)
        os.mkdir(path, 0o700)
        return path

    @contextmanager
    def opened(self, room: str) -> Iterator[str]:
        """Open a folder to student code as long as the context lasts.

        World-writable and not given away, because uid 0 of the container has no CAP_CHOWN. Only one student's
        code is ever in the container; locally the folder above it is closed to others.
        """
        os.chmod(room, 0o777)  # noqa: S103 - see above
        try:
            yield room
        finally:
            os.chmod(room, 0o700)
