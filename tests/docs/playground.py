"""A folder with what the pages speak of (a class, a student's work, the examples, the spec), and a shell in it."""

from __future__ import annotations

import os
import re
import secrets
import shutil
import subprocess
import sys
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

from grader.grading.known_bugs import SHIPPED, signatures_json, signatures_key
from grader.lab.load import read_spec
from grader.resources import CARRIED
from grader.selfcheck.quick_lab import QUICK_BYTES
from tests.corpus.known_bugs import Shipped

from .blocks import CHECKOUT

TIMEOUT_S = 300.0
COLUMNS = 100

NOT_C = "int main(void) { return 0 }\n"
"""Fails to compile, so that a class of two costs what a class of one does."""


@dataclass(frozen=True)
class Done:
    """How a command ended, and what it printed on both outputs."""

    status: int
    output: str


FULL_BYTES, SMALL_BYTES = "5000000", str(QUICK_BYTES)

GRADER = f"""\
#!{sys.executable}
import sys
sys.path.insert(0, {{library!r}})
from grader.cli.entry import main
main()
"""


def install_with_small_inputs(library: Path, binaries: Path) -> None:
    """Lay out the grader as a checkout whose lab has small inputs, so that no command takes long."""
    shutil.copytree(CHECKOUT / "grader", library / "grader", ignore=shutil.ignore_patterns("__pycache__"))
    for name in CARRIED:
        path = CHECKOUT / name
        if path.is_dir():
            shutil.copytree(path, library / name)
        else:
            shutil.copy(path, library)
    path = library / "specs" / "tr2.yaml"
    text = path.read_text(encoding="utf-8")
    assert text.count(f"size_bytes: {FULL_BYTES}") == 2
    path.write_text(text.replace(FULL_BYTES, SMALL_BYTES), encoding="utf-8")
    # The known bugs look the same whatever the size of these inputs.
    spec = read_spec(path)
    known = Shipped().get()
    key = signatures_key(spec, known.mutants)
    signatures = signatures_json(known.signatures.model_copy(update={"key": key}))
    (library / "reference" / "tr2" / SHIPPED).write_bytes(signatures)
    binaries.mkdir(parents=True)
    (binaries / "grader").write_text(GRADER.format(library=str(library)), encoding="utf-8")
    (binaries / "grader").chmod(0o755)


def shorten_template_input(makefile: Path) -> None:
    """Make the file that students time their programs with a tenth as long: tr2u makes two calls for each byte."""
    text = makefile.read_text(encoding="utf-8")
    assert text.count("INPUT_LINES = 100000\n") == 1
    makefile.write_text(text.replace("INPUT_LINES = 100000\n", "INPUT_LINES = 10000\n"), encoding="utf-8")


def furnish(root: Path) -> None:
    """Put everything into an empty folder."""
    install_with_small_inputs(root / "library", root / ".venv" / "bin")
    for folder in ("examples", "student_template"):
        shutil.copytree(CHECKOUT / folder, root / folder)
    shorten_template_input(root / "student_template" / "tr2" / "Makefile")
    shutil.copytree(CHECKOUT / "tests" / "labs", root / "tests" / "labs")
    shutil.copytree(root / "library" / "specs", root / "specs")
    shutil.copytree(root / "examples" / "stops-at-0xff", root / "tr2")
    for name in ("Makefile", "lab.txt"):
        shutil.copy(root / "student_template" / "tr2" / name, root / "tr2")
    shutil.copy(CHECKOUT / "tests" / "notebook" / "fixtures" / "full-size.txt", root / "tr2" / "lab.txt")
    shutil.copytree(root / "examples" / "right", root / "submissions" / "ada")
    ben = root / "submissions" / "ben"
    ben.mkdir()
    for name in ("tr2b.c", "tr2u.c"):
        (ben / name).write_text(NOT_C, encoding="ascii")
    shutil.copytree(root / "submissions", root / "class")
    shutil.make_archive(str(root / "submissions"), "zip", root / "submissions")
    shutil.copytree(root / "examples" / "right", root / "submission")
    # The template's own page speaks of programs that a student has written by then.
    for name in ("tr2b.c", "tr2u.c"):
        shutil.copy(root / "examples" / "right" / name, root / "student_template" / "tr2")


def environment(root: Path, cache: Path) -> dict[str, str]:
    """Return a new user's environment, with the grader on the path."""
    home = root / "home"
    home.mkdir(exist_ok=True)
    kept = {name: value for name, value in os.environ.items() if name.startswith("DOCKER_") or name == "TMPDIR"}
    return kept | {
        "PATH": f"{root / '.venv' / 'bin'}:{Path(sys.prefix) / 'bin'}:{os.environ['PATH']}",
        "HOME": str(home),
        "XDG_CACHE_HOME": str(cache),
        "COLUMNS": str(COLUMNS),
        "LC_ALL": "C.UTF-8",
        "PYTHONDONTWRITEBYTECODE": "1",
    }


def run(typed: Sequence[str], folder: Path, environment: dict[str, str]) -> list[Done]:
    """Type commands into one shell, so that `cd` and variables last, and return how each ended.

    Raises:
        subprocess.TimeoutExpired: They took longer than TIMEOUT_S together.
    """
    # No command can print a line that was drawn just now.
    mark = secrets.token_hex(8)
    script = "\n".join(f"{command}\nprintf '\\n{mark} %d\\n' $?" for command in typed)
    ended = subprocess.run(
        ["/bin/bash", "-c", script],
        cwd=folder,
        env=environment,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        timeout=TIMEOUT_S,
        check=False,
    )
    # What an input's bytes would show as does not matter, only what pages show.
    parts = re.split(rf"\n{mark} (\d+)\n", ended.stdout.decode("utf-8", errors="replace"))
    return [Done(int(status), output) for output, status in zip(parts[::2], parts[1::2], strict=False)]


def differs(shown: Sequence[str], output: str) -> str:
    """Return what keeps the shown lines from being in the output one after the other, or nothing."""
    lines = [line.rstrip() for line in output.splitlines()]
    at, gap = 0, True
    for line in (line.rstrip() for line in shown):
        if line == "...":
            gap = True
            continue
        pattern = re.compile(".*".join(re.escape(part) for part in line.split("...")))
        stop = len(lines) if gap else at + 1
        found = next(
            (number for number in range(at, min(stop, len(lines))) if pattern.fullmatch(lines[number])), None
        )
        if found is None:
            return f"{line!r} is not where the page shows it in the output:\n{output}"
        at, gap = found + 1, False
    return ""
