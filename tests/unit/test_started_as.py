"""Messages name commands as the grader was started."""

from __future__ import annotations

from pathlib import Path

import pytest

from grader.cli.main import status_of
from grader.cli.own_command import with_own_command
from grader.cli.started_as import started_as
from grader.model.report import CasesEvidence

from .render import factory


def test_an_installed_grader_is_a_command(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PEX", raising=False)
    assert started_as() == "grader"


def test_the_single_file_is_started_with_python(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "my lab"
    folder.mkdir()
    monkeypatch.setenv("PEX", str(folder / "grader.pyz"))
    assert started_as() == f"python3 '{folder}/grader.pyz'"
    monkeypatch.chdir(folder)
    assert started_as() == "python3 grader.pyz"


def test_lines_to_repeat_start_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("PEX", raising=False)
    report = factory.diagnosed(findings=(factory.finding(repeat="cat grader in\ngrader input x >in"),))
    assert with_own_command(report) is report
    monkeypatch.setenv("PEX", str(tmp_path / "grader.pyz"))
    monkeypatch.chdir(tmp_path)
    own = with_own_command(report)
    evidence = own.checks[1].evidence
    assert isinstance(evidence, CasesEvidence)
    assert (
        evidence.cases[0].repeat == "python3 grader.pyz input --lab tr2 ff-inside >in\n./tr2b ab ba <in | od -A d -c"
    )
    assert own.findings[0].repeat == "cat grader in\npython3 grader.pyz input x >in"
    assert own.checks[3] == report.checks[3]


def test_usage_names_it(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    monkeypatch.setenv("PEX", str(tmp_path / "grader.pyz"))
    monkeypatch.chdir(tmp_path)
    assert status_of(["doctor", "--help"]) == 0
    assert capsys.readouterr().out.startswith("Usage: python3 grader.pyz doctor ")
