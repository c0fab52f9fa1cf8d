"""Hostile ways to hand in: none gets more than its programs deserve, or changes anything around it.

What is around the programs never reaches a sandbox, so two short runs show that the right ones were read.
"""

from __future__ import annotations

import shutil
from pathlib import Path

import pytest

from grader.cli.exit_status import OK
from grader.lab.load import read_spec
from grader.model.spec.lab import Spec

from .class_folder import GradedClass, assert_inert, assert_result, grade_class, write, write_canary
from .handed_in import IN_CLASS, OWNED, RIGHT
from .programs import PASSES, SOLUTION

pytestmark = [pytest.mark.slow, pytest.mark.timeout(900)]  # the first test grades the class

NEIGHBOUR = "a-honest"
"""Some of them want its files."""

EXPECTED = {NEIGHBOUR: PASSES, **{one.graded_as: one.expected for one in IN_CLASS}}

LAB = """
spec_version: 1
lab: intake
title: Two programs that are read and run
programs:
  tr2b: {source: tr2b.c, title: copies by getchar}
  tr2u: {source: tr2u.c, title: copies by read}
inputs:
  letters: {kind: literal, data: "abcabc xyz"}
cases:
  swap: {operands: [ab, ba], input: letters}
  one-operand: {operands: [abc], input: letters, expect: operand-error}
rubric:
  - {name: build, kind: build, title: Compiles, points: {tr2b: 10, tr2u: 10}}
  - {name: text, kind: cases, title: Copies, cases: [swap, one-operand], points: {tr2b: 40, tr2u: 40}}
"""


@pytest.fixture(scope="module")
def lab_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("lab")
    shutil.copytree(SOLUTION, folder / "reference")
    path = folder / "lab.yaml"
    path.write_text(LAB, encoding="utf-8")
    return path


@pytest.fixture(scope="module")
def lab(lab_path: Path) -> Spec:
    return read_spec(lab_path)


@pytest.fixture(scope="module")
def graded(lab_path: Path, cache_home: Path, tmp_path_factory: pytest.TempPathFactory) -> GradedClass:
    folder = tmp_path_factory.mktemp("handed-in")
    canary = write_canary(folder / "canary")
    write(folder / "in" / NEIGHBOUR, RIGHT)
    for odd in IN_CLASS:
        odd.make(folder / "in" / odd.name)
    return grade_class(folder, canary, lab_path, cache_home, "local")


@pytest.mark.parametrize("name", EXPECTED)
def test_what_is_handed_in_gets_what_its_programs_deserve(graded: GradedClass, lab: Spec, name: str) -> None:
    assert_result(graded.reports[name], EXPECTED[name], lab)


def test_nothing_else_changes(graded: GradedClass) -> None:
    assert graded.status == OK
    assert graded.wrong == []
    assert set(graded.reports) == set(EXPECTED)
    assert not Path(OWNED).exists()


def test_what_people_open_is_inert(graded: GradedClass) -> None:
    assert_inert(graded.out)
