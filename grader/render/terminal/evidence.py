"""The evidence of a failed check for a terminal: the first failing case with its first difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from rich.console import Console, ConsoleOptions, RenderableType
from rich.text import Text
from typing_extensions import assert_never

from grader.model.counted import counted, listed_up_to
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
from grader.model.spelled_bytes import escaped_bytes
from grader.render.terminal.styled_text import indented, shell, text
from grader.render.text.escape import clip, one_line, short, short_word
from grader.render.text.gcc_messages import first_of
from grader.render.text.hexdump import hex_line, hex_rows, offset_width, rows_near
from grader.render.text.phrases import (
    case_words,
    difference_words,
    ending_words,
    last_words,
    seconds_words,
    shift_words,
    sink_words,
    windows,
)

MAX_OUTPUT_BYTES = 200
MAX_PROBLEM_CHARS = 500
MAX_SOURCE_CHARS = 500
MAX_REPEAT_CHARS = 2000
MAX_NAMED_CASES = 8


def evidence_blocks(program: str, evidence: CheckEvidence, message: str = "") -> Iterator[RenderableType]:
    """Yield the evidence of a failed check of `program` as lines below its message, without repeating the message."""
    match evidence:
        case BuildEvidence(messages=messages):
            yield from _build(messages)
        case CasesEvidence():
            yield from _cases(program, [case for case in evidence.cases if not case.passed], message)
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
    """The row of a hexdump that contains the mark, as wide as the terminal allows."""

    window: Window
    mark: int
    offset_width: int

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[RenderableType]:
        # A row takes the offset, 1, 3 per byte, 1 between, and 1 per character.
        around = self.offset_width + 2
        per_row = next((width for width in (16, 8) if around + 4 * width <= options.max_width), 4)
        for row in rows_near(hex_rows(self.window, self.mark, per_row=per_row), 0):
            line = Text(no_wrap=True, overflow="crop")
            for piece, marked in hex_line(row, self.offset_width):
                line.append(piece, "bold red" if marked else "")
            yield line


def _build(messages: str) -> Iterator[RenderableType]:
    first = first_of(messages)
    if first is None:
        yield indented(clip(messages, MAX_SOURCE_CHARS).rstrip())
        return
    message = short(one_line(first.message), MAX_PROBLEM_CHARS)
    yield indented((f"The compiler's first {first.kind}: ", "bold"), f"{one_line(first.location)}: {message}")
    if first.source:
        yield indented(clip(first.source, MAX_SOURCE_CHARS))


def _cases(program: str, failed: list[CaseResult], message: str) -> Iterator[RenderableType]:
    if not failed:
        return
    yield from _case(program, failed[0], message)
    yield from _others("Also failed: ", [case for case in failed[1:] if case.ending is not None])
    not_run = "Also not run" if failed[0].ending is None else "Not run"
    yield from _others(f"{not_run}: ", [case for case in failed[1:] if case.ending is None])


def _others(label: str, cases: list[CaseResult]) -> Iterator[RenderableType]:
    if cases:
        yield indented(label, listed_up_to(MAX_NAMED_CASES, [one_line(case.case) for case in cases]))


def _case(program: str, result: CaseResult, message: str) -> Iterator[RenderableType]:
    command = " ".join([f"./{program}", *(short_word(operand) for operand in result.operands)])
    yield indented(f"Case {one_line(result.case)}: ", (command, "bold"))
    ended = "" if ending_words(result.ending) in message else f"; {last_words(result)}"
    yield indented(f"{case_words(result)}{ended}", columns=4)
    if result.problem not in message:
        yield indented(clip(result.problem, MAX_PROBLEM_CHARS), columns=4)
    if result.difference is not None:
        yield from _difference(result.difference, result.differs_in)
    if result.stderr:
        yield indented(f"On standard error: {_output_text(result.stderr)}", columns=4)
    if result.stdout:
        yield indented(f"On standard output: {_output_text(result.stdout)}", columns=4)
    yield from _repeat(result.repeat)


def _output_text(data: bytes) -> str:
    more = "…" if len(data) > MAX_OUTPUT_BYTES else ""
    return escaped_bytes(data[:MAX_OUTPUT_BYTES], lines=True).rstrip("\n") + more


def _difference(difference: Difference, differs_in: str) -> Iterator[RenderableType]:
    where = f" of {one_line(differs_in)}" if differs_in else ""
    bytes_there = ", ".join(f"{label} {byte}" for label, byte in difference_words(difference))
    yield indented(f"Byte {difference.offset:,}{where}: {bytes_there}", columns=4)
    width = offset_width(*(window for _, window in windows(difference)))
    sizes = {"expected": difference.expected_size_bytes, "yours": difference.actual_size_bytes}
    for label, window in windows(difference):
        in_all = f", {counted(sizes[label], 'byte')} in all" if label in sizes else ""
        yield text(f"{label.capitalize()}{in_all}:", style="dim")
        yield HexWindow(window, difference.offset, width)
    if shift_words(difference):
        yield indented(shift_words(difference), columns=4)


def _repeat(lines: str) -> Iterator[RenderableType]:
    if lines:
        yield indented("Repeat it yourself:", style="bold")
        yield from shell(clip(lines, MAX_REPEAT_CHARS))


def _streams(evidence: CallsEvidence) -> Iterator[RenderableType]:
    for stream in evidence.streams:
        if stream.passed:
            continue
        calls = f"{counted(stream.calls, 'call')} for {counted(stream.bytes, 'byte')}"
        if stream.expected_calls is not None:
            calls += f", expected {stream.expected_calls:,} ({stream.derivation})"
        yield indented(
            f"{stream.file or stream.stream}, {stream.words}, {sink_words(stream.sink)}: ", (calls, "bold")
        )
        yield indented(clip(stream.problem, MAX_PROBLEM_CHARS), columns=4)
    yield from _repeat(evidence.repeat)


def _symbols(evidence: SymbolsEvidence) -> Iterator[RenderableType]:
    if evidence.forbidden:
        yield indented(f"Must not be called: {_names(evidence.forbidden)}")
    for group in evidence.missing:
        yield indented(f"The compiled program calls none of these: {_names(group)}")
    for group in evidence.unused:
        yield indented(f"Most bytes do not go through these: {_names(group)}")
    if evidence.found:
        yield indented(f"It calls, of those asked for: {_names(evidence.found)}")
    if evidence.instead:
        yield indented(f"It calls instead: {_names(evidence.instead)}")


def _names(names: Iterable[str]) -> str:
    return ", ".join(one_line(name) for name in names)
