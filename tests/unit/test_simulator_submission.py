"""A submission as the platform lays it out."""

from __future__ import annotations

import os
from pathlib import Path

import pytest

from grader.errors import UsageError
from grader.gradescope.simulator.submission import read_files
from grader.intake.bounds import STUDENT

from .packing import gzipped, lay, zipped

FILES = {"a.c": b"int a;", ".hidden": b"h", "b~": b"", "src/deep/er/one more.c": b"\0\xff", "-rf": b"-"}


def test_all_files_of_a_folder_are_taken_as_they_are(tmp_path: Path) -> None:
    assert read_files(lay(tmp_path, FILES), pytest.fail) == FILES


@pytest.mark.parametrize("pack", [zipped, gzipped])
def test_an_archive_is_unpacked(tmp_path: Path, pack: object) -> None:
    assert callable(pack)
    (tmp_path / "work.zip").write_bytes(pack(FILES))
    assert read_files(tmp_path / "work.zip", pytest.fail) == FILES


def test_what_is_no_regular_file_is_left_out_and_told(tmp_path: Path) -> None:
    lay(tmp_path / "in", {"a.c": b"a"})
    (tmp_path / "in" / "link.c").symlink_to("/etc/passwd")
    (tmp_path / "in" / "folder").symlink_to("/etc")
    os.mkfifo(tmp_path / "in" / "pipe")
    said: list[str] = []
    assert read_files(tmp_path / "in", said.append) == {"a.c": b"a"}
    assert said == [f"{name} is left out: it is not a regular file" for name in ("folder", "link.c", "pipe")]


def test_a_file_that_would_leave_the_folder_is_left_out(tmp_path: Path) -> None:
    (tmp_path / "work.zip").write_bytes(zipped({"../evil": b"x", "a.c": b"a"}))
    said: list[str] = []
    assert read_files(tmp_path / "work.zip", said.append) == {"a.c": b"a"}
    assert "evil is left out: it is packed as ../evil, a place outside" in said[0]


def test_a_name_that_is_no_text_is_kept(tmp_path: Path) -> None:
    name = os.fsdecode(b"caf\xe9.c")
    (tmp_path / name).write_bytes(b"x")
    assert read_files(tmp_path, pytest.fail) == {name: b"x"}


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "says"),
    [("none", "No such file"), ("text.c", "neither a zip nor a tar archive"), ("bomb.zip", "more than")],
)
def test_what_cannot_be_handed_in_is_told(tmp_path: Path, name: str, says: str) -> None:
    (tmp_path / "text.c").write_text("int main;")
    (tmp_path / "bomb.zip").write_bytes(zipped({"zeros": bytes(STUDENT.unpacked_bytes + 1)}))
    with pytest.raises(UsageError, match=says):
        read_files(tmp_path / name, pytest.fail)
