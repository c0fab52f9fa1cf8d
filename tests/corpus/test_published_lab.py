"""A student's check with the published copy of a lab."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from grader.cli.exit_status import FAILED, OK
from grader.cli.main import status_of
from tests.copying_lab import WRONG, write_hidden_lab


def test_a_student_gets_the_same_verdicts_of_visible_checks(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    lab, copy = write_hidden_lab(tmp_path / "full"), tmp_path / "copy"
    assert status_of(["lab", "publish", str(lab), "--out", str(copy)]) == OK
    work = tmp_path / "work"
    work.mkdir()
    (work / "fcopy.c").write_text(WRONG, encoding="utf-8")
    verdicts = []
    for folder in (lab, copy):
        capfdbinary.readouterr()
        assert status_of(["check", str(work), "--lab", str(folder), "--json", "--sandbox", "local"]) == FAILED
        checks = json.loads(capfdbinary.readouterr().out)["checks"]
        verdicts.append({check["id"]: check["status"] for check in checks})
    full, visible = verdicts
    assert full.keys() - visible.keys() == {"fcopy.unseen"}
    assert visible == {name: status for name, status in full.items() if name in visible}
    assert len(set(visible.values())) > 1
