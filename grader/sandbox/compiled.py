"""tally, compiled for this machine: once, and then kept in the user's cache folder.

What supervises student code must not be replaceable by others. So what was kept is used only if its folder and all
that is in it belong to who runs the grader and nobody else may write there, nor put another folder in its place
between a look and the next (those above it have to be root's or ours); and only as its hash says. Root keeps its own
in root's cache, which no uid that student code gets can write to; under `sudo` with somebody else's home nothing is
kept.

The one whose code could change it is an ordinary user without isolation: a program that does that has all that
person's rights, the right to replace the grader among them, and deceives nobody but its author, whose grade is given
elsewhere.
"""

from __future__ import annotations

import os
import platform
import shutil
import stat
import subprocess
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path

from grader.cache import OTHERS_MAY_WRITE, Cache, is_ours, make_ours, recall, remember, say_nothing, user_folder
from grader.errors import EngineUnavailableError
from grader.sandbox.guest_files import TALLY, files_digest, tally_sources
from grader.sandbox.machine import SEARCH_PATH
from grader.sandbox.tools import run_tool

OPTIONS = (
    "-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong",
    "-fstack-clash-protection", "-fPIE", "-pie", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack",
)  # fmt: skip
COMPILE_TIMEOUT_S = 120
ANSWER_TIMEOUT_S = 20
WHAT = "the compiled parts of the grader"
FILE = "tally"


@dataclass(frozen=True)
class Compiler:
    """The gcc of this machine: its path and what it says of itself."""

    path: str
    version: str

    @property
    def name(self) -> str:
        """The first line of its version."""
        return self.version.partition("\n")[0]


def find_compiler() -> Compiler:
    """Return the compiler that compiles submissions.

    Raises:
        EngineUnavailableError: there is none, or it does not answer.
    """
    path = shutil.which("gcc", path=SEARCH_PATH)
    if path is None:
        raise EngineUnavailableError("there is no gcc here")
    return Compiler(path, _said([path, "--version"], ANSWER_TIMEOUT_S))


def put_tally(target: Path, compiler: Compiler, folder: Path | None = None) -> None:
    """Put tally at `target`: from `folder`, by default the user's cache, or compiled, and then kept there.

    Raises:
        EngineUnavailableError: it does not compile here.
    """
    home = user_folder()
    place = folder or (home and home / "compiled")
    kept = Kept(place) if place is not None else None
    key = _key(compiler)
    data = kept.get(key) if kept is not None else None
    if data is None:
        command = [compiler.path, *OPTIONS, "-o", str(target), *map(str, sorted(TALLY.glob("*.c")))]
        # Where its files go when it is interrupted: they are removed with ours.
        _said(command, COMPILE_TIMEOUT_S, TMPDIR=str(target.parent))
        if kept is not None:
            kept.put(key, target.read_bytes())
    else:
        target.write_bytes(data)
    target.chmod(0o755)


class Kept:
    """The cache of what was compiled, if it can be trusted."""

    def __init__(self, folder: Path) -> None:
        """Nothing is made yet."""
        # Without links above it: what they lead to could be another folder at each look.
        self._folder = Path(os.path.realpath(folder.parent)) / folder.name
        self._cache = Cache(self._folder)

    def get(self, key: str) -> bytes | None:
        """Return what was kept, None where nothing was, or somebody else could have put it there."""
        if not _is_ours_alone(self._folder):
            return None
        return recall(self._cache, key, WHAT, lambda files: files[FILE], say_nothing)

    def put(self, key: str, data: bytes) -> None:
        """Keep it, where that can be."""
        # With a umask of 002, mkdir would let one's group write to the folder above.
        for folder in (self._folder.parent, self._folder):
            with suppress(OSError):
                make_ours(folder)
        if _is_ours_alone(self._folder):
            remember(self._cache, key, WHAT, {FILE: data}, say_nothing)


def _is_ours_alone(folder: Path) -> bool:
    """Return whether a folder and all in it are ours, without a link, for nobody else to write to or exchange."""
    try:
        within = all(is_ours(path.lstat()) for path in (folder, *folder.rglob("*")))
        return within and all(_keeps_what_is_in_it(path.lstat()) for path in folder.parents)
    except OSError:
        return False


def _keeps_what_is_in_it(found: os.stat_result) -> bool:
    """Return whether nobody but root and us can put another folder in the place of ours there, as in /tmp."""
    others_may_write = found.st_mode & OTHERS_MAY_WRITE and not found.st_mode & stat.S_ISVTX
    return found.st_uid in (0, os.geteuid()) and not others_may_write


def _key(compiler: Compiler) -> str:
    """Return all that the result follows from; the C library too, as homes are shared between machines."""
    machine = (platform.machine(), *platform.libc_ver())
    return "\n".join((files_digest(tally_sources()), *OPTIONS, compiler.path, compiler.version, *machine))


def _said(command: list[str], timeout_s: float, **variables: str) -> str:
    """Return what a run of the compiler wrote."""
    try:
        done = run_tool(command, timeout_s, variables=variables)
    except (subprocess.TimeoutExpired, OSError) as error:
        raise EngineUnavailableError(f"gcc does not answer: {error}") from error
    if done.returncode:
        raise EngineUnavailableError(f"gcc does not work here: {done.stderr.strip()}")
    return done.stdout
