"""Small tr2 programs with one mistake each in the use of memory, and what the checkers of gcc 12 wrote about them.

Each program marks the line of its mistake. `recorded` has standard error of a run with INPUT: of the sanitizers,
without their dump of shadow bytes, and of valgrind if only valgrind sees the mistake.
"""

from __future__ import annotations

from pathlib import Path

FOLDER = Path(__file__).parent
NAMES = sorted(path.stem for path in FOLDER.glob("*.c"))
INPUT = b"hello abc \xe9\x80 world\n"

OPERANDS: dict[str, tuple[bytes, ...]] = {"negative-index": (b"a\xe9b", b"xyz"), "null-to-strlen": ()}
"""The operands of those that do not get abc and xyz."""


def source(name: str) -> bytes:
    """Return the source of a program."""
    return (FOLDER / f"{name}.c").read_bytes()


def line_of_mistake(name: str) -> int:
    """Return the line that a program marks."""
    (line,) = (number for number, text in enumerate(source(name).splitlines(), 1) if b"/* HERE */" in text)
    return line


def recorded(name: str, checker: str) -> str:
    """Return what a checker wrote, "" if that was not recorded."""
    path = FOLDER / "recorded" / f"{name}.{checker}.txt"
    return path.read_text(encoding="utf-8") if path.exists() else ""
