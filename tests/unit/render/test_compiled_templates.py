"""The code of templates is stored and used again, and never used for other templates."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest
from jinja2 import Environment, FileSystemLoader

from grader.cache.trusted_code import TrustedCache
from grader.render.html import compiled
from grader.render.html.compiled import CompiledTemplates
from tests.waits import ENDS_S


@pytest.fixture
def templates(tmp_path: Path) -> Path:
    folder = tmp_path / "templates"
    folder.mkdir()
    (folder / "page").write_text("<b>{{ name }}</b>")
    (folder / "other").write_text("other")
    return folder


@pytest.fixture
def cache(tmp_path: Path) -> TrustedCache:
    return TrustedCache(tmp_path / "compiled")


class CountingEnvironment(Environment):
    """Counts the templates that it compiles."""

    compiled = 0

    def _generate(self, *args: object, **options: object) -> str:
        self.compiled += 1
        return str(super()._generate(*args, **options))  # type: ignore[arg-type]


def run(templates: Path, cache: TrustedCache, *names: str) -> tuple[int, list[str]]:
    """Fill templates like a new process; return how many had to be compiled, and the pages."""
    code = CompiledTemplates(templates, cache)
    own = CountingEnvironment(loader=FileSystemLoader(templates), bytecode_cache=code, autoescape=True)
    pages = [own.get_template(name).render(name="&") for name in names]
    code.store()
    return own.compiled, pages


def test_templates_are_compiled_once(templates: Path, cache: TrustedCache) -> None:
    assert run(templates, cache, "page", "other") == (2, ["<b>&amp;</b>", "other"])
    assert run(templates, cache, "page", "other") == (0, ["<b>&amp;</b>", "other"])


def test_a_template_that_was_not_needed_before_is_added(templates: Path, cache: TrustedCache) -> None:
    assert run(templates, cache, "page") == (1, ["<b>&amp;</b>"])
    assert run(templates, cache, "page", "other")[0] == 1
    assert run(templates, cache, "page", "other")[0] == 0


def test_a_changed_template_is_compiled_again(templates: Path, cache: TrustedCache) -> None:
    run(templates, cache, "page", "other")
    (templates / "page").write_text("<i>{{ name }}</i>")
    assert run(templates, cache, "page", "other") == (1, ["<i>&amp;</i>", "other"])


def test_another_version_of_jinja2_does_not_use_it(
    templates: Path, cache: TrustedCache, monkeypatch: pytest.MonkeyPatch
) -> None:
    run(templates, cache, "page")
    monkeypatch.setattr(compiled, "version", lambda name: f"another {name}")
    assert run(templates, cache, "page")[0] == 1


def test_code_that_others_could_have_put_there_is_not_used(
    templates: Path, cache: TrustedCache, tmp_path: Path
) -> None:
    run(templates, cache, "page")
    (tmp_path / "compiled").chmod(0o777)
    assert run(templates, cache, "page") == (1, ["<b>&amp;</b>"])


def test_without_a_home_nothing_is_stored(templates: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("grader.cache.trusted_code.user_folder", lambda: None)
    code = CompiledTemplates(templates)
    own = Environment(loader=FileSystemLoader(templates), bytecode_cache=code, autoescape=True)
    assert own.get_template("page").render(name="x") == "<b>x</b>"
    code.store()


@pytest.mark.long
def test_a_process_of_the_grader_uses_what_another_stored(tmp_path: Path) -> None:
    count = """
import jinja2
from grader.render.html.environment import compile_templates
generate = jinja2.Environment._generate
jinja2.Environment._generate = lambda *args, **options: print("compiled") or generate(*args, **options)
compile_templates(class_page=True)
"""
    runs = [
        subprocess.run(
            [sys.executable, "-c", count],
            env={**os.environ, "XDG_CACHE_HOME": str(tmp_path)},
            capture_output=True,
            text=True,
            timeout=ENDS_S,
            check=True,
        ).stdout.count("compiled")
        for _ in range(2)
    ]
    assert runs[0] > 0
    assert runs[1] == 0
