"""grader.pyz itself: what is in it, what it runs on, where it unpacks to, and what it says where it cannot."""

from __future__ import annotations

import stat
import sys
import zipfile
from pathlib import Path
from typing import Any

import pytest
from packaging.utils import parse_wheel_filename

from grader.gradescope.bundle.vendor import PYTHONS

from .conftest import CHECKOUT, build, packed_wheels
from .person import Person, pythons, somebody

pytestmark = pytest.mark.slow  # making the file takes half a minute

BROKEN = 3
MACHINES = ("x86_64", "aarch64")


@pytest.fixture(scope="session")
def python(person: Person) -> Path:
    """A Python that an ordinary user may run."""
    return next(iter(pythons(person).values()))


@pytest.fixture
def newcomer(place: Path, request: pytest.FixtureRequest) -> Person:
    """Somebody else, who has never started it."""
    return somebody(place / request.node.name)


def pythons_for(interpreter: str, abi: str) -> tuple[str, ...]:
    """Return those of PYTHONS that a wheel's tag fits; abi3 fits later versions too."""
    if interpreter == "py3":
        return PYTHONS
    version = f"3.{interpreter.removeprefix('cp3')}"
    return PYTHONS[PYTHONS.index(version) :] if abi == "abi3" else (version,)


def test_a_tag_fits_what_it_says() -> None:
    assert pythons_for("py3", "none") == PYTHONS
    assert pythons_for("cp311", "cp311") == ("3.11",)
    assert pythons_for("cp311", "abi3") == PYTHONS[1:]


def test_what_is_compiled_is_there_for_every_python_and_machine(pyz: Path) -> None:
    found: dict[str, set[tuple[str, str]]] = {}
    for package, _version, _build, tags in map(parse_wheel_filename, packed_wheels(pyz)):
        fit = found.setdefault(package, set())
        for tag in tags:
            pythons_of_tag = pythons_for(tag.interpreter, tag.abi)
            machines = MACHINES if tag.platform == "any" else [one for one in MACHINES if tag.platform.endswith(one)]
            fit.update((python, machine) for python in pythons_of_tag for machine in machines)
    wanted = {(python, machine) for python in PYTHONS for machine in MACHINES}
    assert {package: wanted - fit for package, fit in found.items() if wanted - fit} == {}
    assert {"iolab-grader", "pydantic-core", "docker"} <= found.keys()
    assert "distributed" not in found, "several machines are nothing for a student"


def test_every_python_that_is_here_runs_it(pyz: Path, place: Path) -> None:
    us = Person(place / "ours", None)
    us.home.mkdir(exist_ok=True)
    spec = CHECKOUT / "specs" / "tr2.yaml"
    for version, python in pythons(us).items():
        done = us.run(python, pyz, "spec", "validate", spec)
        assert done.returncode == 0, (version, done.stderr)


def test_the_same_packages_give_the_same_bytes(pyz: Path, wheels: Path, place: Path) -> None:
    again = place / "again.pyz"
    elsewhere = {
        "HOME": str(place),
        "XDG_CACHE_HOME": str(place / "cache"),
        "TZ": "Asia/Tokyo",
        "PYTHONHASHSEED": "1",
    }
    build("sh", "-c", 'umask 077; exec "$@"', "sh", sys.executable, "scripts/make_pyz.py", "--out", again,
          "--wheels", wheels, **elsewhere)  # fmt: skip
    assert again.read_bytes() == pyz.read_bytes()


def test_it_tells_nothing_of_where_it_was_built(pyz: Path, wheels: Path) -> None:
    with zipfile.ZipFile(pyz) as archive:
        ours = [name for name in archive.namelist() if "iolab_grader" in name or not name.startswith(".")]
        texts = {name: archive.read(name) for name in ours if not name.endswith("/")}
        assert not [name for name in archive.namelist() if name.endswith("direct_url.json")]
    assert {"PEX-INFO", "__main__.py"} <= texts.keys()
    for folder in (CHECKOUT, wheels, Path(sys.prefix)):
        assert [name for name, text in texts.items() if str(folder).encode() in text] == []


def test_without_a_home_it_unpacks_to_a_folder_of_one_s_own(pyz: Path, python: Path, newcomer: Person) -> None:
    environment: dict[str, Any] = {"HOME": "/nonexistent", "TMPDIR": str(newcomer.home)}
    for _start in range(2):
        done = newcomer.run(python, pyz, "--version", **environment)
        assert (done.returncode, done.stderr) == (0, "")
    (folder,) = newcomer.home.iterdir()
    assert stat.S_IMODE(folder.stat().st_mode) == 0o700
    # Where somebody else could have put programs nothing is run.
    folder.chmod(0o755)
    done = newcomer.run(python, pyz, "--version", **environment)
    assert done.returncode == BROKEN
    assert f"{folder} is not a folder that only you can write" in done.stderr
    assert "PEX_ROOT=" in done.stderr


def test_a_start_that_could_not_unpack_says_why_and_the_next_one_goes_well(
    pyz: Path, python: Path, newcomer: Person
) -> None:
    # No file may be larger than this, which to a program is much like a full disk.
    limited = ["sh", "-c", 'ulimit -f 1000; exec "$@"', "sh"]
    done = newcomer.run(*limited, python, pyz, "--version")
    assert done.returncode == BROKEN, done.stderr
    assert f"it could not be unpacked to {newcomer.home}/.cache/iolab-grader/pyz: " in done.stderr
    assert "Traceback" not in done.stderr
    done = newcomer.run(python, pyz, "--version")
    assert (done.returncode, done.stderr) == (0, "")


def test_half_a_file_says_so(pyz: Path, python: Path, place: Path, newcomer: Person) -> None:
    damaged = place / "damaged.pyz"
    data = bytearray(pyz.read_bytes())
    with zipfile.ZipFile(pyz) as archive:
        largest = max(archive.infolist(), key=lambda entry: entry.compress_size)
    middle = largest.header_offset + largest.compress_size // 2
    data[middle : middle + 64] = bytes(64)
    damaged.write_bytes(data)
    done = newcomer.run(python, damaged, "--version")
    assert done.returncode == BROKEN, done.stderr
    assert "damaged.pyz is damaged" in done.stderr
    assert "Traceback" not in done.stderr


def test_modules_that_lie_about_are_not_taken(pyz: Path, python: Path, person: Person, place: Path) -> None:
    folder = person.owns(place / "modules")
    for name in ("click", "json", "grader", "pex"):
        (folder / f"{name}.py").write_text("raise SystemExit('the wrong module')\n", encoding="utf-8")
    done = person.run(python, pyz, "--version", cwd=folder, PYTHONPATH=str(folder))
    assert done.returncode == 0, done.stderr


def test_an_administrator_installs_it_for_everybody(pyz: Path, python: Path, place: Path, person: Person) -> None:
    folder = place / "opt"
    build(python, pyz, "venv", "--compile", folder, PEX_TOOLS="1", HOME=str(place / "ours"))
    done = person.run(folder / "bin" / "grader", "input", "--lab", "tr2", "letters")
    assert done.returncode == 0, done.stderr
