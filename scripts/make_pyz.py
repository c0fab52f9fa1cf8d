"""Write dist/grader.pyz: the grader and all that it needs in one file, for every Python and machine (`make pyz`).

PEX makes it (docs/decisions/0027-one-file-by-pex.md) of the wheels that a Gradescope bundle carries, too. Making it
takes the index, running it none. Its bytes follow from the wheels, the version of PEX and the zlib that Python uses.
"""

from __future__ import annotations

import argparse
import json
import os
import subprocess
import sys
import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import get_args

from packaging.tags import compatible_tags, cpython_tags

from grader.bundle.autograder import constraints
from grader.bundle.vendor import LIBRARIES, PYTHONS, Machine, vendored_wheels
from grader.bundle.wheel import NAME, Wheel, make_wheel

PREAMBLE = Path(__file__).parent / "pyz" / "preamble.py"
MACHINES: tuple[Machine, ...] = get_args(Machine)

OPTIONS = (
    "--script=grader",
    # Unpacked once, to a virtual environment: later starts take a quarter of the time of those from the file.
    "--venv",
    "--python-shebang=/usr/bin/env python3",
    # The preamble sets another one; without this it would be the place that the builder's environment names.
    "--runtime-pex-root=~/.cache/iolab-grader/pyz",
    "--disable-cache",
)


def main() -> None:
    """Read the command line, write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist/grader.pyz"), metavar="FILE")
    parser.add_argument("--machine", action="append", choices=MACHINES, help="one only, for a smaller file")
    arguments = parser.parse_args()
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    make_pyz(arguments.out, arguments.machine or MACHINES)
    _say(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB")


def make_pyz(target: Path, machines: Sequence[Machine]) -> None:
    """Write the file.

    Raises:
        GraderError: a package cannot be had.
        subprocess.CalledProcessError: PEX failed, and said why.
    """
    wheel = make_wheel()
    needed = vendored_wheels(wheel, constraints(), machines, _say, also=())
    with tempfile.TemporaryDirectory(prefix="iolab-grader-") as name:
        folder = Path(name)
        _write_wheels(folder / "wheels", [wheel, *(Wheel(*item) for item in needed.items())])
        (folder / "preamble.py").write_text(preamble(machines), encoding="ascii")
        platforms = [f"--complete-platform={platform}" for platform in complete_platforms(machines)]
        sources = [f"--pre-resolved-dists={folder / 'wheels'}", f"--preamble-file={folder / 'preamble.py'}"]
        subprocess.run(
            [sys.executable, "-m", "pex", NAME, *sources, *platforms, *OPTIONS, f"--output-file={target}"],
            env={**os.environ, "PEX_IGNORE_RCFILES": "1"},
            check=True,
        )


def preamble(machines: Sequence[Machine]) -> str:
    """Return what runs before PEX, with what this very file has packages for."""
    pythons = tuple(tuple(map(int, python.split("."))) for python in PYTHONS)
    return f"{PREAMBLE.read_text(encoding='ascii')}\n\nprepare({pythons}, {tuple(machines)})\n"


def complete_platforms(machines: Sequence[Machine]) -> Iterator[str]:
    """Yield what PEX wants to know of each Python on each machine, as JSON: its markers and the tags it takes."""
    for machine in machines:
        for python in PYTHONS:
            major, minor = map(int, python.split("."))
            interpreter = f"cp{major}{minor}"
            libraries = [f"{library}_{machine}" for library in LIBRARIES]
            tags = [
                *cpython_tags((major, minor), [interpreter], libraries),
                *compatible_tags((major, minor), interpreter, libraries),
            ]
            markers = {
                "implementation_name": "cpython",
                "os_name": "posix",
                "platform_machine": machine,
                "platform_python_implementation": "CPython",
                "platform_system": "Linux",
                "python_full_version": f"{python}.0",
                "python_version": python,
                "sys_platform": "linux",
            }
            yield json.dumps({"marker_environment": markers, "compatible_tags": [*map(str, tags)]})


def _write_wheels(folder: Path, wheels: Sequence[Wheel]) -> None:
    folder.mkdir()
    for wheel in wheels:
        (folder / wheel.name).write_bytes(wheel.data)


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
