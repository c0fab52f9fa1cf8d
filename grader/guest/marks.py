"""A marked run: a copy of a program in which getchar, putchar, read, write and the like mark the bytes they move.

The input is a random text of two letters and of bytes of the operands. A letter that such a function reads becomes
another one, and so does one that such a function writes. So each of them shows in the output how it was read and how
it was written. Other bytes, which the program may replace, show only the latter: the functions set their highest bit.
What the program reads or writes elsewhere stays as it is, since it may depend on that.
"""

from __future__ import annotations

import random
from collections.abc import Iterable, Mapping, Sequence
from typing import NamedTuple

LEAST_BYTES, MOST_BYTES = 10_000, 20_000
"""Several of stdio's buffers. The program does not know how many bytes there will be."""

NEEDED_LETTERS = 8
LETTERS_SHARE = 0.45
"""A program may write what it replaces in one way, and all other bytes in another: so either may be most of it."""

HIGHEST_BIT = 128

_READ = {
    **dict.fromkeys(("getchar", "getchar_unlocked"), ("void", "", "stdin")),
    **dict.fromkeys(
        ("getc", "fgetc", "getc_unlocked", "fgetc_unlocked", "_IO_getc"), ("void *stream", "stream", "stream")
    ),
}
_WRITE = {
    **dict.fromkeys(("putchar", "putchar_unlocked"), ("int c", "", "stdout")),
    **dict.fromkeys(
        ("putc", "fputc", "putc_unlocked", "fputc_unlocked", "_IO_putc"),
        ("int c, void *stream", ", stream", "stream"),
    ),
}
"""Parameters of the functions, their arguments after the byte, and their stream. The linker connects calls of NAME to
__wrap_NAME, and those of __real_NAME to NAME."""

_BLOCKS = {
    "read": """\
long __real_read(int fd, void *data, unsigned long size);
long __wrap_read(int fd, void *data, unsigned long size)
{
    long got = __real_read(fd, data, size), at;
    for (at = 0; at < got; at++)
        ((unsigned char *)data)[at] = as_read(fd, ((unsigned char *)data)[at]);
    return got;
}
""",
    "__read_chk": """\
long __wrap___read_chk(int fd, void *data, unsigned long size, unsigned long room)
{
    return __wrap_read(fd, data, size < room ? size : room);
}
""",
    "write": """\
long __real_write(int fd, const void *data, unsigned long size);
long __wrap_write(int fd, const void *data, unsigned long size)
{
    unsigned char *marked = __builtin_alloca(size + 1);
    unsigned long at;
    for (at = 0; at < size; at++)
        marked[at] = as_written(fd, ((const unsigned char *)data)[at]);
    return __real_write(fd, marked, size);
}
""",
}
"""The functions that take many bytes."""

_MADE_BY_HEADERS = {"getc": "_IO_getc", "putc": "_IO_putc", "read": "__read_chk"}
"""What old headers make of these functions, or headers with _FORTIFY_SOURCE. The C library may lack it."""

_SOURCE = """\
#pragma GCC optimize ("O0")
#include <sys/stat.h>
extern void *stdin, *stdout;
int fileno(void *stream);
static struct stat streams[2];
__attribute__((constructor)) static void look(void) {{ fstat(0, &streams[0]); fstat(1, &streams[1]); }}
static int is_on(int fd, int stream)
{{
    struct stat file;
    return fstat(fd, &file) == 0 && file.st_dev == streams[stream].st_dev && file.st_ino == streams[stream].st_ino;
}}
static int as_read(int fd, int c)
{{
    if (is_on(fd, 0))
        switch (c) {{ {read} }}
    return c;
}}
static int as_written(int fd, int c)
{{
    if (!is_on(fd, 1))
        return c;
    switch (c & 255) {{ {written} }}
    return c | 128;
}}
"""
_READ_FUNCTION = """\
{weak}int __real_{name}({parameters});
int __wrap_{name}({parameters}) {{ return as_read(fileno({stream}), __real_{name}({arguments})); }}
"""
_WRITE_FUNCTION = """\
{weak}int __real_{name}({parameters});
int __wrap_{name}({parameters})
{{
    return __real_{name}(as_written(fileno({stream}), c){arguments}) < 0 ? -1 : c & 255;
}}
"""


class Letters(NamedTuple):
    """A letter of the input, and what it becomes: if it is read, if it is written, and if both happens."""

    plain: int
    read: int
    written: int
    both: int


def chosen_letters(letters: str, chance: random.Random) -> tuple[Letters, Letters]:
    """Choose from letters that mean nothing to the program, so that it cannot tell them from each other."""
    chosen = chance.sample(letters.encode("ascii"), NEEDED_LETTERS)
    return Letters(*chosen[:4]), Letters(*chosen[4:])


def random_text(letters: Sequence[Letters], operands: Iterable[bytes], chance: random.Random) -> bytes:
    """Return an input of letters and, if there are any, of letters and digits of the operands."""
    others = sorted({byte for operand in operands for byte in operand if bytes([byte]).isalnum()})
    plain, size = [one.plain for one in letters], chance.randint(LEAST_BYTES, MOST_BYTES)
    return bytes(chance.choice(others if others and chance.random() > LETTERS_SHARE else plain) for _ in range(size))


def source_of(functions: Sequence[str], letters: Sequence[Letters]) -> str:
    """Return the C source of functions that take the place of these."""
    read = [(one.plain, one.read) for one in letters]
    written = [pair for one in letters for pair in ((one.plain, one.written), (one.read, one.both))]
    parts = [_SOURCE.format(read=_cases(read), written=_cases(written))]
    for name in _with_made(functions):
        if name in _BLOCKS:
            parts.append(_BLOCKS[name])
            continue
        template, of_name = (_READ_FUNCTION, _READ) if name in _READ else (_WRITE_FUNCTION, _WRITE)
        parameters, arguments, stream = of_name[name]
        weak = "" if name in functions else "__attribute__((weak)) "
        parts.append(template.format(name=name, parameters=parameters, arguments=arguments, stream=stream, weak=weak))
    return "".join(parts)


def linker_options(functions: Sequence[str]) -> list[str]:
    """Return the options that connect the calls of these functions to those of `source_of`."""
    return [f"-Wl,--wrap={name}" for name in _with_made(functions)]


def read_marks(text: bytes, output: bytes, letters: Sequence[Letters]) -> Mapping[str, int] | None:
    """Return the fields of Marks (grader/model/evidence.py); None if the output is not a copy of the input."""
    of_letter = {one.plain: one for one in letters}
    copied = [(old, new) for old, new in zip(text, output, strict=False) if old in of_letter]
    if len(text) != len(output) or any(new not in of_letter[old] for old, new in copied):
        return None
    others = [new for old, new in zip(text, output, strict=True) if old not in of_letter]
    return {
        "copied_bytes": len(copied),
        "read_bytes": sum(new in (of_letter[old].read, of_letter[old].both) for old, new in copied),
        "written_bytes": sum(new in (of_letter[old].written, of_letter[old].both) for old, new in copied),
        "other_bytes": len(others),
        "other_written_bytes": sum(new >= HIGHEST_BIT for new in others),
    }


def _with_made(functions: Sequence[str]) -> list[str]:
    return [*functions, *(made for name, made in _MADE_BY_HEADERS.items() if name in functions)]


def _cases(pairs: Iterable[tuple[int, int]]) -> str:
    return " ".join(f"case {old}: return {new};" for old, new in pairs)
