from __future__ import annotations

import errno
import os
import subprocess
from pathlib import Path
from types import SimpleNamespace

import pytest

from grader.guest.launch import Running, TallyFaultError
from grader.guest.main import fault_words
from grader.guest.own_time import BusyError, OwnTime
from grader.guest.space import NoSpaceError, require_space
from tests.waits import killed_at_exit


def refuse(monkeypatch: pytest.MonkeyPatch, number: int) -> None:
    def refuses(*_arguments: object) -> None:
        raise OSError(number, os.strerror(number))

    monkeypatch.setattr(os, "posix_fallocate", refuses)


def test_where_there_is_space_nothing_is_left_of_the_try(tmp_path: Path) -> None:
    require_space(str(tmp_path), 1 << 16)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("number", [errno.ENOSPC, errno.EDQUOT])
def test_a_full_disk_and_a_full_quota_are_told_with_the_folder(
    number: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, number)
    with pytest.raises(NoSpaceError, match=str(tmp_path)):
        require_space(str(tmp_path), 1 << 16)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize(
    ("left", "says"),
    [((9, 0, 9), "no inodes are left"), ((9, 0, 0), "no space is left"), ((0, 0, 9), "no space is left")],
)
def test_a_disk_with_too_many_files_is_said_to_have_them(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, left: tuple[int, int, int], says: str
) -> None:
    refuse(monkeypatch, errno.ENOSPC)
    disk = SimpleNamespace(**dict(zip(("f_files", "f_favail", "f_bavail"), left, strict=True)))
    monkeypatch.setattr(os, "statvfs", lambda _folder: disk)
    with pytest.raises(NoSpaceError, match=f"^{says} .* for {tmp_path}: "):
        require_space(str(tmp_path), 1 << 16)


def test_a_file_system_that_cannot_say_is_believed_to_have_space(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    refuse(monkeypatch, errno.EOPNOTSUPP)
    require_space(str(tmp_path), 1 << 16)


def test_what_lies_there_already_is_not_written_to(tmp_path: Path) -> None:
    kept = tmp_path / "kept"
    kept.write_text("kept")
    (tmp_path / ".space").symlink_to(kept)
    with pytest.raises(FileExistsError):
        require_space(str(tmp_path), 1 << 16)
    assert kept.read_text() == "kept"


def test_a_fault_of_a_full_disk_is_words_and_any_other_names_its_place() -> None:
    full = OSError(errno.ENOSPC, "No space left on device", "/tmp/x")  # noqa: S108 - a name
    assert fault_words(full).startswith("no space is left on the disk, or in a quota, for /tmp/x: ")
    assert fault_words(NoSpaceError("full")) == "full"
    assert fault_words(BusyError("busy")) == "busy"
    assert fault_words(ValueError("odd")) == "ValueError: odd (nowhere)"


@pytest.mark.parametrize(
    ("step", "hint"),
    [
        ("seccomp", "no seccomp filters"),
        ("fork", "no more processes"),
        *((step, "CAP_SETUID and CAP_SETGID") for step in ("setgroups", "setresgid", "setresuid")),
        ("x", ""),
    ],
)
def test_a_fault_of_tally_says_what_it_tells_of_the_machine(step: str, hint: str) -> None:
    read_end, write_end = os.pipe()
    os.write(write_end, b'{"tally":1,"fault":{"step":"%s","errno":1,"message":"m"}}\n' % step.encode())
    os.close(write_end)
    with killed_at_exit(subprocess.Popen(["/bin/true"])) as process, pytest.raises(TallyFaultError) as caught:
        Running(process, read_end, OwnTime()).finish()
    assert str(caught.value).startswith(f"tally failed: {step}: m")
    assert hint in str(caught.value)
    assert str(caught.value).endswith(")") == bool(hint)
