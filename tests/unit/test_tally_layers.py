"""The C files of tally use each other without a cycle, and the includes of each file show which ones it uses."""

from __future__ import annotations

import re
import subprocess
from collections.abc import Sequence
from graphlib import CycleError, TopologicalSorter
from pathlib import Path

import pytest

from grader.sandbox.guest_files import TALLY
from tests.waits import ENDS_S

INCLUDE = re.compile(r'^#include "(\w+)\.h"$', re.MULTILINE)


def compile_into(objects: Path, *files: Path) -> None:
    run(["gcc", "-std=gnu11", "-O0", "-c", *files], objects)  # -O0: the optimiser could remove a call


def used_modules(objects: Path) -> dict[str, set[str]]:
    """Return, for each C file, the other C files whose functions and constants it uses.

    The linker's view counts: a symbol that one object file needs and another one defines.
    """
    defined_in: dict[str, str] = {}
    needed: dict[str, set[str]] = {}
    for name in (file.stem for file in objects.glob("*.o")):
        listing = run(["nm", "-g", "-P", f"{name}.o"], objects)
        types = {line.split()[0]: line.split()[1] for line in listing.splitlines()}
        needed[name] = {symbol for symbol, kind in types.items() if kind == "U"}
        defined_in |= dict.fromkeys(types.keys() - needed[name], name)
    return {name: {defined_in[symbol] for symbol in needed[name] & defined_in.keys()} for name in needed}


def run(command: Sequence[str | Path], folder: Path) -> str:
    done = subprocess.run(command, cwd=folder, check=False, capture_output=True, text=True, timeout=ENDS_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def included_modules(sources: Path, name: str) -> set[str]:
    included = set(INCLUDE.findall((sources / f"{name}.c").read_text(encoding="utf-8")))
    return {module for module in included - {name} if (sources / f"{module}.c").exists()}


def assert_no_cycle(used: dict[str, set[str]]) -> None:
    TopologicalSorter(used).prepare()


@pytest.fixture(scope="module")
def objects(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("objects")
    compile_into(folder, *TALLY.glob("*.c"))
    return folder


@pytest.fixture(scope="module")
def used(objects: Path) -> dict[str, set[str]]:
    return used_modules(objects)


def test_no_cycle(used: dict[str, set[str]]) -> None:
    assert_no_cycle(used)


def test_includes_show_what_a_file_uses(used: dict[str, set[str]]) -> None:
    assert {name: included_modules(TALLY, name) for name in used} == used


def test_main_is_the_top(used: dict[str, set[str]]) -> None:
    """Every other file is used by one: none is left over."""
    assert used.keys() - set().union(*used.values()) == {"main"}


def test_a_cycle_would_be_found(objects: Path, tmp_path: Path) -> None:
    """A fault that calls the clean-up step itself, instead of through the pointer, closes a cycle."""
    for path in (*TALLY.glob("*.h"), TALLY / "fault.c", *objects.glob("*.o")):
        (tmp_path / path.name).write_bytes(path.read_bytes())
    fault = tmp_path / "fault.c"
    fault.write_text(fault.read_text(encoding="utf-8").replace("run->clean_up(run)", "sweep(run)"), encoding="utf-8")
    with (tmp_path / "fault.h").open("a", encoding="utf-8") as header:
        header.write("bool sweep(struct run *run);\n")
    compile_into(tmp_path, fault)
    with pytest.raises(CycleError):
        assert_no_cycle(used_modules(tmp_path))
