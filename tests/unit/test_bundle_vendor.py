from __future__ import annotations

from collections.abc import Mapping
from importlib.metadata import distribution
from pathlib import Path

import pytest
from packaging.markers import default_environment
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from grader.errors import GraderError, UsageError
from grader.gradescope.bundle import vendor
from grader.gradescope.bundle.packing import packed
from grader.gradescope.bundle.vendor import PIP, PYTHONS, Machine, vendored_wheels
from grader.gradescope.bundle.wheel import Wheel


def tiny_wheel(name: str, version: str, tag: str, *requires: str) -> Wheel:
    """A wheel that pip can download, with nothing in it."""
    folder = f"{name}-{version}.dist-info"
    needs = "".join(f"Requires-Dist: {other}\n" for other in requires)
    metadata = f"Metadata-Version: 2.1\nName: {name}\nVersion: {version}\n{needs}"
    about = f"Wheel-Version: 1.0\nRoot-Is-Purelib: true\nTag: {tag}\n"
    files = {f"{folder}/METADATA": metadata.encode(), f"{folder}/WHEEL": about.encode(), f"{folder}/RECORD": b""}
    return Wheel(f"{name}-{version}-{tag}.whl", packed(files, compress=False))


def compiled(version: str, python: str, machine: Machine) -> Wheel:
    tag = f"cp{python.replace('.', '')}"
    return tiny_wheel("helper", version, f"{tag}-{tag}-manylinux_2_17_{machine}")


OWN = tiny_wheel("demo", "1", "py3-none-any", "helper")
PIP_WHEEL = tiny_wheel("pip", PIP.partition("==")[2], "py3-none-any")


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder in which pip looks for packages, and nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    wheels = [compiled("1", python, machine) for python in PYTHONS for machine in ("x86_64", "aarch64")]
    for wheel in (PIP_WHEEL, *wheels, *(compiled("2", python, "x86_64") for python in PYTHONS)):
        (folder / wheel.name).write_bytes(wheel.data)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


@pytest.mark.usefixtures("index")
def test_each_python_has_its_wheels_at_the_versions_asked_for_and_pip() -> None:
    said: list[str] = []
    found = vendored_wheels(OWN, b"helper==1\n", ["x86_64"], said.append)
    wheels = [PIP_WHEEL, *(compiled("1", python, "x86_64") for python in PYTHONS)]
    assert found == {wheel.name: wheel.data for wheel in wheels}
    assert said == [f"getting the packages for Python {python} on x86_64" for python in PYTHONS]


@pytest.mark.usefixtures("index")
def test_for_two_machines(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor, "PYTHONS", PYTHONS[:1])  # half a second for each is enough
    found = vendored_wheels(OWN, b"helper==1\n", ["x86_64", "aarch64"], [].append)
    wheels = [PIP_WHEEL, *(compiled("1", PYTHONS[0], machine) for machine in ("x86_64", "aarch64"))]
    assert found == {wheel.name: wheel.data for wheel in wheels}


def test_a_package_that_cannot_be_had_is_told_with_the_python_it_is_for(index: Path) -> None:
    (index / compiled("1", PYTHONS[0], "x86_64").name).unlink()
    with pytest.raises(GraderError, match=rf"(?s)for Python {PYTHONS[0]} on x86_64; its last lines.*helper==1"):
        vendored_wheels(OWN, b"helper==1\n", ["x86_64"], [].append)


def test_without_pip_it_says_how_to_get_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(vendor, "find_spec", lambda _name: None)
    with pytest.raises(UsageError, match=r"needs pip beside the grader: run `.* -m ensurepip`"):
        vendored_wheels(OWN, b"", ["x86_64"], [].append)


def packages(name: str, environment: Mapping[str, str]) -> set[str]:
    """All that a package needs, itself included, in an environment; as the metadata of what is installed here say."""
    found: set[str] = set()
    left = [canonicalize_name(name)]
    while left:
        found.add(one := left.pop())
        for requirement in map(Requirement, distribution(one).requires or ()):
            wanted = requirement.marker is None or requirement.marker.evaluate({**environment, "extra": ""})
            if wanted and canonicalize_name(requirement.name) not in found:
                left.append(canonicalize_name(requirement.name))
    return found


@pytest.mark.parametrize("python", PYTHONS)
def test_on_every_python_the_same_packages_are_needed_as_on_this_one(python: str) -> None:
    here = {key: str(value) for key, value in default_environment().items()}
    there = {**here, "python_version": python, "python_full_version": f"{python}.0"}
    assert packages("iolab-grader", there) == packages("iolab-grader", here)
