"""The guest's own files, as every sandbox needs them."""

from __future__ import annotations

import functools
from collections.abc import Mapping
from pathlib import Path

from grader.cache.entries import files_digest

GUEST = Path(__file__).parents[1] / "guest"
TALLY = GUEST / "tally"
"""The folder of tally's sources: its `*.c` are compiled together."""

# -I: ignore the environment. -S: no site packages. -B: write no bytecode.
PYTHON_OPTIONS = ("-I", "-S", "-B", "-u")


@functools.cache
def guest_files() -> Mapping[str, bytes]:
    """Return file name and contents of the guest's Python modules."""
    return {path.name: path.read_bytes() for path in sorted(GUEST.glob("*.py"))}


@functools.cache
def tally_sources() -> Mapping[str, bytes]:
    """Return file name and contents of tally's sources, headers included."""
    return {path.name: path.read_bytes() for path in sorted(TALLY.glob("*.[ch]"))}


@functools.cache
def guest_digest() -> str:
    """Return a hash of everything of ours that runs next to student code: measurements depend on it."""
    return files_digest({**guest_files(), **tally_sources()})[:16]


def guest_command(python: str, library_dir: str) -> list[str]:
    """Return the command that starts the guest, whose modules are in `library_dir`/guest."""
    start = f"import sys; sys.path.insert(0, {library_dir!r}); from guest.main import run; run()"
    return [python, *PYTHON_OPTIONS, "-c", start]
