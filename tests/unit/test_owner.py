from __future__ import annotations

import os
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from filelock import FileLock
from waits import ENDS_S

from grader.sandbox.owner import Owner

KILLED = """
import os, signal, sys
from pathlib import Path
from grader.sandbox.owner import Owner
print(Owner(Path(sys.argv[1])).id, flush=True)
os.kill(os.getpid(), signal.SIGKILL)
"""


def killed(folder: Path) -> str:
    """The id of a grader that was killed."""
    done = subprocess.run(
        [sys.executable, "-c", KILLED, str(folder)],
        stdout=subprocess.PIPE,
        text=True,
        timeout=ENDS_S,
        check=False,
        env={**os.environ, "PYTHONPATH": str(Path(__file__).parents[2])},
    )
    assert done.returncode == -signal.SIGKILL
    return done.stdout.strip()


def test_a_grader_that_was_killed_is_gone_until_it_is_forgotten(tmp_path: Path) -> None:
    lost = killed(tmp_path)
    one, other = Owner(tmp_path), Owner(tmp_path)
    assert one.gone() == other.gone() == {lost}
    one.forget(one.gone())
    assert other.gone() == frozenset()
    one.close()
    assert other.gone() == frozenset()
    other.close()
    assert list(tmp_path.iterdir()) == []


def test_a_file_system_without_locks_stops_nobody(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    (tmp_path / "other.lock").touch()

    def refuse(*_arguments: object, **_options: object) -> None:
        raise NotImplementedError("FileSystem does not appear to support flock")

    monkeypatch.setattr(FileLock, "acquire", refuse)
    owner = Owner(tmp_path)
    assert (owner.id, owner.gone()) == ("", frozenset())


def test_where_no_lock_can_be_had_nobody_is_taken_for_gone(tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    owner = Owner(tmp_path / "file" / "below")
    assert owner.id == ""
    assert owner.gone() == frozenset()
    owner.close()
