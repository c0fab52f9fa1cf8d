"""The folders of the local sandbox, whoever started the grader."""

from __future__ import annotations

import os
import stat
import tempfile
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from grader.sandbox.local import LocalSandbox

from .harness import SUCCESS, Exercise, step


@pytest.fixture
def generous_umask() -> Iterator[None]:
    """The umask of somebody who lets others write to everything."""
    before = os.umask(0)
    yield
    os.umask(before)


@pytest.mark.usefixtures("generous_umask")
def test_nobody_else_can_write_to_what_works_with_our_rights(
    temporary: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(temporary))
    with closing(LocalSandbox()) as sandbox:
        assert Exercise((step("exit", "actor", "exit", "0"),)).done_in(sandbox).run("exit").ending == SUCCESS
        (home,) = temporary.iterdir()
        found = [home, *home.rglob("*")]
        assert home / "lib" / "guest" / "main.py" in found
        assert [path for path in found if stat.S_IMODE(path.lstat().st_mode) & 0o022] == []
    assert list(temporary.iterdir()) == []
