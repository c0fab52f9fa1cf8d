"""Write dist/grader.pyz: the grader and its packages in one file, for every Python and machine (`make pyz`).

PEX makes it (docs/decisions/0027-one-file-by-pex.md) from the wheels that a Gradescope bundle also contains. Making
it needs a package index, running it does not. Its bytes follow from the wheels, PEX's version and Python's zlib.
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

from grader.gradescope.bundle.autograder import constraints
from grader.gradescope.bundle.carried import added_labs
from grader.gradescope.bundle.vendor import LIBRARIES, PYTHONS, Machine, vendored_wheels
from grader.gradescope.bundle.wheel import NAME, Wheel, make_wheel

PREAMBLE = Path(__file__).parent / "pyz" / "preamble.py"
MACHINES: tuple[Machine, ...] = get_args(Machine)

OPTIONS = (
    "--script=grader",
    # Unpack once, into a virtual environment: later starts take a quarter of the time.
    "--venv",
    "--python-shebang=/usr/bin/env python3",
    # The preamble sets another one. Without this option PEX would store the folder of the builder's environment.
    "--runtime-pex-root=~/.cache/iolab-grader/pyz",
    # A few bytes more, and `PEX_TOOLS=1 grader.pyz venv FOLDER` installs it without pip.
    "--include-tools",
    "--no-emit-warnings",
    "--disable-cache",
)


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--out", type=Path, default=Path("dist/grader.pyz"), metavar="FILE")
    parser.add_argument("--machine", choices=MACHINES, help="for one kind of machine only: a smaller file")
    parser.add_argument(
        "--wheels", type=Path, metavar="FOLDER", help="the packages; downloaded if the folder is missing"
    )
    parser.add_argument("labs", nargs="*", metavar="LAB", help="labs to add, which are then found by their names")
    arguments = parser.parse_args()
    machines = (arguments.machine,) if arguments.machine else MACHINES
    arguments.out.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(prefix="iolab-grader-") as name:
        wheels = arguments.wheels or Path(name) / "wheels"
        if not wheels.exists():
            gather(wheels, machines, arguments.labs)
        pack(arguments.out, wheels, machines)
    _say(f"{arguments.out}: {arguments.out.stat().st_size / 1e6:.1f} MB")


def gather(folder: Path, machines: Sequence[Machine], labs: Sequence[str] = ()) -> None:
    """Make a folder of the wheels that the file contains.

    Raises:
        GraderError: a package is not available, or a lab cannot be read.
    """
    own = make_wheel(added_labs(labs, _say))
    needed = vendored_wheels(own, constraints(), machines, _say, also=())
    folder.mkdir(parents=True)
    for wheel in (own, *(Wheel(*item) for item in needed.items())):
        (folder / wheel.name).write_bytes(wheel.data)


def pack(target: Path, wheels: Path, machines: Sequence[Machine]) -> None:
    """Write the file.

    Raises:
        subprocess.CalledProcessError: PEX failed, and said why.
    """
    with tempfile.TemporaryDirectory(prefix="iolab-grader-") as name:
        first = Path(name) / "preamble.py"
        first.write_text(preamble(machines), encoding="ascii")
        platforms = [f"--complete-platform={platform}" for platform in complete_platforms(machines)]
        sources = [f"--pre-resolved-dists={wheels}", f"--preamble-file={first}"]
        subprocess.run(
            [sys.executable, "-m", "pex", NAME, *sources, *platforms, *OPTIONS, f"--output-file={target}"],
            env={**os.environ, "PEX_IGNORE_RCFILES": "1"},
            check=True,
        )


def preamble(machines: Sequence[Machine]) -> str:
    """Return the code that runs before PEX, with the Pythons and machines of this file."""
    pythons = tuple(tuple(map(int, python.split("."))) for python in PYTHONS)
    return f"{PREAMBLE.read_text(encoding='ascii')}\n\nprepare({pythons}, {tuple(machines)})\n"


def complete_platforms(machines: Sequence[Machine]) -> Iterator[str]:
    """Yield for each Python on each machine what PEX needs to know, as JSON: its markers and its tags."""
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


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
