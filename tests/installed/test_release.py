"""The software bill of materials of a release: what grader.pyz contains, the same in each build."""

from __future__ import annotations

import json
import zipfile
from pathlib import Path

import pytest
from packaging.utils import canonicalize_name, parse_wheel_filename

import grader
from scripts.make_release import write_sbom

from .conftest import CHECKOUT

pytestmark = [pytest.mark.slow, pytest.mark.usefixtures("pyz")]  # it leaves the wheels

ONLY_ON_OTHER_PYTHONS = {"exceptiongroup", "tomli"}
"""What packages need on Python 3.10 alone."""


def test_it_lists_what_the_one_file_contains_the_same_in_each_build(pyz: Path, wheels: Path, tmp_path: Path) -> None:
    first, second = tmp_path / "first.json", tmp_path / "second.json"
    for target in (first, second):
        write_sbom(target, wheels, tmp_path / "scratch")
    assert first.read_bytes() == second.read_bytes()
    listed = json.loads(first.read_bytes())
    assert listed["bomFormat"] == "CycloneDX"
    assert "timestamp" not in listed["metadata"]
    found: dict[str, str] = {canonicalize_name(one["name"]): one["version"] for one in listed["components"]}
    with zipfile.ZipFile(pyz) as archive:
        names = {name.split("/")[1] for name in archive.namelist() if name.startswith(".deps/")} - {""}
    packed = {package: str(version) for package, version, _, _ in map(parse_wheel_filename, names)}
    assert found == {package: version for package, version in packed.items() if package in found}
    assert packed.keys() - found.keys() <= ONLY_ON_OTHER_PYTHONS
    assert found["iolab-grader"] == grader.__version__
    assert all(one.get("licenses") for one in listed["components"])
    assert str(tmp_path).encode() not in first.read_bytes()
    assert str(CHECKOUT).encode() not in first.read_bytes()
