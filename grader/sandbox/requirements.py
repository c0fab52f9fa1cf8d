"""Whether this machine has what the local sandbox needs, without running programs in it; and what to install."""

from __future__ import annotations

import os
import platform
import shutil
import struct
import subprocess
import sys
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from grader.errors import EngineUnavailableError
from grader.machine_folders import CURRENT_FOLDER_REMEDY, NO_CURRENT_FOLDER, NoTemporaryFolderError, current_folder
from grader.sandbox.tools import run_tool

SEARCH_PATH = "/usr/local/bin:/usr/bin:/bin"
"""Where the guest looks for tools, so that a course's and a student's gcc are the same (grader/guest/launch.py)."""

MORE_PACKAGES = "GRADER_IMAGE_PACKAGES"
"""Environment variable: Debian's names of packages that the image has in addition, such as clang."""

MACHINES = ("x86_64", "aarch64", "arm64")
BITS = 64
PTRACE_SCOPE = Path("/proc/sys/kernel/yama/ptrace_scope")
FORBIDS, ALLOWS_ROOT = "3", "2"
ANSWER_TIMEOUT_S = 20

LEAST_OPEN_FILES = 256
LEAST_FILE_BYTES = 16 << 20
"""Less than most shells allow, and more than the grader needs for itself."""

NOTHING = "nothing can be compiled or checked here"
NO_CHECK = "no check: tally counts in its place, only the log of single calls is missing from reports"
CALLS = "checks that count system calls, or look at the output to a terminal, cannot be judged"
FULL_SIZE = "checks that count system calls at full size cannot be judged"
REMEDIES_ELSEWHERE = {
    "darwin": (
        "on macOS programs are checked in a container: install Docker Desktop, start it, wait until it says that it"
        " is running, and give the same command again"
    ),
    "win32": (
        "on Windows there are two ways: install Docker Desktop, start it, and give the same command again; or `wsl"
        " --install` in a terminal of the administrator, which brings an Ubuntu, and install the grader in that"
    ),
}
REMEDY_ANYWHERE_ELSE = "install Docker, or use a machine with Linux"


@dataclass(frozen=True)
class RequirementCheck:
    """One thing that grading needs: whether it works here, and what was found or is wrong.

    If it does not work: `impact` says what is impossible without it, `remedy` what to do. `fatal`: nothing can be
    graded without it; `blocks_checks`: some checks cannot be judged.
    """

    what: str
    works: bool
    detail: str
    impact: str = ""
    remedy: str = ""
    fatal: bool = False
    blocks_checks: bool = False


def packages(debian: str, fedora: str, arch: str) -> str:
    """Return how to install a package, whose name differs between systems."""
    return (
        f"Debian and Ubuntu: sudo apt install {debian}; Fedora: sudo dnf install {fedora};"
        f" Arch: sudo pacman -S {arch}; on a shared machine ask who looks after it"
    )


GCC_PACKAGES = packages("gcc libc6-dev", "gcc glibc-devel", "gcc")
TOOL_PACKAGES = {
    "g++": packages("g++", "gcc-c++", "gcc"),
    **dict.fromkeys(("clang", "clang++"), packages("clang", "clang", "clang")),
    "make": packages("make", "make", "make"),
}
"""How to install what may build programs; gcc is always needed."""

STRACE_PACKAGES = packages("strace", "strace", "strace")


def require_all() -> None:
    """Make sure that the local sandbox can work here.

    Raises:
        EngineUnavailableError: nothing can be graded here; the message lists everything that is missing.
    """
    missing = [check for check in check_requirements() if not check.works]
    if any(check.fatal for check in missing):
        raise EngineUnavailableError("\n".join(f"{check.what}: {check.detail}; {check.remedy}" for check in missing))


def check_requirements() -> list[RequirementCheck]:
    """Look for everything that the local sandbox uses, without trying it."""
    if sys.platform != "linux":
        remedy = REMEDIES_ELSEWHERE.get(sys.platform, REMEDY_ANYWHERE_ELSE)
        return [_fatal("Linux", "without a container programs are checked on Linux only", remedy)]
    return [
        _machine(),
        *_shell_limits(),
        _temporary_files(),
        _compiler(),
        _strace(),
        *_tracing(),
        *_accounting(),
    ]


def _fatal(what: str, detail: str, remedy: str) -> RequirementCheck:
    return RequirementCheck(what, works=False, detail=detail, impact=NOTHING, remedy=remedy, fatal=True)


def _machine() -> RequirementCheck:
    machine, bits = platform.machine(), 8 * struct.calcsize("P")
    what, detail = "64-bit Linux", f"Linux {platform.release()} on {machine}, Python {platform.python_version()}"
    if machine in MACHINES and bits == BITS:
        return RequirementCheck(what, works=True, detail=detail)
    return _fatal(
        what,
        f"this is {detail} of {bits} bits, and system calls are known for x86-64 and arm64 only",
        "install a 64-bit system with a 64-bit Python, or use another machine",
    )


def _shell_limits() -> Iterator[RequirementCheck]:
    # Imported here because Windows does not have it.
    import resource  # noqa: PLC0415

    for name, option, unit_bytes, least in (
        ("open files", "-n", 1, LEAST_OPEN_FILES),
        ("the size of a file", "-f", 1024, LEAST_FILE_BYTES),
    ):
        soft, _ = resource.getrlimit(resource.RLIMIT_NOFILE if option == "-n" else resource.RLIMIT_FSIZE)
        if soft != resource.RLIM_INFINITY and soft < least:
            yield _fatal(
                f"the shell's limit on {name}",
                f"`ulimit {option}` of bash shows {soft // unit_bytes}, and grading needs {least // unit_bytes}",
                f"enter `ulimit {option} {least // unit_bytes}` in bash, or use a new terminal",
            )


def check_current_folder() -> Iterator[RequirementCheck]:
    """Look whether there is still a current folder, which all commands need."""
    if current_folder() is None:
        yield _fatal("the current folder", NO_CURRENT_FOLDER, CURRENT_FOLDER_REMEDY)


def _temporary_files() -> RequirementCheck:
    # Imported here because Windows lacks a module that it uses.
    from grader.sandbox.temporary import program_root  # noqa: PLC0415

    what = "temporary files"
    try:
        return RequirementCheck(what, works=True, detail=str(program_root()))
    except NoTemporaryFolderError as error:
        return _fatal(what, error.problem, error.remedy)


def _compiler() -> RequirementCheck:
    gcc = shutil.which("gcc", path=SEARCH_PATH)
    if gcc is None:
        other = shutil.which("gcc")
        detail = f"there is none in {SEARCH_PATH}" + (f", only {other}" if other else "")
        return _fatal("gcc", detail, f"install gcc. {GCC_PACKAGES}")
    error = _error_of([gcc, "-E", "-x", "c", "-o", os.devnull, "-"], "#include <stdio.h>\n")
    if error is None:
        return RequirementCheck("gcc and the C library's headers", works=True, detail=gcc)
    if "stdio.h" in error:
        remedy = f"install them. {packages('libc6-dev', 'glibc-devel', 'glibc')}"
        return _fatal("the C library's headers", f"{gcc} finds no stdio.h", remedy)
    return _fatal("gcc", f"{gcc}: {error}", f"reinstall gcc. {GCC_PACKAGES}")


def _error_of(command: list[str], stdin: str = "") -> str | None:
    """Return what a tool says about what it is given, None if it does its work."""
    try:
        done = run_tool(command, ANSWER_TIMEOUT_S, stdin=stdin)
    except (OSError, subprocess.TimeoutExpired) as error:
        return str(error)
    message = done.stderr.strip().partition("\n")[0]
    return None if done.returncode == 0 else message or f"it ends with status {done.returncode}"


def _strace() -> RequirementCheck:
    strace = shutil.which("strace", path=SEARCH_PATH)
    error = f"there is none in {SEARCH_PATH}" if strace is None else _error_of([strace, "--version"])
    if error is None:
        return RequirementCheck("strace", works=True, detail=str(strace))
    verb, detail = ("install", error) if strace is None else ("reinstall", f"{strace}: {error}")
    remedy = f"{verb} strace. {STRACE_PACKAGES}"
    return RequirementCheck("strace", works=False, detail=detail, impact=NO_CHECK, remedy=remedy)


def _tracing() -> Iterator[RequirementCheck]:
    try:
        scope = PTRACE_SCOPE.read_text(encoding="ascii").strip()
    except OSError:
        # A kernel without Yama refuses nothing.
        return
    if scope == FORBIDS or (scope == ALLOWS_ROOT and os.geteuid() != 0):
        yield RequirementCheck(
            "ptrace",
            works=False,
            detail=f"the administrator forbids it (kernel.yama.ptrace_scope is {scope})",
            impact=CALLS,
            remedy="ask for `sysctl kernel.yama.ptrace_scope=1` (from 3 it takes a restart), or use Docker",
            blocks_checks=True,
        )


def _accounting() -> Iterator[RequirementCheck]:
    if not Path("/proc/self/io").exists():
        there = "keeps no I/O accounting (/proc/self/io)" if Path("/proc/self").exists() else "shows no /proc"
        yield RequirementCheck(
            "the kernel's I/O accounting",
            works=False,
            detail=f"this machine {there}",
            impact=FULL_SIZE,
            remedy="ask who looks after the machine, or use Docker",
            blocks_checks=True,
        )
