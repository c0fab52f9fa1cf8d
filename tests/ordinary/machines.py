"""Machines that lack something: mounts that only the command in them sees, and system calls that are refused."""

from __future__ import annotations

import shlex
import shutil
import subprocess
from collections.abc import Sequence
from pathlib import Path


def hiding(paths: Sequence[str]) -> str:
    """Return a shell line after which these files cannot be executed."""
    return "; ".join(f"mount --bind /dev/null {shlex.quote(str(Path(path).resolve()))}" for path in paths)


def tmpfs(folder: Path, size_kib: int, uid: int) -> str:
    """Return a shell line after which a folder is a small disk of its own."""
    return f"mount -t tmpfs -o size={size_kib}k,uid={uid},gid={uid},mode=0700 tmpfs {shlex.quote(str(folder))}"


def beneath(before: str, uid: int, command: Sequence[str], after: str = "") -> list[str]:
    """Return a command of root that changes what is mounted, for itself alone, and then runs one as somebody."""
    identity = ["setpriv", f"--reuid={uid}", f"--regid={uid}", "--clear-groups", "--"]
    script = f"set -e; {before}; status=0; {shlex.join([*identity, *command])} || status=$?; {after}; exit $status"
    return ["unshare", "--mount", "--", "bash", "-c", script.replace("; ;", ";")]


def can_mount() -> bool:
    """Return whether root may do that here: not in a container without privileges."""
    return (
        subprocess.run(
            ["/usr/bin/unshare", "--mount", "/usr/bin/mount", "-t", "tmpfs", "tmpfs", "/mnt"],
            capture_output=True,
            timeout=600,
            check=False,
        ).returncode
        == 0
    )


def refuser(source: Path, folder: Path) -> Path:
    """Return the compiled program that refuses system calls to what it runs."""
    target = folder / "refuse"
    gcc = shutil.which("gcc") or "gcc"
    subprocess.run([gcc, "-std=gnu11", "-Wall", "-Werror", "-o", target, source], check=True, timeout=600)
    target.chmod(0o755)
    return target
