"""The guest's folders: those that student code may write to lie apart from those that the guest relies on."""

from __future__ import annotations

import base64
import errno
import os
import random
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, suppress
from itertools import islice
from typing import BinaryIO

from .plan_json import RunFileJson, SandboxLayoutJson, SentFileJson, WholeFileJson
from .space import BUILD_BYTES, PROBE_BYTES, NoSpaceError, naming_the_full_disk, require_space

KEPT_BYTES = 96 << 20
"""Outputs that are kept whole, all together: less than half of the folder in memory that a container has for them."""

MOST_REMOVED = 100_000
"""More files than a program of a lab makes; if there are more, the others stay."""

BLOCK_BYTES = 512
"""The unit of st_blocks (stat(3type))."""


def random_name() -> str:
    """Return a name that nobody can guess."""
    return os.urandom(8).hex()


class Folders:
    """Paths below the two roots of a sandbox.

    work: sources, inputs, executables, outputs and logs; only the guest writes here. scratch: where the compiler and
    the programs may write.

    A program can read the paths of its streams in /proc/self/fd, and its working folder. So that these do not tell
    which run of which case this is, and with what it is counted, names are random. So is the order in which the
    folders and outputs of runs are made, before the first run: inode numbers count files in that order.
    """

    def __init__(self, layout: SandboxLayoutJson) -> None:
        """Make the folders; they must not exist yet."""
        self._work = layout["work_dir"]
        self._scratch = layout["scratch_dir"]
        self.sources = os.path.join(self._work, "sources")
        self._inputs = os.path.join(self._work, "inputs")
        self._random_names: dict[tuple[str, str], str] = {}
        self._removed_bytes = 0
        self._kept_bytes: dict[str, int] = {}
        for name in ("sources", "bin"):
            os.mkdir(os.path.join(self._work, name), 0o755)
        # A program gets its own input as a descriptor; other inputs may be hidden from students.
        for name in ("inputs", "out"):
            os.mkdir(os.path.join(self._work, name), 0o700)

    def fill(self, files: list[SentFileJson], copy: Callable[[BinaryIO, int], None]) -> None:
        """Write the files that the grader sends: `copy` gets a file to write to and its size in bytes.

        Raises:
            NoSpaceError: they do not fit.
        """
        for file in files:
            path = self._path_of(file)
            with naming_the_full_disk(path), open(path, "xb", buffering=0) as target:
                copy(target, file["size_bytes"])

    def add(self, files: list[WholeFileJson]) -> None:
        """Write files that the grader sends later, over sources of the same name.

        Raises:
            NoSpaceError: they do not fit.
        """
        for file in files:
            path = self._path_of(file)
            with naming_the_full_disk(path), open(path, "wb") as target:
                target.write(base64.b64decode(file["data"]))

    def _path_of(self, file: SentFileJson | WholeFileJson) -> str:
        """Return where a file is written, and make the folder of a source."""
        if file["folder"] == "inputs":
            return self.input(file["name"])
        path = self.source(file["name"])
        os.makedirs(os.path.dirname(path), mode=0o755, exist_ok=True)
        return path

    def source(self, name: str) -> str:
        """Return the path of a source, or of a folder with sources."""
        return os.path.join(self.sources, name)

    def input(self, name: str) -> str:
        """Return the path of an input."""
        return os.path.join(self._inputs, self._random_name(name, "stdin"))

    def executable(self, program: str) -> str:
        """Return the path of a program, in a folder that students cannot write to."""
        return os.path.join(self._work, "bin", program)

    def output(self, step: str, stream: str) -> str:
        """Return the path that keeps what a step wrote to a stream."""
        return os.path.join(self._work, "out", self._random_name(step, stream))

    def kept_output(self, step: str) -> str:
        """Return the path that keeps the standard output of a step, if it was too large for the step's event.

        Raises:
            FileNotFoundError: there was no such step.
        """
        if (step, "stdout") not in self._random_names:
            raise FileNotFoundError(errno.ENOENT, "no such step was planned", step)
        return self.output(step, "stdout")

    def keep(self, path: str, size_bytes: int, least_bytes: int) -> None:
        """Keep an output for the grader to fetch: whole as long as there is space, else its first `least_bytes`."""
        others = sum(kept for kept_path, kept in self._kept_bytes.items() if kept_path != path)
        kept_bytes = size_bytes if others + size_bytes <= KEPT_BYTES else min(size_bytes, least_bytes)
        if kept_bytes < size_bytes:
            os.truncate(path, kept_bytes)
        self._kept_bytes[path] = kept_bytes

    def _random_name(self, thing: str, stream: str) -> str:
        return self._random_names.setdefault((thing, stream), random_name())

    def require_space_to_build(self) -> None:
        """Make sure that no compilation fails for lack of space, which would look like the student's mistake.

        Raises:
            NoSpaceError: there is too little.
        """
        require_space(self._scratch, BUILD_BYTES)

    def require_space_left(self) -> None:
        """Make sure that the outputs of the last run were not cut short.

        Raises:
            NoSpaceError: they may have been.
        """
        require_space(os.path.join(self._work, "out"), PROBE_BYTES)

    def blame(self, program: str, lack: NoSpaceError) -> NoSpaceError:
        """Return what to say of a lack of space that was noticed in a run whose folder is empty again.

        If there is space now, and the files that were removed took it, the program had used it up. As much had been
        there before it was compiled.
        """
        if self._removed_bytes < BUILD_BYTES:
            return lack
        try:
            require_space(os.path.join(self._work, "out"), BUILD_BYTES)
        except NoSpaceError:
            return lack
        return NoSpaceError(
            f"no space was left on the disk, or in a quota, because {program} had filled it with files in its own"
            " folder, which were then removed"
        )

    def make_run_dir(self, name: str) -> str:
        """Make a folder for one run or build, closed to student code until it is opened, and return its path.

        Each run has its own: in a shared one, a program could leave notes about hidden cases for another.
        """
        path = os.path.join(self._scratch, name)
        os.mkdir(path, 0o700)
        return path

    def make_for_runs(self, files: Mapping[str, list[RunFileJson]]) -> dict[str, str]:
        """Make the folder of each of these runs, with its files, and its output; return the paths of the folders.

        Raises:
            NoSpaceError: they do not fit.
        """
        steps = [*files]
        random.SystemRandom().shuffle(steps)
        run_dirs = {step: self.make_run_dir_with(files[step]) for step in steps}
        random.SystemRandom().shuffle(steps)
        for step in steps:
            os.close(os.open(self.output(step, "stdout"), os.O_WRONLY | os.O_CREAT | os.O_CLOEXEC, 0o600))
        return run_dirs

    def open_input(self, name: str) -> int:
        """Open an input for a program, whose reads leave no access time for later runs to see."""
        return os.open(self.input(name), os.O_RDONLY | os.O_NOATIME | os.O_CLOEXEC)

    def make_run_dir_with(self, files: list[RunFileJson]) -> str:
        """Make a folder for a run in which its files are, and return its path.

        Student code may change them, so the folder must be for one run: no later one gets what it left.

        Raises:
            NoSpaceError: they do not fit.
        """
        with naming_the_full_disk(self._scratch):
            run_dir = self.make_run_dir(f"run-{random_name()}")
            for file in files:
                if file["content"] is None:
                    continue
                path = os.path.join(run_dir, file["name"])
                with open(self.input(file["content"]), "rb") as source, open(path, "xb") as target:
                    shutil.copyfileobj(source, target)
                # As with the folder, uid 0 of the container cannot give it to the student's uid.
                os.chmod(path, 0o777 if file["executable"] else 0o666)
        return run_dir

    def size_of(self, name: str) -> int:
        """Return the size of an input in bytes."""
        return os.path.getsize(self.input(name))

    @contextmanager
    def opened(self, run_dir: str) -> Iterator[str]:
        """Open a folder to student code as long as the context lasts, and then remove the files in it.

        So the files of one run do not use up the space that others need. Folders that student code made stay: the
        guest does not walk through them.

        World-writable, because uid 0 of the container has no CAP_CHOWN to give it to the student's uid. The container
        holds only one student's code; locally the folder above this one is closed to others.
        """
        os.chmod(run_dir, 0o777)  # noqa: S103 - see above
        try:
            yield run_dir
        finally:
            os.chmod(run_dir, 0o700)
            self._removed_bytes = 0
            with os.scandir(run_dir) as left:
                for entry in islice(left, MOST_REMOVED):
                    # It is a folder.
                    with suppress(OSError):
                        size_bytes = entry.stat(follow_symlinks=False).st_blocks * BLOCK_BYTES
                        os.unlink(entry.path)
                        self._removed_bytes += size_bytes
