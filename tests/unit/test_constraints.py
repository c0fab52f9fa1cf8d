"""The pinned versions: each is one that every Python which the grader is for can have."""

from __future__ import annotations

import sys
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.specifiers import SpecifierSet

from grader.gradescope.bundle.vendor import PYTHONS

PINS = {
    (pin := Requirement(line)).name: pin
    for line in (Path(__file__).parents[2] / "constraints.txt").read_text("ascii").splitlines()
    if line and not line.startswith("#")
}
OLDER_ONLY = {"exceptiongroup", "tomli"}
"""What other packages need on Python 3.10, and no longer on 3.11."""

HERE = PINS.keys() - (OLDER_ONLY if sys.version_info >= (3, 11) else set())


@pytest.mark.parametrize("name", sorted(HERE))
def test_a_pin_is_what_is_installed_and_runs_on_every_python(name: str) -> None:
    found = distribution(name)
    assert PINS[name].specifier == SpecifierSet(f"=={found.version}")
    admitted = SpecifierSet(str(found.metadata.json.get("requires_python", "")))
    assert [python for python in PYTHONS if not admitted.contains(python)] == []
