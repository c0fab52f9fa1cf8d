"""The programs of a spec: how to compile them, the calls that they must make, and their limits."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from itertools import filterfalse
from typing import Annotated, Literal, NamedTuple

from pydantic import Field, model_validator
from typing_extensions import assert_never

from grader.model.base import Model
from grader.model.evidence import LimitHit
from grader.model.spec.types import (
    CompilerOption,
    Count,
    CSymbol,
    FileName,
    HeaderName,
    MakeTarget,
    Name,
    Seconds,
    SourceName,
)


class BatchedCalls(Model):
    """Few calls that move many bytes: at least `mean_bytes_min` bytes per call on average."""

    calls: Literal["batched"]
    mean_bytes_min: Count


class ExactCalls(Model):
    """One call per `nbyte` bytes, each with exactly that nbyte; the last may ask for what is left."""

    calls: Literal["exact"]
    nbyte: Count


class LineBufferedCalls(Model):
    """One call per line or full buffer, whichever comes first, as stdio does on a terminal."""

    calls: Literal["line-buffered"]
    buffer_bytes: Count


class AnyCalls(Model):
    """Whatever calls the program makes: the lab does not judge this stream."""

    calls: Literal["any"] = "any"


CallPattern = Annotated[BatchedCalls | ExactCalls | LineBufferedCalls | AnyCalls, Field(discriminator="calls")]


class CallPatterns(NamedTuple):
    """The patterns of a program in a case, by stream; `terminal` is for what it writes to a terminal."""

    stdin: CallPattern
    stdout: CallPattern
    terminal: CallPattern

    @property
    def is_exact(self) -> bool:
        """Whether the lab asks for an nbyte, which totals of calls do not show."""
        return isinstance(self.stdin, ExactCalls) or isinstance(self.stdout, ExactCalls)


READ_BYTES = frozenset(("getchar", "getc", "fgetc", "getchar_unlocked", "getc_unlocked", "fgetc_unlocked", "read"))
WRITE_BYTES = frozenset(("putchar", "putc", "fputc", "putchar_unlocked", "putc_unlocked", "fputc_unlocked", "write"))
"""Functions that read bytes, or write them. In a marked run (grader/guest/marks.py), they mark it."""

MARKS = 8
"""How many letters a marked run needs."""


class SymbolRule(Model):
    """Functions that the source calls: at least one of each group in `one_of_each`, none of `none_of`.

    With `used_in`, the name of a case, most bytes must go through these functions: a marked run with the operands of
    the case shows whether they do.
    """

    one_of_each: tuple[Annotated[tuple[CSymbol, ...], Field(min_length=1)], ...] = ()
    none_of: tuple[CSymbol, ...] = ()
    used_in: Name | None = None


Compiler = Literal["gcc", "g++", "clang", "clang++"]

OF_CPLUSPLUS: dict[Compiler, Compiler] = {"gcc": "g++", "clang": "clang++"}
"""The compiler that links the C++ library, for each that does not."""


_FOR_LINKER = re.compile(r"-(?:static.*|shared.*|(?:no-)?pie|rdynamic|s|l.+|Wl,.+|fuse-ld=.+)")
_STATIC = re.compile(r"-(?:static(?:-pie)?|nostdlib|nostartfiles|Wl,(?:.*,)?-{1,2}(?:static|Bstatic|dn)(?:,.*)?)")


_LAST = ("-l", "-Wl,")
"""Options for the linker, for which the order of files and libraries matters."""

_NEEDED = ("-D", "-I", "-L", "-U")
"""Options without which a source may not compile, or a library is not found."""

MAKEFILE = "Makefile"

_IS_SOURCE = re.compile(r".+\.(?:c|cc|cpp|cxx|s|S|o|a)")
"""Provided files that the compiler's command names."""


class Build(Model):
    """How to compile a program, and the object whose symbols show which functions the source calls.

    Of `options`, libraries (`-lm`) and what is for the linker (`-Wl,`) come after the sources. `object_options`
    are those of the object, by default `options` without optimisation and built-in functions.
    With `make` instead of `compiler`, the lab's own Makefile, which is next to the spec, makes this target: a file.
    """

    compiler: Compiler | None = None
    standard: str | None = None
    options: tuple[CompilerOption, ...] = ()
    object_options: tuple[CompilerOption, ...] = ()
    make: MakeTarget | None = None

    @model_validator(mode="after")
    def _has_one_builder(self) -> Build:
        if (self.compiler is None) == (self.make is None):
            raise ValueError("a build has either compiler or make")
        if self.make is not None and (self.standard is not None or self.options or self.object_options):
            raise ValueError("with make, the Makefile says how to compile: leave out the other keys")
        return self

    @property
    def compiler_command(self) -> tuple[str, ...]:
        """The beginning of the command that compiles a program; output, sources and `libraries` follow."""
        return (*self.standard_command, *(option for option in self.options if not option.startswith(_LAST)))

    @property
    def libraries(self) -> tuple[str, ...]:
        """The end of the command. A linker takes from a library only what it already lacks."""
        return tuple(option for option in self.options if option.startswith(_LAST))

    @property
    def needed_options(self) -> tuple[str, ...]:
        """Options of `compiler_command` without which a program may not be built."""
        return tuple(option for option in self.options if option.startswith(_NEEDED))

    @property
    def object_command(self) -> tuple[str, ...]:
        """The beginning of the command that compiles the object.

        With built-in functions, gcc makes fwrite of fprintf even without optimisation.
        """
        return self._object_command(self.object_options or (*self.options, "-O0", "-fno-builtin"))

    @property
    def program_object_command(self) -> tuple[str, ...]:
        """The beginning of the command that compiles an object as the program is compiled."""
        return self._object_command(self.options)

    def _object_command(self, options: Iterable[str]) -> tuple[str, ...]:
        """Objects that are put together cannot be static-pie, and those for -flto may name no functions."""
        return (*self.standard_command, *filterfalse(_FOR_LINKER.fullmatch, options), "-w", "-fno-lto")

    @property
    def static_option(self) -> str | None:
        """The option with which a program does not name the functions that it takes from the C library."""
        return next(filter(_STATIC.fullmatch, self.options), None)

    @property
    def standard_command(self) -> tuple[str, ...]:
        """The compiler and the language's standard; without one, the compiler chooses."""
        return (str(self.compiler), *([f"-std={self.standard}"] if self.standard is not None else []))


class Program(Model):
    """One program of the lab, how it must move its bytes, and which functions it may call.

    `source` is its only source; with more than one, `sources` has all of them. `headers` are handed in too. Programs
    may share files. `provided` are files of the lab, in its folder `provided`: they are next to those that are handed
    in, and sources among them are compiled too. `build` replaces that of the lab.
    """

    source: SourceName | None = None
    sources: tuple[SourceName, ...] = ()
    headers: tuple[HeaderName, ...] = ()
    provided: tuple[FileName, ...] = ()
    build: Build | None = None
    title: str
    stdin: CallPattern = AnyCalls()
    stdout: CallPattern = AnyCalls()
    terminal: CallPattern = AnyCalls()
    symbols: SymbolRule = SymbolRule()

    @model_validator(mode="after")
    def _has_sources(self) -> Program:
        if (self.source is None) == (not self.sources):
            raise ValueError("a program has either source, for one file, or sources, for several")
        names = [*self.files, *self.provided]
        if MAKEFILE in self.provided:
            raise ValueError("the Makefile is next to the spec, and make finds it without being named")
        twice = next((name for name in names if names.count(name) > 1), None)
        if twice is not None:
            raise ValueError(f"{twice!r} is named twice")
        return self

    @property
    def all_sources(self) -> tuple[str, ...]:
        """The names of all its sources, in the order of the compiler's command."""
        return self.sources or ((self.source,) if self.source is not None else ())

    @property
    def provided_sources(self) -> tuple[str, ...]:
        """The names of the provided files that are compiled, or linked, with its sources; archives come last."""
        named = filter(_IS_SOURCE.fullmatch, self.provided)
        return tuple(sorted(named, key=lambda name: name.endswith(".a")))

    @property
    def main_source(self) -> str:
        """The name of its first source, which is mostly the only one."""
        return self.all_sources[0]

    @property
    def files(self) -> tuple[str, ...]:
        """The names of all files that are handed in for it."""
        return (*self.all_sources, *self.headers)


class RunLimits(Model):
    """Limits of one run, a little above the values that are judged."""

    cpu_s: Annotated[int, Field(ge=1)]
    wall_s: Seconds
    output_bytes: Count
    memory_bytes: Count


def limit_words(limits: RunLimits, place: str, hit: LimitHit) -> tuple[str, str]:
    """Return the key of a limit in the spec, whose limits of this kind are at `place`, and its value in words."""
    match hit:
        case "cpu":
            return f"{place}.cpu_s", f"{limits.cpu_s} s of computing"
        case "wall":
            return f"{place}.wall_s", f"{limits.wall_s:g} s"
        case "output" | "log":
            return f"{place}.output_bytes", f"{limits.output_bytes:,} bytes"
        case "memory":
            return f"{place}.memory_bytes", f"{limits.memory_bytes:,} bytes"
        case _ as unreachable:
            assert_never(unreachable)


class Limits(Model):
    """Limits by kind of run, and of a submission as a whole; the defaults are for inputs of some megabytes."""

    build: RunLimits = RunLimits(cpu_s=20, wall_s=40, output_bytes=16_000_000, memory_bytes=1_000_000_000)
    small: RunLimits = RunLimits(cpu_s=1, wall_s=10, output_bytes=200_000, memory_bytes=256_000_000)
    full: RunLimits = RunLimits(cpu_s=60, wall_s=150, output_bytes=12_000_000, memory_bytes=256_000_000)
    strace_small: RunLimits = RunLimits(cpu_s=5, wall_s=15, output_bytes=32_000_000, memory_bytes=512_000_000)
    strace: RunLimits = RunLimits(cpu_s=30, wall_s=60, output_bytes=32_000_000, memory_bytes=512_000_000)
    strace_full: RunLimits = RunLimits(cpu_s=1800, wall_s=2400, output_bytes=32_000_000, memory_bytes=512_000_000)
    submission_wall_s: Seconds = 900.0
    """Seconds for all runs of a submission, divided evenly among the programs."""

    processes: Count = 64
    open_files: Count = 64
    source_bytes: Count = 1_000_000
    cheap_calls: Count = 100_000
    """Most calls, predicted from the slice, of a full-size run that is run under strace."""

    @model_validator(mode="before")
    @classmethod
    def _complete(cls, given: object) -> object:
        """Take what a kind of run leaves out from its defaults."""
        if not isinstance(given, Mapping):
            return given
        defaults = {name: field.default for name, field in cls.model_fields.items()}
        return {
            name: {**default.model_dump(), **limits}
            if isinstance(limits, Mapping) and isinstance(default := defaults.get(name), RunLimits)
            else limits
            for name, limits in given.items()
        }
