"""The Python packages that the grader needs, as wheels, for machines without a package index."""

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
from grader.machine_folders import temporary_root
from grader.messages import Notify

Machine = Literal["x86_64", "aarch64"]

PYTHONS = ("3.10", "3.11", "3.12", "3.13")
"""The versions of Ubuntu 22.04, Debian bookworm, Ubuntu 24.04 and Debian trixie."""

LIBRARIES = ("manylinux_2_28", "manylinux_2_17", "manylinux2014")
"""The C libraries that wheels may be built for. None is newer than that of the oldest of these systems (2.35)."""

PIP = "pip==26.3"
"""Included because Debian's Python has no pip. Like the rest, a version that was tried on Python 3.10 and newer."""

SHOWN_LINES = 15


ANYWHERE = "-none-any.whl"
"""The end of the name of a wheel for every Python and machine."""


def vendored_wheels(
    wheel: Wheel,
    constraints: bytes,
    machines: Sequence[Machine],
    notify: Notify,
    *,
    also: Sequence[str] = (PIP,),
) -> Mapping[str, bytes]:
    """Return file name and content of every wheel that installing `wheel` needs, and of the packages `also`.

    pip decides by the Python that it runs on which packages another package needs. tests/unit/test_bundle_vendor.py
    makes sure that this is the same for all of PYTHONS. So pip resolves the packages for one Python, and the others
    only get their own builds of compiled packages.

    Raises:
        UsageError: there is no pip.
        GraderError: a package is not available.
    """
    if find_spec("pip") is None:
        raise UsageError(f"--vendor needs pip in the grader's environment: run `{sys.executable} -m ensurepip`")
    with tempfile.TemporaryDirectory(prefix="iolab-grader-", dir=temporary_root()) as name:
        folder = Path(name)
        (folder / wheel.name).write_bytes(wheel.data)
        (folder / "constraints.txt").write_bytes(constraints)
        packages: Sequence[str] = [f"./{wheel.name}", *also]
        for machine in machines:
            for python in PYTHONS:
                notify(f"getting the packages for Python {python} on {machine}")
                if packages:
                    _download(folder, packages, python, machine)
                packages = _compiled(folder)
        return {path.name: path.read_bytes() for path in sorted(folder.glob("wheels/*")) if path.name != wheel.name}


def _compiled(folder: Path) -> Sequence[str]:
    """Return pip's arguments for those packages whose wheels differ between Pythons or machines."""
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
