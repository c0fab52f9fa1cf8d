"""The platform's folder, and its closing to student code."""

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
"""Where the platform has it. A machine that has this folder is a container of the platform's."""

STUDENT_UID = UIDS[0]
"""Student code runs under it or another; none of them is in any group, so what one may, all may."""

WRITABLE = ("/tmp", "/var/tmp", "/dev/shm", "/dev/mqueue", "/run/lock", "/run/shm")  # noqa: S108 - closed, not used
"""Folders that any user may write to, those among them that are mounted when the container starts."""

SHARED_MEMORY = Path("/dev/shm")  # noqa: S108 - closed to students before it is used
SCRATCH_BYTES_MIN, SCRATCH_BYTES_MAX = 16 << 20, 256 << 20


@dataclass(frozen=True)
class AutograderDirs:
    """The folder that the platform's contract names, by default /autograder."""

    root: Path

    @property
    def source(self) -> Path:
        """What the zip held."""
        return self.root / "source"

    @property
    def submission(self) -> Path:
        """What the student handed in."""
        return self.root / "submission"

    @property
    def metadata(self) -> Path:
        """Who, when, and what came before."""
        return self.root / "submission_metadata.json"

    @property
    def results(self) -> Path:
        """Where results.json is to be written."""
        return self.root / "results" / "results.json"

    def close(self) -> None:
        """Take from everybody but root all rights on the folder and what lies there.

        Raises:
            GraderError: we are not root, or something is open all the same: nothing of a student's may run then.
        """
        if os.geteuid() != 0:
            raise GraderError("the hook has to run as root, so that student code can run as somebody else")
        try:
            self.results.parent.mkdir(exist_ok=True)
            for path in (self.root, self.source, self.submission, self.results.parent, self.metadata):
                _close(path)
        except OSError as error:
            raise GraderError(f"cannot be closed to student code: {error}") from error
        _make_sure([self.source, self.submission, self.results.parent, self.metadata])


def close_machine() -> None:
    """Take from everybody but root the right to write where anybody may, in a container that is ours alone.

    Raises:
        GraderError: that cannot be, or the reference is open to student code: the grader was installed in another way
            than setup.sh installs it.
    """
    try:
        close_writable(map(Path, WRITABLE))
    except OSError as error:
        raise GraderError(f"cannot be closed to student code: {error}") from error
    _make_sure([resource("reference")])


def close_writable(folders: Iterable[Path]) -> None:
    """Take the right to write from others, where they have it; what they need is made for them."""
    for folder in folders:
        if folder.is_dir() and not folder.is_symlink():
            mode = stat.S_IMODE(folder.stat().st_mode)
            folder.chmod(mode & ~stat.S_IWOTH)


def writable_folders() -> list[Path]:
    """Return all folders of this file system that anybody may write to.

    Raises:
        GraderError: the file system cannot be searched.
    """
    command = ["find", "/", "-xdev", "-type", "d", "-perm", "-0002", "-print0"]
    found = subprocess.run(command, capture_output=True, check=False)
    if found.returncode != 0:
        raise GraderError(f"the file system cannot be searched: {found.stderr.decode('utf-8', 'replace').strip()}")
    return [Path(os.fsdecode(path)) for path in found.stdout.split(b"\0") if path]


def scratch_folder() -> Path | None:
    """Return a file system in memory, of a size that bounds what programs can fill; None where there is none.

    Files of a submission then can neither fill the disk, which results have to be written to, nor all memory.
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
    """Find out as a student would: whatever the modes say, what counts is what the kernel says."""
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
