"""The corpus of wrong programs is complete, and what truth.yaml says fits the programs. Nothing is graded here."""

from __future__ import annotations

import re
import subprocess
from collections import Counter
from pathlib import Path
from typing import Any

import pytest
import yaml

FOLDER = Path(__file__).parent
PROGRAMS = {path.stem: path for path in sorted((FOLDER / "programs").iterdir())}
TRUTH: dict[str, dict[str, Any]] = yaml.safe_load((FOLDER / "truth.yaml").read_text(encoding="utf-8"))

GCC = ("gcc", "-std=gnu11", "-O2", "-w", "-fpermissive")
"""With -fpermissive gcc 14 accepts implicit declarations and wrong pointers, as gcc 12 does."""

COMPILE_TIMEOUT_S = 120
STRING_OR_COMMENT = re.compile(
    r""" ( "(?:\\.|[^"\\\n])*" | '(?:\\.|[^'\\\n])*' ) | /\*.*?\*/ | //[^\n]* """, re.DOTALL | re.VERBOSE
)


def source(name: str) -> str:
    """Return a program's text; the bytes of some comments are Latin-1, which can decode any byte."""
    return PROGRAMS[name].read_text(encoding="latin-1")


def without_layout(code: str) -> str:
    """Return C code without comments and white space, except in string literals."""
    parts = STRING_OR_COMMENT.split(code)
    return "".join((part or "") if place % 2 else "".join(part.split()) for place, part in enumerate(parts))


def compiles(names: list[str], *options: str) -> subprocess.CompletedProcess[str]:
    command = [*GCC, *options, *(str(PROGRAMS[name]) for name in names)]
    return subprocess.run(command, check=False, capture_output=True, text=True, timeout=COMPILE_TIMEOUT_S)


def test_the_table_names_the_programs_of_the_folder() -> None:
    assert sorted(TRUTH) == sorted(PROGRAMS)
    assert {path.suffix for path in PROGRAMS.values()} == {".c"}


def test_each_program_of_the_lab_has_half_of_them() -> None:
    assert Counter(name.split("-")[0] for name in TRUTH) == {"b": 80, "u": 80}


@pytest.mark.parametrize("name", sorted(TRUTH))
def test_an_entry_says_what_is_wrong_and_where(name: str) -> None:
    entry = TRUTH[name]
    assert {"bug", "lines", "affects"} <= set(entry) <= {"bug", "lines", "affects", "compiles"}
    assert entry["bug"].endswith(".")
    assert entry["affects"]
    assert all(isinstance(effect, str) for effect in entry["affects"])
    lines = source(name).splitlines()
    assert entry["lines"]
    assert entry["lines"] == sorted(set(entry["lines"]))
    assert [
        number for number in entry["lines"] if not (1 <= number <= len(lines) and lines[number - 1].strip())
    ] == []


def test_gcc_accepts_the_programs_that_are_said_to_compile() -> None:
    compiled = compiles([name for name, entry in TRUTH.items() if entry.get("compiles", True)], "-fsyntax-only")
    assert compiled.returncode == 0, compiled.stderr


@pytest.mark.parametrize("name", [name for name, entry in TRUTH.items() if "compiles" in entry])
def test_gcc_refuses_the_others(name: str, tmp_path: Path) -> None:
    """Also what only the linker refuses."""
    assert TRUTH[name]["compiles"] is False
    assert compiles([name], "-o", str(tmp_path / "program")).returncode != 0


def test_no_two_programs_are_equal() -> None:
    names: dict[str, list[str]] = {}
    for name in PROGRAMS:
        names.setdefault(without_layout(source(name)), []).append(name)
    assert [twins for twins in names.values() if len(twins) > 1] == []


def test_layout_and_comments_do_not_count() -> None:
    code = 'int main(void) { puts("/* a  b */"); } // one\n'
    assert without_layout(code) == without_layout('/* two\n*/ int main( void )\n{\n\tputs("/* a  b */") ;}')
    assert without_layout(code) != without_layout(code.replace("a  b", "a b"))
