from __future__ import annotations

from pathlib import Path

import pytest

from grader.sandbox.lock import Lock


def test_one_has_it_at_a_time(tmp_path: Path) -> None:
    one, other = Lock(tmp_path / "lock"), Lock(tmp_path / "lock")
    one.take()
    with pytest.raises(OSError, match="unavailable"):
        other.take()
    one.let_go()
    other.take()
    one.let_go()
    with pytest.raises(OSError, match="unavailable"):
        one.take()
    other.let_go()


def test_where_no_file_can_be_made_nobody_has_it(tmp_path: Path) -> None:
    with pytest.raises(FileNotFoundError):
        Lock(tmp_path / "none" / "lock").take()
