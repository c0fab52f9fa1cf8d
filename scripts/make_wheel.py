"""Write the grader's wheel with other labs in it, which it then finds by their names (`make wheel LABS=...`)."""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

from grader.errors import GraderError
from grader.gradescope.bundle.carried import added_labs
from grader.gradescope.bundle.wheel import make_wheel


def main() -> None:
    """Read the command line and write the file."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("labs", nargs="+", metavar="LAB", help="a lab's folder, name or spec")
    parser.add_argument("--out", type=Path, default=Path("dist"), metavar="FOLDER")
    arguments = parser.parse_args()
    try:
        wheel = make_wheel(added_labs(arguments.labs, _say), compress=True)
    except GraderError as error:
        sys.exit(f"error: {error}")
    arguments.out.mkdir(parents=True, exist_ok=True)
    (arguments.out / wheel.name).write_bytes(wheel.data)
    sys.stdout.write(f"{arguments.out / wheel.name}\n")


def _say(line: str) -> None:
    sys.stderr.write(f"{line}\n")


if __name__ == "__main__":
    main()
