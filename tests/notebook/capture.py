"""Make captures.json: what strace, wc and time print for real runs of the reference, with what was run.

    .venv/bin/python -m tests.notebook.capture

It needs gcc, strace, GNU time, bash, zsh, ksh and tcsh. With `--full`, tr2u is traced with five million
bytes, which takes minutes.
Tests read the stored file and need none of these.
"""

from __future__ import annotations

import json
import os
import pty
import shlex
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import Any

HERE = Path(__file__).parent
CHECKOUT = HERE.parents[1]
CAPTURES = HERE / "captures.json"

INPUTS = {"text.in": b"one line of text\n" * 3000, "plain.in": b"abcdefgh" * 7001, "big.in": b"x" * 5_000_000}

TIMES = {
    "bash": ["bash", "-c", "time {command}"],
    "posix": ["bash", "-c", "time -p {command}"],
    "ksh": ["ksh", "-c", "time {command}"],
    "zsh": ["zsh", "-f", "-c", "time {command}"],
    "csh": ["tcsh", "-f", "-c", "time {command}"],
    "gnu": ["bash", "-c", "/usr/bin/time {command}"],
    "gnu-verbose": ["bash", "-c", "/usr/bin/time -v {command}"],
}


ENDS_S = 600
"""Longest time for a command: strace stops each of 5,000,000 calls."""


def build(folder: Path) -> None:
    for program in ("tr2b", "tr2u"):
        source = CHECKOUT / "reference" / "tr2" / "solution" / f"{program}.c"
        subprocess.run(["gcc", "-O2", "-o", str(folder / program), str(source)], check=True, timeout=ENDS_S)  # noqa: S607
    for name, data in INPUTS.items():
        (folder / name).write_bytes(data)
    (folder / "random.in").write_bytes(os.urandom(60_000))


def stderr_of(argv: list[str], folder: Path, *, terminal: bool) -> str:
    """Run a command and return what it writes to standard error; with `terminal`, its output goes to a terminal."""
    if not terminal:
        done = subprocess.run(argv, cwd=folder, capture_output=True, check=True, timeout=ENDS_S)
        return (done.stdout + done.stderr).decode("ascii")
    ours, theirs = pty.openpty()
    process = subprocess.Popen(argv, cwd=folder, stdout=theirs, stderr=subprocess.PIPE)
    os.close(theirs)
    while True:
        try:
            if not os.read(ours, 65536):
                break
        except OSError:
            break
    return process.communicate(timeout=ENDS_S)[1].decode("ascii")


def run(  # noqa: PLR0913, PLR0917 - everything that was chosen
    folder: Path, kind: str, form: str, program: str, data: str, sink: str
) -> dict[str, Any]:
    operands = ["abc", "xyz"]
    output = {"file": "> out.txt", "terminal": "", "/dev/null": "> /dev/null"}[sink]
    command = f"./{program} {shlex.join(operands)} < {data} {output}".strip()
    pinned = ["taskset", "-c", "0"]
    if kind == "table":
        argv = ["bash", "-c", f"{shlex.join(pinned)} strace {form} {command}"]
    else:
        argv = [word.replace("{command}", command) for word in TIMES[form]]
    text = stderr_of(argv, folder, terminal=sink == "terminal")
    return {
        "kind": kind,
        "form": form,
        "program": program,
        "operands": operands,
        "input": data,
        "n_bytes": (folder / data).stat().st_size,
        "sink": sink,
        "command": command,
        "text": text.strip("\n"),
    }


def log_of(folder: Path, program: str) -> dict[str, Any]:
    (folder / "short.in").write_bytes(b"abcab\n")
    command = f"./{program} abc xyz < short.in > out.txt"
    subprocess.run(["bash", "-c", f"strace -o log.txt {command}"], cwd=folder, check=True, timeout=ENDS_S)  # noqa: S607
    text = (folder / "log.txt").read_text(encoding="ascii")
    return {
        "kind": "log",
        "form": "",
        "program": program,
        "operands": ["abc", "xyz"],
        "input": "short.in",
        "n_bytes": 6,
        "sink": "file",
        "command": command,
        "text": text.strip("\n"),
    }


def main() -> None:
    found: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        build(folder)
        for sink in ("file", "terminal", "/dev/null"):
            for data in ("text.in", "plain.in", "random.in"):
                found += [run(folder, "table", "-c", program, data, sink) for program in ("tr2b", "tr2u")]
        found.append(run(folder, "table", "-c -w", "tr2b", "plain.in", "file"))
        found += [run(folder, "table", "-c", "tr2b", "big.in", sink) for sink in ("file", "terminal")]
        found += [
            run(folder, "time", form, program, "big.in", "file") for form in TIMES for program in ("tr2b", "tr2u")
        ]
        found += [run(folder, "time", form, "tr2b", "plain.in", "terminal") for form in ("bash", "zsh")]
        full = folder / "random5m.in"
        full.write_bytes(os.urandom(5_000_000))
        found.append(run(folder, "table", "-c", "tr2b", full.name, "terminal"))
        source = CHECKOUT / "reference" / "tr2" / "mutants" / "char-for-getchar" / "tr2b.c"
        found += [log_of(folder, program) for program in ("tr2b", "tr2u")]
        subprocess.run(["gcc", "-w", "-o", str(folder / "tr2b"), str(source)], check=True, timeout=ENDS_S)  # noqa: S607
        found.append(run(folder, "table", "-c", "tr2b", full.name, "file"))
        (folder / "tr2b").unlink()
        if "--full" in sys.argv:
            found.append(run(folder, "table", "-c", "tr2u", "big.in", "/dev/null"))
    CAPTURES.write_text(json.dumps(found, indent=1) + "\n", encoding="ascii")


if __name__ == "__main__":
    main()
