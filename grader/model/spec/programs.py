"""The programs of a spec: how to compile them, the calls that they must make, and their limits."""

from __future__ import annotations

from typing import Annotated, Literal

from pydantic import Field

from grader.model.base import Model
from grader.model.spec.types import CompilerOption, Count, CSymbol, Seconds, SourceName


class BatchedCalls(Model):
    """Few calls that move many bytes: at least `mean_bytes_min` bytes per call on average."""

    calls: Literal["batched"]
    mean_bytes_min: Count


class ExactCalls(Model):
    """One call per `nbyte` bytes, each with exactly that nbyte."""

    calls: Literal["exact"]
    nbyte: Count


class LineBufferedCalls(Model):
    """One call per line or full buffer, whichever comes first, as stdio does on a terminal."""

    calls: Literal["line-buffered"]
    buffer_bytes: Count


CallPattern = Annotated[BatchedCalls | ExactCalls | LineBufferedCalls, Field(discriminator="calls")]


class SymbolRule(Model):
    """Functions that the source calls: at least one of each group in `one_of_each`, none of `none_of`."""

    one_of_each: tuple[Annotated[tuple[CSymbol, ...], Field(min_length=1)], ...]
    none_of: tuple[CSymbol, ...] = ()


class Program(Model):
    """One program of the lab, and how it must move its bytes."""

    source: SourceName
    title: str
    stdin: CallPattern
    stdout: CallPattern
    terminal: CallPattern
    symbols: SymbolRule


class Build(Model):
    """How to compile a program, and the object whose symbols show which functions the source calls."""

    compiler: Literal["gcc"]
    standard: str
    options: tuple[CompilerOption, ...] = ()
    object_options: tuple[CompilerOption, ...] = ()

    @property
    def compiler_command(self) -> tuple[str, ...]:
        """The beginning of the command that compiles a program; output and source follow."""
        return (self.compiler, f"-std={self.standard}", *self.options)


class RunLimits(Model):
    """Limits of one run, a little above the values that are judged."""

    cpu_s: Annotated[int, Field(ge=1)]
    wall_s: Seconds
    output_bytes: Count
    memory_bytes: Count


class Limits(Model):
    """Limits by kind of run, and of a submission as a whole."""

    build: RunLimits
    small: RunLimits
    full: RunLimits
    strace_small: RunLimits
    strace: RunLimits
    strace_full: RunLimits
    submission_wall_s: Seconds
    """Seconds for all runs of a submission, divided evenly among the programs."""

    processes: Count
    open_files: Count
    source_bytes: Count
    cheap_calls: Count
    """Most calls, predicted from the slice, of a full-size run that is run under strace."""
