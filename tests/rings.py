"""Which tests a change asks for, by the table in rings.yaml.

`python -m tests.rings` prints what to give to pytest, and why on standard error. A change is what differs from
the commit in .ci/passed, of which CI has run every test, or those that a change since such a commit asked for.
"""

from __future__ import annotations

import re
import subprocess
import sys
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml

CHECKOUT = Path(__file__).parents[1]
TABLE = Path(__file__).with_name("rings.yaml")
PASSED = ".ci/passed"
ALL = ("tests",)


@dataclass(frozen=True)
class Ring:
    """Tests, and the files that they are run for."""

    tests: Sequence[str]
    paths: Sequence[str]


@dataclass(frozen=True)
class Table:
    """The table: tests that always run, files for which all run or no others, and the rings by name."""

    always: Sequence[str]
    everything: Sequence[str]
    documents: Sequence[str]
    rings: Mapping[str, Ring]


@dataclass(frozen=True)
class Choice:
    """The tests to run, and why these."""

    tests: Sequence[str]
    reason: str


def read_table(path: Path = TABLE) -> Table:
    read = yaml.safe_load(path.read_text(encoding="utf-8"))
    return Table(**{**read, "rings": {name: Ring(**ring) for name, ring in read["rings"].items()}})


def holds(paths: Iterable[str], file: str) -> bool:
    """Return whether a file is one of these paths, or in one of these folders."""
    for path in paths:
        pattern = re.escape(path).replace(r"\*", "[^/]*")
        if re.fullmatch(f"{pattern}(/.*)?", file):
            return True
    return False


def choose(table: Table, changed: Collection[str] | None) -> Choice:
    """Return the tests that changed files ask for; `None`: it is not known what has changed."""
    if changed is None:
        return Choice(ALL, f"all tests: {PASSED} names no commit that is known here")
    chosen, names = set(table.always), set[str]()
    for file in sorted(changed):
        found = {name for name, ring in table.rings.items() if holds([*ring.paths, *ring.tests], file)}
        names |= found
        is_test = re.fullmatch(r"tests/.*/test_\w+\.py", file) is not None
        if is_test and (CHECKOUT / file).exists():
            chosen.add(file)
        is_known = found or is_test or holds([*table.always, *table.documents], file)
        if not is_known or holds(table.everything, file):
            return Choice(ALL, f"all tests: {file} has changed")
    chosen.update(test for name in names for test in table.rings[name].tests)
    alone = sorted(test for test in chosen if not holds(chosen - {test}, test))
    return Choice(alone, f"tests for what has changed: {', '.join(sorted(names)) or 'those that always run'}")


def changed_files(checkout: Path = CHECKOUT) -> set[str] | None:
    """Return the files that differ from the commit that has passed; None if that is not known."""

    def said(*command: str) -> list[str]:
        done = subprocess.run(
            ["git", *command],  # noqa: S607 - wherever git is
            cwd=checkout,
            capture_output=True,
            text=True,
            check=True,
            timeout=60,
        )
        return [name for name in done.stdout.split("\0") if name]

    try:
        commit = (checkout / PASSED).read_text(encoding="ascii").strip()
        differing = said("diff", "--no-renames", "--name-only", "-z", "--end-of-options", commit, "--")
        return {*differing, *said("ls-files", "--others", "--exclude-standard", "-z")}
    except (OSError, subprocess.CalledProcessError):
        return None


def main() -> None:
    choice = choose(read_table(), changed_files())
    sys.stderr.write(f"{choice.reason}\n")
    sys.stdout.write("".join(f"{test}\n" for test in choice.tests))


if __name__ == "__main__":
    main()
