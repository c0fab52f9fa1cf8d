"""The Python packages that the grader needs, as wheels, for machines that reach no package index."""

from __future__ import annotations

import subprocess
import sys
import tempfile
from collections.abc import Mapping, Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Literal

from grader.errors import GraderError, UsageError
from grader.gradescope.bundle.wheel import Wheel
from grader.messages import Notify

Machine = Literal["x86_64", "aarch64"]

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
"""Of Ubuntu 22.04, Debian bookworm, Ubuntu 24.04 and Debian trixie."""

LIBRARIES = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
"""C libraries that wheels are built for, none newer than that of the oldest of these systems (2.35)."""

PIP = "pip==26.3"
"""Goes along, as Debian's Python has none; like the rest at a version that was tried, on Python 3.10 and up."""

SHOWN_LINES = 15


ANYWHERE = "-none-any.whl"
"""How the name of a wheel ends that is the same for every Python and machine."""


def vendored_wheels(
    wheel: Wheel,
    constraints: bytes,
    machines: Sequence[Machine],
    notify: Notify,
    *,
    also: Sequence[str] = (PIP,),
) -> Mapping[str, bytes]:
    """Return file name and content of every wheel that installing `wheel` takes, and `also`, as pip finds them.

    pip judges by the Python that it runs on whether a package asks for another: tests/unit/test_bundle_vendor.py
    makes sure that none of ours asks for more or less on another of PYTHONS. So what is needed is found out for one,
    and the others only get their own builds of what is compiled.

    Raises:
        UsageError: there is no pip.
        GraderError: a package cannot be had.
    """
    if find_spec("pip") is None:
        raise UsageError(f"--vendor needs pip beside the grader: run `{sys.executable} -m ensurepip`")
    with tempfile.TemporaryDirectory(prefix="iolab-grader-") as name:
        folder = Path(name)
        (folder / wheel.name).write_bytes(wheel.data)
        (folder / "constraints.txt").write_bytes(constraints)
        what: Sequence[str] = [f"./{wheel.name}", *also]
        for machine in machines:
            for python in PYTHONS:
                notify(f"getting the packages for Python {python} on {machine}")
                if what:
                    _download(folder, what, python, machine)
                what = _compiled(folder)
        return {path.name: path.read_bytes() for path in sorted(folder.glob("wheels/*")) if path.name != wheel.name}


def _compiled(folder: Path) -> Sequence[str]:
    """Return how to ask pip for the packages of which there is more than one wheel, and for nothing else."""
    names = [path.name for path in folder.glob("wheels/*") if not path.name.endswith(ANYWHERE)]
    packages = sorted({"==".join(name.split("-")[:2]) for name in names})
    return ["--no-deps", *packages] if packages else []


def _download(folder: Path, packages: Sequence[str], python: str, machine: Machine) -> None:
    platforms = [option for library in LIBRARIES for option in ("--platform", f"{library}_{machine}")]
    quietly = ["--progress-bar", "off", "--no-input", "--disable-pip-version-check"]
    kind = ["--only-binary", ":all:", "--implementation", "cp", "--python-version", python, *platforms]
    what = ["--constraint", "constraints.txt", "--dest", "wheels", *packages]
    done = subprocess.run(
        [sys.executable, "-m", "pip", "download", *quietly, *kind, *what],
        cwd=folder,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        errors="replace",
        check=False,
    )
    if done.returncode:
        last = "\n".join(done.stdout.splitlines()[-SHOWN_LINES:])
        raise GraderError(f"pip could not get the packages for Python {python} on {machine}; its last lines:\n{last}")
