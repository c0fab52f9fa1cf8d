"""The templates' code, kept between runs: by one's own processes only."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest
from jinja2 import Environment, FileSystemLoader

from grader.cache.trusted_code import KeptCode
from grader.render.html import kept_templates
from grader.render.html.kept_templates import compile_all
from grader.resources import resource

NOBODY = 65_534
TEMPLATES = {"one.html.j2": "one {% include 'other.html.j2' %}", "other.html.j2": "other"}


class Counting(Environment):
    """Jinja2, which says what it compiles."""

    compiled: list[str | None]

    def _generate(self, source: Any, name: str | None, *arguments: Any, **options: Any) -> str:  # noqa: ANN401
        self.compiled.append(name)
        return super()._generate(source, name, *arguments, **options)


@dataclass
class Shelf:
    """Templates, and where their code is kept."""

    reports: Path
    kept: Path

    def compiled(self, *, filled: str = "one other", kept: bool = True) -> list[str]:
        """Return what a new process would compile."""
        environment = Counting(loader=FileSystemLoader(self.reports))
        environment.compiled = []
        compile_all(environment, self.reports, KeptCode(self.kept) if kept else None)
        assert environment.get_template("one.html.j2").render() == filled
        return sorted(map(str, environment.compiled))


@pytest.fixture
def shelf(tmp_path: Path) -> Shelf:
    (tmp_path / "reports").mkdir()
    for name, text in TEMPLATES.items():
        (tmp_path / "reports" / name).write_text(text)
    return Shelf(tmp_path / "reports", tmp_path / "cache" / "compiled")


ALL = sorted(TEMPLATES)


def test_the_second_time_nothing_is_compiled(shelf: Shelf) -> None:
    assert [shelf.compiled(), shelf.compiled()] == [ALL, []]


def test_only_what_is_filled_is_loaded(shelf: Shelf) -> None:
    shelf.compiled()
    environment = Environment(loader=FileSystemLoader(shelf.reports), autoescape=True)
    compile_all(environment, shelf.reports, KeptCode(shelf.kept))
    assert not environment.cache
    environment.get_template("other.html.j2")
    assert len(environment.cache or ()) == 1


def test_what_was_changed_is_compiled_again_and_kept_instead(shelf: Shelf) -> None:
    shelf.compiled()
    (shelf.reports / "other.html.j2").write_text("another")
    assert shelf.compiled(filled="one another") == ALL
    assert shelf.compiled(filled="one another") == []
    assert len(list(shelf.kept.iterdir())) == 1


@pytest.mark.parametrize("what", ["version", "MAGIC_NUMBER", "grader"])
def test_other_versions_have_other_code(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, what: str) -> None:
    shelf.compiled()
    if what == "grader":
        monkeypatch.setattr("grader.__version__", "0.0.0")
    else:
        other = {"version": lambda package: f"{package} 99", "MAGIC_NUMBER": b"other"}[what]
        monkeypatch.setattr(kept_templates, what, other)
    assert [shelf.compiled(), shelf.compiled()] == [ALL, []]


def test_other_filters_have_other_code(shelf: Shelf, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    beside = tmp_path / "render"
    beside.mkdir()
    (beside / "words.py").write_text("one = 1")
    monkeypatch.setattr(kept_templates, "__file__", str(beside / "kept_templates.py"))
    assert [shelf.compiled(), shelf.compiled()] == [ALL, []]
    (beside / "words.py").write_text("one = 2")
    assert shelf.compiled() == ALL


def for_everybody(path: Path) -> None:
    path.chmod(0o777)


def for_the_group(path: Path) -> None:
    path.chmod(0o770)


def another_s(path: Path) -> None:
    if os.geteuid() != 0:
        pytest.skip("only root can give a folder away")
    os.chown(path, NOBODY, NOBODY)


@pytest.mark.parametrize("spoil", [for_everybody, for_the_group, another_s])
@pytest.mark.parametrize("part", ["the folder", "the one above"])
def test_what_others_could_have_put_there_is_not_run(shelf: Shelf, spoil: Callable[[Path], None], part: str) -> None:
    shelf.compiled()
    spoil(shelf.kept if part == "the folder" else shelf.kept.parent)
    assert [shelf.compiled(), shelf.compiled()] == [ALL, ALL]


def test_what_is_damaged_is_not_run(shelf: Shelf) -> None:
    shelf.compiled()
    [kept] = shelf.kept.glob(f"*/{kept_templates.FILE}")
    kept.write_bytes(kept.read_bytes()[:-1] + b"\0")
    assert [shelf.compiled(), shelf.compiled()] == [ALL, []]


def test_without_a_folder_all_is_compiled(shelf: Shelf) -> None:
    assert [shelf.compiled(kept=False), shelf.compiled(kept=False)] == [ALL, ALL]


def test_where_nothing_can_be_written_all_is_compiled(shelf: Shelf) -> None:
    shelf.kept.parent.write_text("a file is in the way")
    assert [shelf.compiled(), shelf.compiled()] == [ALL, ALL]


PROCESS = """
from jinja2 import Environment
compiled, compile_ = [], Environment.compile
def counted(self, *arguments, **options):
    compiled.append(1)
    return compile_(self, *arguments, **options)
Environment.compile = counted
from grader.render.html.pages import index_html, prepare
prepare()
index_html([])
print(len(compiled))
"""


def test_a_second_process_compiles_none_of_the_reports_templates(tmp_path: Path) -> None:
    environment = {**os.environ, "XDG_CACHE_HOME": str(tmp_path)}
    command = [sys.executable, "-c", PROCESS]
    first, second = (
        subprocess.run(command, env=environment, capture_output=True, text=True, check=True, timeout=120).stdout
        for _ in range(2)
    )
    assert int(first) >= len(list(resource("reports").rglob("*.j2")))
    assert int(second) == 0
