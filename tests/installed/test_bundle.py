"""What pip does with the wheel and the packages of an autograder's zip; they need no index."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from grader.errors import GraderError
from grader.gradescope.bundle import vendor
from grader.gradescope.bundle.packing import packed
from grader.gradescope.bundle.vendor import PIP, PYTHONS, Machine, vendored_wheels
from grader.gradescope.bundle.wheel import Wheel, make_wheel
from grader.messages import ignore_message
from grader.resources import PACKAGE
from grader.selfcheck.new_lab import new_lab

from .conftest import CHECKOUT, build

TIMEOUT_S = 120.0


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
    found = vendored_wheels(OWN, b"helper==1\n", ["x86_64", "aarch64"], ignore_message)
    wheels = [PIP_WHEEL, *(compiled("1", PYTHONS[0], machine) for machine in ("x86_64", "aarch64"))]
    assert found == {wheel.name: wheel.data for wheel in wheels}


def test_a_package_that_cannot_be_had_is_told_with_the_python_it_is_for(index: Path) -> None:
    (index / compiled("1", PYTHONS[0], "x86_64").name).unlink()
    with pytest.raises(GraderError, match=rf"(?s)for Python {PYTHONS[0]} on x86_64; its last lines.*helper==1"):
        vendored_wheels(OWN, b"helper==1\n", ["x86_64"], ignore_message)


@pytest.mark.slow
def test_installed_it_works_and_makes_the_same_zip(tmp_path: Path) -> None:
    wheel = make_wheel()
    path = tmp_path / wheel.name
    path.write_bytes(wheel.data)
    target = tmp_path / "site"
    pip = [
        sys.executable,
        "-m",
        "pip",
        "install",
        "--quiet",
        "--disable-pip-version-check",
        "--no-index",
        "--no-deps",
    ]
    subprocess.run([*pip, "--target", target, path], check=True, cwd=tmp_path, timeout=TIMEOUT_S)
    environment = {**os.environ, "PYTHONPATH": str(target)}

    def run(*command: str | Path) -> str:
        done = subprocess.run(
            command, check=True, cwd=tmp_path, env=environment, capture_output=True, text=True, timeout=TIMEOUT_S
        )
        return done.stdout

    where = run(sys.executable, "-c", "import grader; print(grader.__file__)").strip()
    assert where == str(target / "grader" / "__init__.py")
    run(target / "bin" / "grader", "gradescope", "build", "--lab", "tr2", "--out", "installed.zip")
    build = ("-m", "grader", "gradescope", "build", "--lab", "tr2", "--out", tmp_path / "checkout.zip")
    subprocess.run(
        [sys.executable, *build], check=True, cwd=PACKAGE.parent, stdout=subprocess.DEVNULL, timeout=TIMEOUT_S
    )
    assert (tmp_path / "installed.zip").read_bytes() == (tmp_path / "checkout.zip").read_bytes()


def test_a_lab_in_the_wheel_is_found_by_its_name(tmp_path: Path) -> None:
    new_lab(tmp_path / "echo")
    build(sys.executable, CHECKOUT / "scripts" / "make_wheel.py", tmp_path / "echo", "--out", tmp_path / "dist")
    (path,) = (tmp_path / "dist").iterdir()
    pip = [sys.executable, "-m", "pip", "install", "--quiet", "--no-index", "--no-deps"]
    subprocess.run([*pip, "--target", tmp_path / "site", path], check=True, cwd=tmp_path, timeout=TIMEOUT_S)
    shutil.rmtree(tmp_path / "echo")
    done = subprocess.run(
        [tmp_path / "site" / "bin" / "grader", "input", "--lab", "echo", "text"],
        env={**os.environ, "PYTHONPATH": str(tmp_path / "site")},
        cwd=tmp_path, check=True, capture_output=True, text=True, timeout=TIMEOUT_S,
    )  # fmt: skip
    assert done.stdout == "a line\nand another\n"
