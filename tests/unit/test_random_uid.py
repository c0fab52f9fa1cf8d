"""Which uid student code gets, on a machine and in a container whose neighbours we cannot see."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.errors import SandboxError
from grader.sandbox import local_uid
from grader.sandbox.local_uid import MACHINES_OWN, UIDS, chosen_uid, random_uid


@pytest.fixture
def uid_map(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "uid_map"
    monkeypatch.setattr(local_uid, "UID_MAP", path)
    return path


@pytest.mark.parametrize(
    ("content", "last"),
    [
        ("         0          0 4294967295\n", (1 << 31) - 1),
        ("         0     100000      65536\n", 65535),
        ("         0       1000          1\n         1     100000     200000\n", None),
        ("         0     100000      61000\n", None),
        ("         1     100000     200000\n", None),
    ],
)
def test_it_is_one_that_there_is_and_hardly_ever_the_same(uid_map: Path, content: str, last: int | None) -> None:
    uid_map.write_text(content)
    if last is None:
        with pytest.raises(SandboxError, match="there are only"), random_uid():
            pass
        return
    found = set()
    for _ in range(50):
        with random_uid() as uid:
            found.add(uid)
    assert len(found) > 40
    assert all(UIDS.stop <= uid <= last for uid in found)


@pytest.mark.parametrize(
    ("namespace", "uids", "is_random"),
    [
        (MACHINES_OWN, "4294967295", False),
        ("pid:[4026532183]", "4294967295", True),
        ("pid:[4026532183]", "61000", False),
        (None, "4294967295", False),
    ],
)
def test_it_is_random_in_a_container_with_enough_uids(
    uid_map: Path,
    monkeypatch: pytest.MonkeyPatch,
    namespace: str | None,
    uids: str,
    *,
    is_random: bool,
) -> None:
    uid_map.write_text(f"0 0 {uids}\n")
    monkeypatch.setattr(local_uid, "LOCKS", uid_map.parent / "locks")
    monkeypatch.setattr(local_uid, "PID_NAMESPACE", uid_map.parent / "pid")
    if namespace is not None:
        (uid_map.parent / "pid").symlink_to(namespace)
    with chosen_uid() as uid:
        assert (uid not in UIDS) == is_random
