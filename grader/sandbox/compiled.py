"""tally, compiled once for this machine and stored in the user's cache folder (see cache/trusted_code.py)."""

from __future__ import annotations

import platform
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from grader.cache.entries import files_digest
from grader.cache.trusted_code import TrustedCache, user_trusted_cache
from grader.errors import EngineUnavailableError
from grader.sandbox.guest_files import TALLY, tally_sources
from grader.sandbox.requirements import SEARCH_PATH
from grader.sandbox.tools import run_tool

OPTIONS = (
    "-std=gnu11", "-O2", "-pthread", "-Wall", "-Wextra", "-Werror", "-D_FORTIFY_SOURCE=2", "-fstack-protector-strong",
    "-fstack-clash-protection", "-fPIE", "-pie", "-Wl,-z,relro", "-Wl,-z,now", "-Wl,-z,noexecstack",
)  # fmt: skip
COMPILE_TIMEOUT_S = 120
ANSWER_TIMEOUT_S = 20
FILE = "tally"


@dataclass(frozen=True)
class Compiler:
    """The gcc of this machine: its path and the output of `gcc --version`."""

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
    return Compiler(path, _compiler_output([path, "--version"], ANSWER_TIMEOUT_S))


def put_tally(target: Path, compiler: Compiler, folder: Path | None = None) -> None:
    """Put tally at `target`: from `folder`, by default the user's cache; if it is not there, compile and store it.

    Raises:
        EngineUnavailableError: it does not compile here.
    """
    cached = TrustedCache(folder) if folder is not None else user_trusted_cache()
    key = _key(compiler)
    files = cached.get(key) if cached is not None else None
    if files is None:
        command = [compiler.path, *OPTIONS, "-o", str(target), *map(str, sorted(TALLY.glob("*.c")))]
        # If it is interrupted, its temporary files are removed with ours.
        _compiler_output(command, COMPILE_TIMEOUT_S, TMPDIR=str(target.parent))
        if cached is not None:
            cached.put(key, {FILE: target.read_bytes()})
    else:
        target.write_bytes(files[FILE])
    target.chmod(0o755)


def _key(compiler: Compiler) -> str:
    """Return everything that the result depends on; the C library too, because machines may share a home."""
    machine = (platform.machine(), *platform.libc_ver())
    return "\n".join((files_digest(tally_sources()), *OPTIONS, compiler.path, compiler.version, *machine))


def _compiler_output(command: list[str], timeout_s: float, **variables: str) -> str:
    """Run the compiler and return its standard output."""
    try:
        done = run_tool(command, timeout_s, variables=variables)
    except (subprocess.TimeoutExpired, OSError) as error:
        raise EngineUnavailableError(f"gcc does not answer: {error}") from error
    if done.returncode:
        raise EngineUnavailableError(f"gcc does not work here: {done.stderr.strip()}")
    return done.stdout
