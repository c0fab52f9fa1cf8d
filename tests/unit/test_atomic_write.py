from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.atomic_write import write_atomic
from grader.errors import GraderError


def test_it_writes_and_replaces(tmp_path: Path) -> None:
    path = tmp_path / "report.json"
    write_atomic(path, b"old")
    write_atomic(path, b"new")
    assert path.read_bytes() == b"new"
    assert list(tmp_path.iterdir()) == [path]


@pytest.mark.parametrize("step", ["fsync", "replace"])
def test_a_failure_leaves_the_old_file_and_nothing_else(
    step: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "report.json"
    path.write_bytes(b"old")

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(os, step, full)
    with pytest.raises(GraderError, match=r"cannot write .*report\.json: No space left on device"):
        write_atomic(path, b"new")
    assert path.read_bytes() == b"old"
    assert list(tmp_path.iterdir()) == [path]


def test_an_interrupt_leaves_nothing_behind(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    monkeypatch.setattr(os, "fsync", interrupted)
    with pytest.raises(KeyboardInterrupt):
        write_atomic(tmp_path / "report.json", b"new")
    assert list(tmp_path.iterdir()) == []


def test_a_missing_folder_is_a_clear_error(tmp_path: Path) -> None:
    with pytest.raises(GraderError, match="No such file or directory"):
        write_atomic(tmp_path / "missing" / "report.json", b"")


def test_a_folder_in_the_way_stays(tmp_path: Path) -> None:
    (tmp_path / "out" / "kept").mkdir(parents=True)
    with pytest.raises(GraderError, match="cannot write"):
        write_atomic(tmp_path / "out", b"")
    assert [path.name for path in tmp_path.iterdir()] == ["out"]


def test_the_longest_file_name_works(tmp_path: Path) -> None:
    write_atomic(tmp_path / ("n" * 255), b"x")


def test_the_umask_decides_who_may_read(tmp_path: Path) -> None:
    before = os.umask(0o027)
    try:
        write_atomic(tmp_path / "report.json", b"")
    finally:
        os.umask(before)
    assert (tmp_path / "report.json").stat().st_mode & 0o777 == 0o640
