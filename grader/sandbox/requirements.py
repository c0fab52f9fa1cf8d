"""What this machine has for the local sandbox, as far as a look can tell; and what to install."""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

from grader.errors import EngineUnavailableError
from grader.sandbox.finding import RequirementCheck
from grader.sandbox.tools import run_tool

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where the guest looks for tools, so that a course's and a student's gcc are the same (grader/guest/launch.py)."""

MACHINES = ("x86_64", "aarch64", "arm64")
BITS = 64
PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
FORBIDS, ALLOWS_ROOT = "3", "2"
ANSWER_TIMEOUT_S = 20

NOTHING = "nothing can be compiled or checked here"
NO_CHECK = "no check: tally counts in its place, only the log of single calls is missing from reports"
CALLS = "checks that count system calls, or look at the output to a terminal, cannot be judged"
FULL_SIZE = "checks that count system calls at full size cannot be judged"
ELSEWHERE = {
    "darwin": (
        "on macOS programs are checked in a container: install Docker Desktop, start it, wait until it says that it"
        " is running, and give the same command again"
    ),
    "win32": (
        "on Windows there are two ways: install Docker Desktop, start it, and give the same command again; or `wsl"
        " --install` in a terminal of the administrator, which brings an Ubuntu, and install the grader in that"
    ),
}
ANYWHERE_ELSE = "install Docker, or use a machine with Linux"


def packages(debian: str, fedora: str, arch: str) -> str:
    """Say how a package is installed; its name differs between systems."""
    return (
        f"Debian and Ubuntu: sudo apt install {debian}; Fedora: sudo dnf install {fedora};"
        f" Arch: sudo pacman -S {arch}; on a shared machine ask who looks after it"
    )


GCC = packages("gcc libc6-dev", "gcc glibc-devel", "gcc")
STRACE = packages("strace", "strace", "strace")


def require_all() -> None:
    """Make sure that the local sandbox can work here.

    Raises:
        EngineUnavailableError: something is missing that nothing can be graded without; all that is missing is told.
    """
    lacks = [finding for finding in check_requirements() if not finding.works]
    if any(finding.stops for finding in lacks):
        raise EngineUnavailableError("\n".join(f"{lack.what}: {lack.detail}; {lack.remedy}" for lack in lacks))


def check_requirements() -> list[RequirementCheck]:
    """Look at everything that the local sandbox uses, without trying it."""
    if sys.platform != "linux":
        return [_elsewhere(sys.platform)]
    return [_machine(), *_compiler(), _strace(), *_tracing(), *_processes()]


def _elsewhere(system: str) -> RequirementCheck:
    detail = "without a container programs are checked on Linux only"
    remedy = ELSEWHERE.get(system, ANYWHERE_ELSE)
    return RequirementCheck("Linux", works=False, detail=detail, costs=NOTHING, remedy=remedy, stops=True)


def _machine() -> RequirementCheck:
    machine, bits = platform.machine(), 8 * struct.calcsize("P")
    what, detail = "64-bit Linux", f"Linux {platform.release()} on {machine}, Python {platform.python_version()}"
    if machine in MACHINES and bits == BITS:
        return RequirementCheck(what, works=True, detail=detail)
    return RequirementCheck(
        what,
        works=False,
        detail=f"this is {detail} of {bits} bits, and system calls are known for x86-64 and arm64 only",
        costs=NOTHING,
        remedy="install a 64-bit system with a 64-bit Python, or use another machine",
        stops=True,
    )


def _compiler() -> Iterator[RequirementCheck]:
    gcc = shutil.which("gcc", path=SEARCH_PATH)
    if gcc is None:
        other = shutil.which("gcc")
        detail = f"there is none in {SEARCH_PATH}" + (f", only {other}" if other else "")
        yield RequirementCheck(
            "gcc", works=False, detail=detail, costs=NOTHING, remedy=f"install gcc. {GCC}", stops=True
        )
        return
    wrong = _wrong_with(gcc)
    if wrong is None:
        yield RequirementCheck("gcc and the C library's headers", works=True, detail=gcc)
    elif "stdio.h" in wrong:
        detail = f"{gcc} finds no stdio.h"
        remedy = f"install them. {packages('libc6-dev', 'glibc-devel', 'glibc')}"
        yield RequirementCheck(
            "the C library's headers", works=False, detail=detail, costs=NOTHING, remedy=remedy, stops=True
        )
    else:
        remedy = f"install gcc anew. {GCC}"
        yield RequirementCheck("gcc", works=False, detail=f"{gcc}: {wrong}", costs=NOTHING, remedy=remedy, stops=True)


def _wrong_with(gcc: str) -> str | None:
    """Return what a compiler says of the shortest program with a header, None where it takes it."""
    command = [gcc, "-E", "-x", "c", "-o", os.devnull, "-"]
    try:
        done = run_tool(command, ANSWER_TIMEOUT_S, said="#include <stdio.h>\n")
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    words = done.stderr.strip().partition("\n")[0]
    return None if done.returncode == 0 else words or f"it ends with status {done.returncode}"


def _strace() -> RequirementCheck:
    strace = shutil.which("strace", path=SEARCH_PATH)
    if strace is not None:
        return RequirementCheck("strace", works=True, detail=strace)
    remedy = f"install strace. {STRACE}"
    return RequirementCheck(
        "strace", works=False, detail=f"there is none in {SEARCH_PATH}", costs=NO_CHECK, remedy=remedy
    )


def _tracing() -> Iterator[RequirementCheck]:
    try:
        scope = PTRACE_SCOPE.read_text(encoding="ascii").strip()
    except OSError:
        # A kernel without it refuses nothing.
        return
    if scope == FORBIDS or (scope == ALLOWS_ROOT and os.geteuid() != 0):
        yield RequirementCheck(
            "ptrace",
            works=False,
            detail=f"the administrator forbids it (kernel.yama.ptrace_scope is {scope})",
            costs=CALLS,
            remedy="ask for `sysctl kernel.yama.ptrace_scope=1` (from 3 it takes a restart), or use Docker",
            unjudged=True,
        )


def _processes() -> Iterator[RequirementCheck]:
    if not Path("/proc/self/io").exists():
        there = "keeps no I/O accounting (/proc/self/io)" if Path("/proc/self").exists() else "shows no /proc"
        yield RequirementCheck(
            "the kernel's I/O accounting",
            works=False,
            detail=f"this machine {there}",
            costs=FULL_SIZE,
            remedy="ask who looks after the machine, or use Docker",
            unjudged=True,
        )
