"""The platform's folder, and how it is closed to student code."""

from __future__ import annotations

import os
import stat
import subprocess
from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path

from grader.errors import GraderError
from grader.resources import resource
from grader.sandbox.local_uid import UIDS

AUTOGRADER = Path("/autograder")
"""A machine that has this folder is a container of the platform."""

STUDENT_UID = UIDS[0]
"""One of the uids for student code. None of them is in a group, so all have the same rights."""

WRITABLE = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "/run/shm")  # noqa: S108 - closed, not used
"""The folders that any user may write to, including those that are mounted when the container starts."""

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - closed to students before it is used
SCRATCH_BYTES_MIN, SCRATCH_BYTES_MAX = 16 << 20, 256 << 20


@dataclass(frozen=True)
class AutograderDirs:
    """The paths of the platform's contract, below /autograder by default."""

    root: Path

    @property
    def source(self) -> Path:
        """The files of the zip."""
        return self.root / "source"

    @property
    def submission(self) -> Path:
        """The student's files."""
        return self.root / "submission"

    @property
    def metadata(self) -> Path:
        """Who submitted and when, and earlier submissions."""
        return self.root / "submission_metadata.json"

    @property
    def results(self) -> Path:
        """The path of results.json."""
        return self.root / "results" / "results.json"

    def close(self) -> None:
        """Take all rights on the folder and its files from everybody except root.

        Raises:
            GraderError: we are not root, or something is still open, so no student code may run.
        """
        if os.geteuid() != 0:
            raise GraderError(
                "`grader gradescope run` has to run as root, so that student code can run as another user"
            )
        try:
            self.results.parent.mkdir(exist_ok=True)
            for path in (self.root, self.source, self.submission, self.results.parent, self.metadata):
                _close(path)
        except OSError as error:
            raise GraderError(f"cannot be closed to student code: {error}") from error
        _make_sure([self.source, self.submission, self.results.parent, self.metadata])


def close_machine() -> None:
    """Take the right to write to WRITABLE from everybody except root, in a container that only we use.

    Raises:
        GraderError: that is not possible, or student code can read the reference because the grader was not installed
            by setup.sh.
    """
    try:
        close_writable(map(Path, WRITABLE))
    except OSError as error:
        raise GraderError(f"cannot be closed to student code: {error}") from error
    _make_sure([resource("reference")])


def close_writable(folders: Iterable[Path]) -> None:
    """Take the right to write from other users, if they have it; the sandbox makes the folders that they need."""
    for folder in folders:
        if folder.is_dir() and not folder.is_symlink():
            mode = stat.S_IMODE(folder.stat().st_mode)
            folder.chmod(mode & ~stat.S_IWOTH)


def writable_folders() -> list[Path]:
    """Return all folders of this file system that any user may write to.

    Raises:
        GraderError: the file system cannot be searched.
    """
    command = ["find", "/", "-xdev", "-type", "d", "-perm", "-0002", "-print0"]
    found = subprocess.run(command, capture_output=True, check=False)
    if found.returncode != 0:
        raise GraderError(f"the file system cannot be searched: {found.stderr.decode('utf-8', 'replace').strip()}")
    return [Path(os.fsdecode(path)) for path in found.stdout.split(b"\0") if path]


def scratch_folder() -> Path | None:
    """Return a file system in memory whose size limits what programs can fill, None if there is none.

    The files of a submission can then fill neither the disk, where results are written, nor all memory.
    """
    if not SHARED_MEMORY.is_dir() or not os.path.ismount(SHARED_MEMORY):
        return None
    about = os.statvfs(SHARED_MEMORY)
    return SHARED_MEMORY if SCRATCH_BYTES_MIN <= about.f_blocks * about.f_frsize <= SCRATCH_BYTES_MAX else None


def _close(path: Path) -> None:
    if path.is_symlink() or not path.exists():
        return
    os.chown(path, 0, 0)
    path.chmod(0o700 if path.is_dir() else 0o600)


def _make_sure(closed: Iterable[Path]) -> None:
    for path in closed:
        if _is_open(path):
            raise GraderError(f"{path} is open to student code, and must not be")


def _is_open(path: Path) -> bool:
    """Try it as a student, because the kernel decides, not the modes that we see."""
    rights = ["test", "-r", str(path), "-o", "-w", str(path), "-o", "-x", str(path)]
    tried = subprocess.run(
        rights,
        user=STUDENT_UID,
        group=STUDENT_UID,
        extra_groups=[],
        cwd="/",
        env={},
        capture_output=True,
        check=False,
    )
    return tried.returncode == 0
