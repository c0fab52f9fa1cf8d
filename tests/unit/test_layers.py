"""Imports only go down: the table of docs/architecture.md, held against every module of grader."""

from __future__ import annotations

import ast
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

PACKAGE = Path(__file__).parents[2] / "grader"

# An area is a folder of grader, or a module at its top; `grader` itself holds the version and is everybody's.
ALLOWED = {
    "errors": set[str](),
    "cache": {"errors"},
    "resources": {"errors"},
    "model": {"errors"},
    "guest": set[str](),
    "intake": {"model", "errors", "resources"},
    "diagnose": {"model", "errors", "judge"},
    "judge": {"model", "errors", "diagnose"},
    "notebook": {"model", "errors"},
    "render": {"model", "errors", "resources", "cache"},
    "sandbox": {"model", "errors", "resources", "cache"},
}
TOP = {
    "atomic_write",
    "batch",
    "bugs",
    "cluster",
    "collect",
    "comparison",
    "doctor",
    "grading",
    "kept_lab",
    "lab",
    "measurement",
    "oracle",
    "partial",
    "pipeline",
    "planning",
    "preparation",
    "probe",
    "results",
    "store",
    "workers",
}
"""Modules above all folders but cli; between them only cycles are forbidden."""

COMMANDS = {"bundle", "checking", "gradescope", "hook", "publish", "rig", "selfcheck"}
"""Above these again, each for one command: they do not know each other, and nothing but cli knows them."""

PURE = ("judge", "diagnose", "model", "notebook")
DOES_IO = {"os", "io", "pathlib", "subprocess", "socket", "tempfile", "shutil", "sys", "time", "threading", "random"}


def module_name(path: Path) -> str:
    parts = path.relative_to(PACKAGE.parent).with_suffix("").parts
    return ".".join(parts[:-1] if parts[-1] == "__init__" else parts)


MODULES = {module_name(path): path for path in sorted(PACKAGE.rglob("*.py"))}


def area(module: str) -> str:
    return ([*module.split("."), "", ""][1]) or "grader"


@cache
def imports(module: str) -> frozenset[str]:
    """Every module that a module imports, at its top or inside a function."""
    return frozenset(_imports(module))


def _imports(module: str) -> Iterator[str]:
    path = MODULES[module]
    package = module if path.name == "__init__.py" else module.rpartition(".")[0]
    for node in ast.walk(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                name = f"{origin}.{alias.name}"
                yield name if name in MODULES else origin


def ours(module: str) -> set[str]:
    return {name for name in imports(module) if name.split(".")[0] == "grader"}


def test_the_walk_sees_imports_of_each_kind() -> None:
    assert "grader.cli.grade" in MODULES
    assert {"grader", "grader.errors", "click", "signal"} <= imports("grader.cli.main")
    assert "grader.guest.launch" in imports("grader.guest.streams"), "relative"
    assert "grader.sandbox.local" in imports("grader.sandbox.choose"), "inside a function"
    assert "grader.sandbox.base" in imports("grader.cli.progress"), "a module by its package"


def test_every_area_is_in_the_table() -> None:
    areas = {area(module) for module in MODULES}
    assert areas <= {"grader", "cli", "__main__"} | set(ALLOWED) | TOP | COMMANDS


@pytest.mark.parametrize("module", sorted(MODULES))
def test_imports_only_go_down(module: str) -> None:
    own = area(module)
    wanted = {area(name) for name in ours(module)} - {own}
    if own == "grader":
        assert not wanted, "the package's own module holds the version and nothing else"
    elif own == "__main__":
        assert wanted == {"cli"}
    elif own in TOP | COMMANDS:
        assert wanted <= {"grader"} | set(ALLOWED) - {"guest"} | TOP
    elif own in ALLOWED:
        assert wanted <= ALLOWED[own] | ({"grader"} if own != "guest" else set())


@pytest.mark.parametrize("module", [name for name in MODULES if area(name) == "guest"])
def test_the_guest_needs_the_standard_library_and_itself_only(module: str) -> None:
    for name in imports(module):
        inside = name.startswith("grader.guest.") or name == "grader.guest"
        assert inside or name.split(".")[0] in sys.stdlib_module_names, name


@pytest.mark.parametrize("module", [name for name in MODULES if area(name) == "guest"])
def test_the_guest_imports_itself_relatively_because_it_has_another_name_in_the_sandbox(module: str) -> None:
    assert "from grader" not in MODULES[module].read_text(encoding="utf-8")


@pytest.mark.parametrize("module", [name for name in MODULES if area(name) in PURE])
def test_what_is_pure_has_nothing_to_do_io_with(module: str) -> None:
    assert not {name.split(".")[0] for name in imports(module)} & DOES_IO


def test_nothing_but_the_command_line_knows_the_command_line() -> None:
    users = {name for name in MODULES if any(area(other) == "cli" for other in ours(name))}
    assert {area(name) for name in users} <= {"cli", "__main__"}


@pytest.mark.parametrize("module", [name for name in MODULES if area(name) not in ("cli", "guest")])
def test_only_the_command_line_exits(module: str) -> None:
    names = {ast.unparse(node) for node in ast.walk(ast.parse(MODULES[module].read_bytes()))}
    assert not names & {"sys.exit", "os._exit", "SystemExit", "exit", "quit"}


def test_there_is_no_cycle() -> None:
    graph = {module: (ours(module) & set(MODULES)) - {module, "grader"} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_package_is_imported_for_what_its_init_collects() -> None:
    empty = [name for name, path in MODULES.items() if path.name == "__init__.py" and name != "grader"]
    assert all(not MODULES[name].read_bytes() for name in empty)
