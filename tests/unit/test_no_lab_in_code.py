"""Nothing under grader/ names a lab: what belongs to one is in its spec and its other files."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

from grader.lab.find import find_lab
from grader.lab.load import read_spec
from grader.lab.mutants import read_mutants
from grader.resources import PACKAGE, resource

SPECS = [*resource("specs").glob("*.yaml")]

SYMPTOMS = {"every-second-pair", "message-on-stdout", "no-message", "nul-dropped"}
"""Names of mutants that are also names of symptoms, which any lab may have."""


def code() -> dict[str, str]:
    names = (path for path in Path(str(PACKAGE)).rglob("*") if path.suffix in (".py", ".c", ".h"))
    return {path.relative_to(PACKAGE).as_posix(): path.read_text(encoding="utf-8") for path in names}


@pytest.mark.parametrize("path", SPECS, ids=lambda path: path.stem)
def test_no_file_names_a_lab_its_programs_or_its_mutants(path: Path) -> None:
    spec = read_spec(path)
    names = [spec.lab, *spec.programs]
    # A program's name may begin with that of the lab, and a file's with that of the program.
    words = re.compile(rf"\b(?:{'|'.join(map(re.escape, names))})(?![a-z])")
    bugs = {mutant.name for mutant in read_mutants(spec, find_lab(spec.lab).mutants)} - SYMPTOMS
    quoted = re.compile(rf"[\"'](?:{'|'.join(map(re.escape, bugs))})[\"']")
    found = {name: [*words.findall(text), *quoted.findall(text)] for name, text in code().items()}
    assert {name: named for name, named in found.items() if named} == {}


def test_operands_are_named_by_the_spec() -> None:
    names = read_spec(resource("specs", "tr2.yaml")).operand_names
    assert names is not None
    words = re.compile(rf"(?:\b|_)(?:{'|'.join(map(re.escape, names))})\b")
    diagnosing = {name: text for name, text in code().items() if name.startswith("diagnose/")}
    assert {name: words.findall(text) for name, text in diagnosing.items() if words.search(text)} == {}
