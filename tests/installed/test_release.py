"""The software bill of materials of a release: what grader.pyz contains, the same in each build."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name, parse_wheel_filename

import grader
from scripts.make_release import write_sbom

from .conftest import CHECKOUT, packed_wheels

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pyz")]  # it leaves the wheels


def test_it_lists_what_the_one_file_contains_the_same_in_each_build(pyz: Path, wheels: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    for target in (first, second):
        write_sbom(target, wheels, tmp_path / "scratch")
    assert first.read_bytes() == second.read_bytes()
    listed = json.loads(first.read_bytes())
    assert listed["bomFormat"] == "CycloneDX"
    assert "timestamp" not in listed["metadata"]
    components = listed["components"]
    packed = {(package, str(version)) for package, version, _, _ in map(parse_wheel_filename, packed_wheels(pyz))}
    assert {(canonicalize_name(component["name"]), component["version"]) for component in components} == packed
    assert ("iolab-grader", grader.__version__) in packed
    assert [component["name"] for component in components if not component.get("licenses")] == []
    assert str(tmp_path).encode() not in first.read_bytes()
    assert str(CHECKOUT).encode() not in first.read_bytes()
