"""Imports only go down: the table of docs/architecture.md, held against every module of grader."""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from grader.batch.result_key import WITHOUT_VERDICTS

from .sources import statements

PACKAGE = Path(__file__).parents[2] / "grader"

# The order of all packages and loose modules, from the top: each imports only from the rows below its own, and nobody
# imports the guest, which runs next to student code and has another name there. `grader` holds the version.
FLOORS = (
    {"__main__"},
    {"cli"},
    {"gradescope", "batch", "selfcheck", "doctor"},
    {"grading"},
    {"explain"},
    {"options"},
    {"render", "lab", "sandbox"},
    {"judge", "diagnose", "similarity", "intake", "course", "resources", "atomic_write"},
    {"notebook"},
    {"model", "cache", "machine_folders"},
    {"errors", "messages", "grader"},
)
APART = {"guest"}

# The order of the parts of packages, in the same way.
PARTS = {
    "render": ({"html", "terminal", "exports"}, {"html.class_page"}, {"views"}, {"text"}),
    "diagnose": ({"bugs", "source"}, {"behaviour"}),
}

PURE = ("judge", "diagnose", "model", "course", "similarity", "notebook")
DOES_IO = {
    "os",
    "io",
    "pathlib",
    "subprocess",
    "socket",
    "tempfile",
    "shutil",
    "sys",
    "time",
    "threading",
    "random",
    "secrets",
}


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
    for node in statements(ast.parse(path.read_bytes())):
        if isinstance(node, ast.Import):
            yield from (alias.name for alias in node.names)
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            origin = ".".join([*above, *filter(None, [node.module])])
            for alias in node.names:
                name = f"{origin}.{alias.name}"
                yield name if name in MODULES else origin


TABLE = PACKAGE.parent / "docs" / "architecture.md"
ROW = re.compile(r"^\| (\d+|apart) \| `(\w+)` \|", re.MULTILINE)

GUEST = [module for module in MODULES if area(module) == "guest"]


def ours(module: str) -> set[str]:
    return {name for name in imports(module) if name.split(".")[0] == "grader"}


def test_the_walk_sees_imports_of_each_kind() -> None:
    assert "grader.cli.grade" in MODULES
    assert {"grader", "grader.errors", "click", "logging"} <= imports("grader.cli.main")
    assert "grader.guest.launch" in imports("grader.guest.streams"), "relative"
    assert "grader.sandbox.local" in imports("grader.sandbox.choose"), "inside a function"
    assert "grader.sandbox.base" in imports("grader.cli.progress"), "a module by its package"


def test_only_names_that_are_computed_are_imported_by_a_function() -> None:
    """The walk does not see these imports. They lead to modules of the same package."""
    users = {module for module in MODULES if {"importlib", "importlib.import_module"} & imports(module)}
    assert users == {"grader.judge.verdict", "grader.cli.lazy"}
    assert not [name for name, path in MODULES.items() if b"__import__" in path.read_bytes()]


def floor(name: str) -> int:
    """Count from the ground."""
    return next(number for number, names in enumerate(reversed(FLOORS)) if name in names)


def test_every_area_is_on_one_floor() -> None:
    placed = [name for names in (*FLOORS, APART) for name in names]
    assert len(placed) == len(set(placed))
    assert {area(module) for module in MODULES} <= set(placed)


def test_the_table_that_people_read_is_the_same() -> None:
    rows = ROW.findall(TABLE.read_text(encoding="utf-8"))
    numbers = [number for number, _ in rows]
    assert numbers == sorted(numbers, reverse=True, key=lambda number: 0 if number == "apart" else int(number))
    floors = {number: {name for other, name in rows if other == number} for number in numbers}
    assert tuple(floors.values()) == (*FLOORS, APART)
    assert [*floors] == [*(str(number) for number in range(len(FLOORS), 0, -1)), "apart"]


def test_imports_only_go_down() -> None:
    upward = [
        f"{module} imports {name}"
        for module in MODULES
        for name in ours(module)
        if area(module) not in APART | {area(name)}
        and (area(name) in APART or floor(area(name)) >= floor(area(module)))
    ]
    assert not upward


def part(package: str, module: str) -> str:
    """Return the part of a package, as PARTS has it, that a module is in; "" for other modules."""
    place = module if MODULES.get(module, Path()).name == "__init__.py" else module.rpartition(".")[0]
    parts = place.split(".")[2:] if area(module) == package else []
    known = [name for row in PARTS[package] for name in row]
    return next((name for name in (".".join(parts[:2]), *parts[:1]) if name in known), ".".join(parts))


@pytest.mark.parametrize("package", PARTS)
def test_imports_within_a_package_only_go_down(package: str) -> None:
    floors = {name: number for number, row in enumerate(PARTS[package]) for name in row}
    assert {part(package, module) for module in MODULES} == {"", *floors}
    upward = [
        f"{module} imports {name}"
        for module in MODULES
        if (own := part(package, module))
        for name in ours(module)
        if (other := part(package, name)) and other != own and floors[other] <= floors[own]
    ]
    assert not upward


def test_the_guest_needs_the_standard_library_and_itself_only() -> None:
    others = {
        name
        for module in GUEST
        for name in imports(module)
        if name.split(".")[:2] != ["grader", "guest"] and name.split(".")[0] not in sys.stdlib_module_names
    }
    assert not others


def test_the_guest_imports_itself_relatively_because_it_has_another_name_in_the_sandbox() -> None:
    assert not [module for module in GUEST if "from grader" in MODULES[module].read_text(encoding="utf-8")]


def test_what_is_pure_has_nothing_to_do_io_with() -> None:
    pure = [module for module in MODULES if area(module) in PURE]
    assert not [module for module in pure if {name.split(".")[0] for name in imports(module)} & DOES_IO]


def test_results_follow_from_nothing_that_their_key_leaves_out() -> None:
    left_out = {name.removesuffix(".py") for name in WITHOUT_VERDICTS}
    assert left_out <= {area(module) for module in MODULES}
    in_key = [module for module in MODULES if area(module) not in left_out | {"__main__"}]
    assert not [module for module in in_key if {area(name) for name in ours(module)} & left_out]


def test_nothing_but_the_command_line_knows_the_command_line() -> None:
    users = {name for name in MODULES if any(area(other) == "cli" for other in ours(name))}
    assert {area(name) for name in users} <= {"cli", "__main__"}


def test_no_command_imports_what_starts_it() -> None:
    assert {name for name in MODULES if "grader.cli.main" in ours(name)} == {"grader.cli.entry"}


def test_only_the_command_line_exits() -> None:
    exits = {"sys.exit", "os._exit", "SystemExit", "exit", "quit"}
    word = re.compile(rb"(?i)exit|quit")
    for module, path in MODULES.items():
        if area(module) not in ("cli", "guest") and word.search(path.read_bytes()):
            nodes = ast.walk(ast.parse(path.read_bytes()))
            names = {ast.unparse(node) for node in nodes if isinstance(node, (ast.Name, ast.Attribute))}
            # This is how Python's documentation has a process end that was forked.
            forked = {"os._exit"} if module == "grader.sandbox.confined_process" else set()
            assert not names & (exits - forked), module


def test_there_is_no_cycle() -> None:
    graph = {module: (ours(module) & set(MODULES)) - {module, "grader"} for module in MODULES}
    try:
        TopologicalSorter(graph).prepare()
    except CycleError as error:
        pytest.fail(" -> ".join(error.args[1]))


def test_no_package_is_imported_for_what_its_init_collects() -> None:
    empty = [name for name, path in MODULES.items() if path.name == "__init__.py" and name != "grader"]
    assert all(not MODULES[name].read_bytes() for name in empty)
