"""Temporary folders: removed at the end, and those of killed graders at the next start."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from grader.sandbox.temporary import LOCK, STARTING_S, locked_folder, remove_tree

PREFIX = "iolab-test-"
HOLDS = """
import sys, time
from grader.sandbox.temporary import locked_folder
with locked_folder(sys.argv[1]) as folder:
    print(folder, flush=True)
    time.sleep(600)
"""


@pytest.fixture
def tmp_path() -> Iterator[Path]:
    """A folder that every user may pass through, unlike pytest's: root's programs run as another one."""
    with tempfile.TemporaryDirectory(dir="/tmp") as name:
        folder = Path(name).resolve()
        folder.chmod(0o755)
        yield folder


@pytest.fixture(autouse=True)
def _own_temporary_files(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    monkeypatch.setattr(tempfile, "tempdir", None)


ENDS_S = 60


def make_old(folder: Path) -> None:
    then = time.time() - 2 * STARTING_S
    os.utime(folder / LOCK, (then, then))


def sweep() -> None:
    with locked_folder(PREFIX):
        pass


def test_a_folder_of_a_killed_process_is_removed_and_that_of_a_running_one_is_not() -> None:
    command = [sys.executable, "-c", HOLDS, PREFIX]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
    try:
        assert process.stdout is not None
        folder = Path(process.stdout.readline().rstrip())
        (folder / "closed").mkdir(mode=0)
        make_old(folder)
        sweep()
        assert folder.exists()
    finally:
        process.kill()
        process.communicate(timeout=ENDS_S)
    sweep()
    assert not folder.exists()


def test_other_folders_stay(tmp_path: Path) -> None:
    elsewhere = tmp_path / "elsewhere"
    young, unmarked, linked = (tmp_path / f"{PREFIX}{name}" for name in ("young", "unmarked", "linked"))
    for folder in (elsewhere, young, unmarked):
        folder.mkdir()
    for folder in (elsewhere, young):
        (folder / LOCK).touch()
    make_old(elsewhere)
    linked.symlink_to(elsewhere)
    sweep()
    assert {path.name for path in tmp_path.iterdir()} == {path.name for path in (elsewhere, young, unmarked, linked)}
    make_old(young)
    sweep()
    assert not young.exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder to somebody else")
def test_a_folder_of_somebody_else_stays(tmp_path: Path) -> None:
    folder = tmp_path / f"{PREFIX}other"
    folder.mkdir()
    (folder / LOCK).touch()
    make_old(folder)
    os.chown(folder, 12345, 12345)
    sweep()
    assert folder.exists()


@pytest.mark.parametrize("path", ["", "/nonexistent"])
def test_a_search_path_without_tools_does_not_matter(
    path: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", path)
    (tmp_path / "folder" / "in-it").mkdir(parents=True)
    remove_tree(tmp_path / "folder")
    assert not (tmp_path / "folder").exists()


def test_without_tools_anywhere_the_folder_stays_and_nothing_else_happens(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setenv("PATH", "")
    monkeypatch.setattr(os, "defpath", "/nonexistent")
    (tmp_path / "folder").mkdir()
    remove_tree(tmp_path / "folder")
    assert "could not be removed" in caplog.text
