"""What stands behind a failed check, for a terminal: briefly, the first failing case in full."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text
from typing_extensions import assert_never

from grader.model.report import (
    BuildEvidence,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    CheckEvidence,
    Difference,
    SymbolsEvidence,
    TimingEvidence,
    Window,
)
from grader.render.bytes_text import (
    bytes_text,
    clip,
    one_line,
    short_word,
)
from grader.render.hexdump import hex_line, hex_rows, rows_near
from grader.render.terminal_text import indented, text
from grader.render.words import case_words, counted, difference_words, ending_words, seconds_words, sink_words

STDERR_BYTES = 400
PROBLEM_CHARS = 1000
COMPILER_CHARS = 3000


def evidence_blocks(program: str, evidence: CheckEvidence) -> Iterator[RenderableType]:
    """Yield the evidence of a failed check of `program` as lines below its message."""
    match evidence:
        case BuildEvidence(messages=messages):
            yield indented(clip(messages, COMPILER_CHARS).rstrip())
        case CasesEvidence():
            yield from _cases(program, [case for case in evidence.cases if not case.passed])
        case CallsEvidence():
            yield from _streams(evidence)
        case SymbolsEvidence():
            yield from _symbols(evidence)
        case TimingEvidence(real_s=real_s, reference_real_s=reference_s):
            yield indented(f"{seconds_words(real_s)} s; the reference {seconds_words(reference_s)} s")
        case _:
            assert_never(evidence)


@dataclass(frozen=True)
class HexWindow:
    """A hexdump that takes as many bytes to a row as the terminal has room for, in three rows at most."""

    window: Window
    mark: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        # A row takes 7 columns for the offset, 3 a byte, 1 between, and 1 a character.
        per_row = next((width for width in (16, 8) if 8 + 4 * width <= options.max_width), 4)
        for row in rows_near(hex_rows(self.window, self.mark, per_row=per_row), 1):
            line = Text(no_wrap=True, overflow="crop")
            for piece, marked in hex_line(row):
                line.append(piece, "bold red" if marked else "")
            yield line


def _cases(program: str, failed: list[CaseResult]) -> Iterator[RenderableType]:
    if not failed:
        return
    yield from _case(program, failed[0])
    if failed[1:]:
        yield indented("Failed too: ", _names(case.case for case in failed[1:]))


def _case(program: str, result: CaseResult) -> Iterator[RenderableType]:
    words = " ".join([f"./{program}", *(short_word(operand) for operand in result.operands)])
    yield indented(f"Case {result.case}: ", (words, "bold"))
    yield indented(f"{case_words(result)}; {ending_words(result.ending)}", columns=4)
    if result.problem:
        yield indented(clip(result.problem, PROBLEM_CHARS), columns=4)
    if result.stderr:
        shown = bytes_text(result.stderr[:STDERR_BYTES], lines=True).rstrip("\n")
        more = "…" if len(result.stderr) > STDERR_BYTES else ""
        yield indented(f"On standard error: {shown}{more}", columns=4)
    if result.stdout:
        shown = bytes_text(result.stdout[:STDERR_BYTES], lines=True).rstrip("\n")
        yield indented(f"On standard output: {shown}", columns=4)
    if result.difference is not None:
        yield from _difference(result.difference)


def _difference(difference: Difference) -> Iterator[RenderableType]:
    found = ", ".join(f"{label} {byte}" for label, byte in difference_words(difference))
    yield indented(f"Byte {difference.offset:,}: {found}", columns=4)
    yield text(f"Expected, {counted(difference.expected_size_bytes, 'byte')} in all:", style="dim")
    yield HexWindow(difference.expected, difference.offset)
    yield text(f"Yours, {counted(difference.actual_size_bytes, 'byte')} in all:", style="dim")
    yield HexWindow(difference.actual, difference.offset)


def _streams(evidence: CallsEvidence) -> Iterator[RenderableType]:
    for stream in evidence.streams:
        if stream.passed:
            continue
        seen = f"{counted(stream.calls, 'call')} for {counted(stream.bytes, 'byte')}"
        wanted = (
            "" if stream.expected_calls is None else f", expected {stream.expected_calls:,} ({stream.derivation})"
        )
        where = f"{stream.stream}, input {stream.input}, {sink_words(stream.sink)}: "
        yield indented(where, (f"{seen}{wanted}", "bold"))
        yield indented(clip(stream.problem, PROBLEM_CHARS), columns=4)


def _symbols(evidence: SymbolsEvidence) -> Iterator[RenderableType]:
    if evidence.forbidden:
        yield indented(f"Not to be called here: {_names(evidence.forbidden)}")
    for group in evidence.missing:
        yield indented(f"None of these is called: {_names(group)}")
    yield indented(f"Called: {_names(evidence.found) or 'nothing'}")


def _names(names: Iterable[str]) -> str:
    return ", ".join(one_line(name) for name in names)
