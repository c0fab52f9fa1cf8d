"""What is done with files that no limit of a program stopped, or that were replaced after they were looked at."""

from __future__ import annotations

import os
import subprocess
from pathlib import Path

import pytest

from grader.guest.left_files import BLOCK_BYTES, copy_command, kind_of

LIMIT_BYTES = 200_000
TIMEOUT_S = 60


def copied(path: Path) -> subprocess.CompletedProcess[bytes]:
    return subprocess.run(copy_command(str(path), LIMIT_BYTES), capture_output=True, check=False, timeout=TIMEOUT_S)


@pytest.fixture
def sparse(tmp_path: Path) -> Path:
    path = tmp_path / "sparse"
    path.touch()
    os.truncate(path, 10 << 30)
    return path


def test_a_file_of_ten_gigabytes_is_too_large(sparse: Path) -> None:
    assert kind_of(str(sparse), LIMIT_BYTES) == "too-large"
    assert kind_of(str(sparse), 10 << 30) == "regular"


def test_of_a_file_that_has_grown_since_no_more_is_copied_than_a_block_above_the_limit(sparse: Path) -> None:
    assert LIMIT_BYTES < len(copied(sparse).stdout) <= LIMIT_BYTES + BLOCK_BYTES


def test_a_link_in_place_of_the_file_is_not_followed(tmp_path: Path) -> None:
    (tmp_path / "secret").write_bytes(b"secret")
    link = tmp_path / "link"
    link.symlink_to("secret")
    assert kind_of(str(link), LIMIT_BYTES) == "link"
    found = copied(link)
    assert (found.returncode, found.stdout) == (1, b"")


def test_a_pipe_in_place_of_the_file_keeps_nobody_waiting(tmp_path: Path) -> None:
    pipe = tmp_path / "pipe"
    os.mkfifo(pipe)
    assert kind_of(str(pipe), LIMIT_BYTES) == "other"
    assert copied(pipe).stdout == b""


def test_a_folder_in_place_of_the_file_is_not_read(tmp_path: Path) -> None:
    assert kind_of(str(tmp_path), LIMIT_BYTES) == "folder"
    assert copied(tmp_path).returncode == 1


def test_the_whole_file_is_copied_up_to_the_limit(tmp_path: Path) -> None:
    path = tmp_path / "file"
    path.write_bytes(bytes(range(250)) * (LIMIT_BYTES // 250))
    assert kind_of(str(path), LIMIT_BYTES) == "regular"
    assert copied(path).stdout == path.read_bytes()


def test_what_is_not_there_is_missing(tmp_path: Path) -> None:
    assert kind_of(str(tmp_path / "nothing"), LIMIT_BYTES) == "missing"
