"""The closing of the platform's folder, tried as the user that student code runs as."""

from __future__ import annotations

import os
import stat
import subprocess
import tempfile
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.gradescope import directories as module
from grader.gradescope.directories import STUDENT_UID, AutograderDirs, close_writable, scratch_folder
from grader.sandbox.local_uid import UIDS, reserved_uid
from tests.waits import ENDS_S

NEEDS_ROOT = pytest.mark.skipif(os.geteuid() != 0, reason="only root closes folders to others")


@pytest.fixture
def dirs() -> Iterator[AutograderDirs]:
    """The platform's folder, open to all; not in tmp_path, whose parents pytest closes to others at every start."""
    with tempfile.TemporaryDirectory(prefix="iolab-grader-tests-") as folder:
        Path(folder).chmod(0o755)
        root = Path(folder) / "autograder"
        for name in ("source", "submission", "results"):
            (root / name).mkdir(parents=True)
            (root / name).chmod(0o777)
        (root / "submission_metadata.json").write_text("{}")
        yield AutograderDirs(root)


@pytest.fixture
def as_student(monkeypatch: pytest.MonkeyPatch) -> Iterator[Callable[..., int]]:
    """Run a command as a uid that no local sandbox has: when its run is over, that one ends whatever has its uid."""
    with reserved_uid() as uid:
        monkeypatch.setattr(module, "STUDENT_UID", uid)

        def run(*command: str) -> int:
            done = subprocess.run(
                command, user=uid, group=uid, extra_groups=[], cwd="/",
                capture_output=True, timeout=ENDS_S, check=False,
            )  # fmt: skip
            return done.returncode

        yield run


@NEEDS_ROOT
def test_a_student_reads_and_writes_before_and_neither_afterwards(
    dirs: AutograderDirs, as_student: Callable[..., int]
) -> None:
    paths = (dirs.source, dirs.submission, dirs.results.parent, dirs.metadata)
    (dirs.source / "secret").write_text("x")
    assert [as_student("ls", str(path)) for path in paths] == [0] * len(paths)
    assert as_student("touch", str(dirs.results)) == 0
    dirs.close()
    assert all(as_student("ls", str(path)) for path in paths)
    assert as_student("cat", str(dirs.source / "secret"))
    assert as_student("touch", str(dirs.results.parent / "other"))
    assert not (dirs.results.parent / "other").exists()


@NEEDS_ROOT
def test_what_is_missing_is_made_or_passed_over(dirs: AutograderDirs) -> None:
    dirs.metadata.unlink()
    dirs.results.parent.rmdir()
    dirs.close()
    assert dirs.results.parent.is_dir()
    assert not dirs.metadata.exists()


@NEEDS_ROOT
@pytest.mark.usefixtures("as_student")
def test_what_stays_open_is_found_out(dirs: AutograderDirs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "_close", lambda _path: None)
    with pytest.raises(GraderError, match="is open to student code"):
        dirs.close()


def test_who_is_not_root_closes_nothing(dirs: AutograderDirs, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.gradescope.directories.os.geteuid", lambda: 1000)
    with pytest.raises(GraderError, match="as root"):
        dirs.close()


def test_folders_lose_the_right_to_write_and_no_other(tmp_path: Path) -> None:
    modes = {"tmp": 0o1777, "open": 0o777, "ours": 0o755}
    for name, mode in modes.items():
        (tmp_path / name).mkdir()
        (tmp_path / name).chmod(mode)
    (tmp_path / "link").symlink_to(tmp_path / "elsewhere")
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "elsewhere").chmod(0o777)
    close_writable([*(tmp_path / name for name in modes), tmp_path / "link", tmp_path / "missing"])
    assert {name: stat.S_IMODE((tmp_path / name).stat().st_mode) for name in modes} == {
        "tmp": 0o1775,
        "open": 0o775,
        "ours": 0o755,
    }
    assert stat.S_IMODE((tmp_path / "elsewhere").stat().st_mode) == 0o777


def test_the_uid_that_is_tried_is_one_that_student_code_gets() -> None:
    assert STUDENT_UID in UIDS


def test_only_a_file_system_of_bounded_size_is_for_scratch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "SHARED_MEMORY", tmp_path)
    assert scratch_folder() is None, "no file system of its own"
    monkeypatch.setattr("grader.gradescope.directories.os.path.ismount", lambda _path: True)
    about = os.statvfs(tmp_path)
    size = about.f_blocks * about.f_frsize
    monkeypatch.setattr(module, "SCRATCH_BYTES_MAX", size)
    assert scratch_folder() == tmp_path
    monkeypatch.setattr(module, "SCRATCH_BYTES_MAX", size - 1)
    assert scratch_folder() is None, "larger than what may be filled"
