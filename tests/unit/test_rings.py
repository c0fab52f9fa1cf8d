"""The table of rings knows all tests, misses no module that a ring imports, and runs everything where it must."""

from __future__ import annotations

import ast
import subprocess
from collections.abc import Sequence
from functools import cache
from pathlib import Path

import pytest

from tests.rings import ALL, CHECKOUT, PASSED, changed_files, choose, holds, read_table

from .sources import statements

TABLE = read_table()
ALL_PATHS = [path for ring in TABLE.rings.values() for path in ring.paths]
ALL_TESTS = [test for ring in TABLE.rings.values() for test in ring.tests]


def files_of(paths: list[str]) -> list[Path]:
    """The test files among these paths."""
    named = [CHECKOUT / path for path in paths]
    return [file for path in named for file in ([path] if path.is_file() else path.rglob("*.py"))]


@cache
def imported(file: Path) -> Sequence[Path]:
    """The modules of this project that one of its modules imports."""
    found: list[Path] = []
    package = file.relative_to(CHECKOUT).parts[:-1]
    for node in statements(ast.parse(file.read_text(encoding="utf-8"))):
        if isinstance(node, ast.Import):
            names = [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom):
            above = list(package[: len(package) - node.level + 1]) if node.level else []
            base = ".".join([*above, *([node.module] if node.module else [])])
            names = [base, *(f"{base}.{alias.name}" for alias in node.names)]
        else:
            continue
        for name in names:
            path = CHECKOUT.joinpath(*name.split("."))
            found += [module for module in (path.with_suffix(".py"), path / "__init__.py") if module.is_file()]
    return found


def modules_of(tests: list[str]) -> set[str]:
    """The modules of the grader that tests import, or helpers of theirs; every test has the fixtures of tests/."""
    todo, seen, modules = files_of(tests), set[Path](), set[str]()
    todo += [conftest for file in todo if (conftest := file.with_name("conftest.py")).exists()]
    while todo:
        file = todo.pop()
        if file in seen:
            continue
        seen.add(file)
        for found in imported(file):
            name = str(found.relative_to(CHECKOUT))
            if name.startswith("grader/"):
                modules.add(name)
            elif name.startswith("tests/") and name != "tests/conftest.py":
                todo.append(found)
    return modules


def of_rings(modules: set[str]) -> set[str]:
    """Those that do not ask for all tests."""
    return {module for module in modules if holds(ALL_PATHS, module) and not holds(TABLE.everything, module)}


@pytest.mark.parametrize("name", TABLE.rings)
def test_a_ring_has_every_module_that_its_tests_import(name: str) -> None:
    ring = TABLE.rings[name]
    assert {module for module in of_rings(modules_of([*ring.tests])) if not holds(ring.paths, module)} == set()


def test_every_path_of_the_table_is_there() -> None:
    for path in [*TABLE.always, *TABLE.everything, *TABLE.documents, *ALL_TESTS, *ALL_PATHS]:
        assert [*CHECKOUT.glob(path)], path


def test_tests_in_no_ring_import_nothing_that_a_ring_has() -> None:
    """Otherwise they would not run for it."""
    files = [*CHECKOUT.glob("tests/*/test_*.py")]
    names = [str(file.relative_to(CHECKOUT)) for file in files]
    alone = [name for name in names if not holds([*ALL_TESTS, *TABLE.always], name)]
    assert alone
    assert of_rings(modules_of(alone)) == set()


@pytest.mark.parametrize(
    "file",
    [
        *("grader/guest/main.py", "grader/guest/tally/guard.c", "grader/sandbox/docker.py", "grader/judge/calls.py"),
        *("docker/Dockerfile", "docker/gradescope/run_autograder", "tests/rings.yaml", "tests/conftest.py"),
        *("grader/model/plan.py", "specs/tr2.yaml", "pyproject.toml", "scripts/test.sh", "grader/new_package/new.py"),
        *("tests/hostile/programs/translate.h", "tests/waits.py", ".ci/run"),
    ],
)
def test_what_no_ring_has_asks_for_everything(file: str) -> None:
    choice = choose(TABLE, {"grader/render/html/pages.py", file})
    assert choice.tests == ALL
    assert file in choice.reason


@pytest.mark.parametrize(
    ("file", "runs", "leaves_out"),
    [
        (
            "grader/diagnose/behaviour/symptoms.py",
            "tests/corpus/test_proofs.py",
            "tests/docker/test_autograder_zip.py",
        ),
        ("reports/index.html.j2", "tests/browser", "tests/corpus/test_proofs.py"),
        ("docs/check.md", "tests/docs", "tests/browser"),
        ("grader/gradescope/run.py", "tests/hostile/test_in_hook.py", "tests/docker/test_class.py"),
        ("CHANGELOG.md", "tests/unit", "tests/docs"),
        ("tests/contract/test_limits.py", "tests/contract/test_limits.py", "tests/docs"),
        ("tests/contract/test_that_was_removed.py", "tests/unit", "tests/docs"),
    ],
)
def test_a_change_runs_its_ring_and_what_always_runs(file: str, runs: str, leaves_out: str) -> None:
    tests = choose(TABLE, {file}).tests
    assert runs in tests
    assert leaves_out not in tests
    assert {"tests/unit", "tests/docker/test_container.py"} <= {*tests}


@pytest.mark.parametrize("folder", ["grader/diagnose", "grader/render", "docs", "reports"])
def test_what_explains_and_what_shows_runs_no_hostile_program_and_no_hook(folder: str) -> None:
    suffixes = {".py", ".md", ".j2", ".yaml"}
    files = [str(path.relative_to(CHECKOUT)) for path in (CHECKOUT / folder).rglob("*") if path.suffix in suffixes]
    costly = (
        "tests/hostile",
        "tests/docker",
        "tests/corpus/test_gradescope_run.py",
        "tests/installed/test_bundle.py",
    )
    assert len(files) > 10
    chosen = {test for file in files for test in choose(TABLE, {file}).tests}.difference(TABLE.always)
    assert chosen
    assert not [test for test in chosen if holds(costly, test) or test in ALL]


def test_no_test_is_chosen_twice() -> None:
    tests = choose(TABLE, {"grader/diagnose/behaviour/symptoms.py", "docs/check.md", "reports/index.html.j2"}).tests
    assert not [test for test in tests if holds({*tests} - {test}, test)]
    assert "tests/docs" in tests
    assert "tests/docs/test_mentions.py" not in tests


def git(checkout: Path, *command: str) -> str:
    identity = ("-c", "user.name=a", "-c", "user.email=a@example.com")
    done = subprocess.run(
        ["git", *identity, *command],  # noqa: S607 - wherever git is
        cwd=checkout,
        capture_output=True,
        text=True,
        check=True,
        timeout=60,
    )
    return done.stdout.strip()


def test_a_change_is_what_differs_from_the_commit_that_has_passed(tmp_path: Path) -> None:
    git(tmp_path, "init", "--quiet")
    for name in ("kept", "changed", "moved", "in work"):
        (tmp_path / name).write_text(name)
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "1")
    assert changed_files(tmp_path) is None
    passed = tmp_path / PASSED
    passed.parent.mkdir()
    passed.write_text(git(tmp_path, "rev-parse", "HEAD"))
    (tmp_path / "changed").write_text("!")
    git(tmp_path, "mv", "moved", "moved there")
    git(tmp_path, "add", ".")
    git(tmp_path, "commit", "--quiet", "--message", "2")
    (tmp_path / "in work").write_text("!")
    (tmp_path / "new").touch()
    assert changed_files(tmp_path) == {PASSED, "changed", "moved", "moved there", "in work", "new"}


@pytest.mark.parametrize("commit", ["0" * 40, "", "--output=/dev/null", "no such branch"])
def test_without_a_commit_that_is_known_everything_runs(tmp_path: Path, commit: str) -> None:
    git(tmp_path, "init", "--quiet")
    (tmp_path / ".ci").mkdir()
    (tmp_path / PASSED).write_text(commit)
    assert changed_files(tmp_path) is None
    assert choose(TABLE, None).tests == ALL


def test_the_commit_of_this_checkout_is_one() -> None:
    assert len((CHECKOUT / PASSED).read_text(encoding="ascii").strip()) == 40
