"""The evidence of a failed check in Markdown: the first failing cases, and the bytes around their difference."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence

from typing_extensions import assert_never

from grader.gradescope.results.markdown import code, code_block, paragraph, plain
from grader.model.counted import counted, listed
from grader.model.proof_words import instruction_of
from grader.model.report import (
    BuildEvidence,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Cause,
    CauseLine,
    CheckEvidence,
    Difference,
    Finding,
    Proof,
    Report,
    StreamJudgement,
    SymbolsEvidence,
    TimingEvidence,
)
from grader.model.spelled_bytes import escaped_bytes
from grader.render.text.escape import short_word
from grader.render.text.gcc_messages import Diagnostic, diagnostics, first_of
from grader.render.text.hexdump import aligned_lines
from grader.render.text.phrases import (
    case_words,
    certainty_words,
    difference_words,
    last_words,
    shift_words,
    sink_words,
    windows,
)
from grader.render.views.failures import finding_rows

IN_FULL = 2
"""The number of failing cases that are shown in full; the others get one line each."""

NAMED = 8
"""The number of other failing cases that are named."""

MAX_LINES = 10
"""Lines of source that are shown with a cause."""

ROWS_AROUND = 1
OUTPUT_BYTES = 400
ERROR_CHARS = 3000
ERROR_LINES = 60
PROBLEM_CHARS = 300
WORDS_CHARS = 400
REPEAT_CHARS = 700
LOG_CHARS = 1200
LOG_LINES = 12


def evidence_blocks(program: str, evidence: CheckEvidence) -> Iterator[str]:
    """Yield the evidence of a failed check of `program`, the most important part first."""
    match evidence:
        case BuildEvidence(messages=messages):
            yield from compiler_blocks(messages)
        case CasesEvidence():
            yield from _cases(program, [case for case in evidence.cases if not case.passed])
        case CallsEvidence():
            yield from _calls(evidence)
        case SymbolsEvidence():
            yield _symbols(evidence)
        case TimingEvidence():
            return
        case _:
            assert_never(evidence)


def compiler_blocks(messages: str) -> Iterator[str]:
    """Yield the compiler's first error, or else its first warning, with the lines of source below it."""
    first = first_of(messages)
    if first is None:
        yield code_block(messages, ERROR_CHARS, ERROR_LINES)
        return
    yield f"The compiler's first {first.kind}:"
    yield code_block(diagnostic_text(first), ERROR_CHARS, ERROR_LINES)
    more = len(diagnostics(messages)) - 1
    if more:
        echo = " Fix the first one first: the others are often consequences of it." if first.kind == "error" else ""
        yield f"The compiler has {counted(more, 'more message')}.{echo}"


def finding_blocks(finding: Finding) -> Iterator[str]:
    """Yield what a memory checker found, the lines of source, and how to see it."""
    yield f"**What a memory checker found**: {plain(finding.message, WORDS_CHARS)}"
    rows = finding_rows(finding)
    yield code_block("\n".join(f"{'>' if is_it else ' '} {number}  {text}" for number, text, is_it in rows))
    yield from _repeat(finding.repeat)


def certainty_block(cause: Cause) -> str:
    """Say how certain a cause is, and what proves it; certain ones need no words."""
    match cause.certainty:
        case "proven" if cause.proof is not None:
            return f"**Proven.** {fix_block(cause.proof)}"
        case "likely":
            return f"**Likely, not certain.** {certainty_words(cause)}"
        case _:
            return ""


def fix_block(proof: Proof) -> str:
    """Say what to change, from the sentence that proves it."""
    return f"**Fix**: {with_code(instruction_of(proof))}"


def line_blocks(report: Report, cause: Cause) -> Iterator[str]:
    """Yield the lines of source that have a bug; fixed as well if students may see that."""
    if cause.lines:
        yield code_block(lines_text(cause.lines))
    if report.shows_fixes and cause.proof is not None and cause.proof.fixed:
        yield "**Fixed**:"
        yield code_block(lines_text(cause.proof.fixed))


def lines_text(lines: Sequence[CauseLine]) -> str:
    """Return lines of source with their places."""
    return "\n".join(f"{line.file}:{line.number}  {line.text}" for line in lines[:MAX_LINES])


def with_code(sentence: str) -> str:
    """Return a sentence of ours, in which backquotes mark code."""
    # `plain` removes white space at both ends, but here it separates words.
    pieces = [
        code(part) if index % 2 else f"{' ' * part[:1].isspace()}{plain(part)}{' ' * part[-1:].isspace()}"
        for index, part in enumerate(sentence.split("`"))
    ]
    return "".join(pieces)


def diagnostic_text(one: Diagnostic) -> str:
    """Return a message as gcc prints it."""
    return f"{one.location}: {one.kind}: {one.message}\n{one.source}"


def _cases(program: str, failed: list[CaseResult]) -> Iterator[str]:
    for result in failed[:IN_FULL]:
        yield from _case(program, result)
    rest = failed[IN_FULL:]
    if rest:
        more = f"and {len(rest) - NAMED:,} more" if len(rest) > NAMED else ""
        lines = (f"{code(one.case)}: {plain(one.problem, WORDS_CHARS // 4)}" for one in rest[:NAMED])
        yield paragraph("Wrong too:", *lines, more)


def _case(program: str, result: CaseResult) -> Iterator[str]:
    call = " ".join([f"./{program}", *(short_word(operand) for operand in result.operands)])
    yield paragraph(
        f"**Case** {code(result.case)}: {code(call, WORDS_CHARS)}",
        plain(f"{case_words(result)}; {last_words(result)}", WORDS_CHARS),
        plain(result.problem, PROBLEM_CHARS),
    )
    if result.difference is not None:
        yield from _difference(result.difference, result.differs_in)
    yield from _repeat(result.repeat)
    yield from _output("On standard error", result.stderr)
    unwanted = "" if result.expect == "stated" else ", which should be empty"
    yield from _output(f"On standard output{unwanted}", result.stdout)


def _output(where: str, data: bytes) -> Iterator[str]:
    if data:
        much = f" (the first {OUTPUT_BYTES} of {counted(len(data), 'byte')})" if len(data) > OUTPUT_BYTES else ""
        yield f"{where}{much}:"
        yield code_block(escaped_bytes(data[:OUTPUT_BYTES], lines=True), 4 * OUTPUT_BYTES, LOG_LINES)


def _difference(difference: Difference, differs_in: str) -> Iterator[str]:
    where = f", in {code(differs_in)}," if differs_in else ""
    found = ", ".join(f"{label} {code(byte)}" for label, byte in difference_words(difference))
    yield f"The first difference{where} is at byte {difference.offset:,}: {found}."
    if shift_words(difference):
        yield shift_words(difference)
    lines = aligned_lines(windows(difference), difference.offset, per_row=16, around=ROWS_AROUND)
    yield code_block("\n".join("".join(piece for piece, _ in line) for line in lines))


def _repeat(shell: str) -> Iterator[str]:
    if shell:
        yield "To see it on your machine:"
        yield code_block(shell, REPEAT_CHARS)


def _calls(evidence: CallsEvidence) -> Iterator[str]:
    failed: dict[str, list[str]] = {}
    for stream in evidence.streams:
        if not stream.passed:
            failed.setdefault(_stream(stream), []).append(code(stream.name))
    for words, inputs in failed.items():
        yield f"{words} Input: {listed(inputs)}."
    yield from _repeat(evidence.repeat)
    if evidence.excerpt:
        yield "From the log of strace, where the program begins to read and write:"
        yield code_block(evidence.excerpt, LOG_CHARS, LOG_LINES)


def _stream(stream: StreamJudgement) -> str:
    """Say what is wrong with a stream; the words are often the same for several inputs."""
    wanted = "" if stream.expected_calls is None else f"; right are {stream.expected_calls:,}"
    why = f" ({plain(stream.derivation, WORDS_CHARS)})" if wanted and stream.derivation else ""
    problem = plain(stream.problem, PROBLEM_CHARS)
    seen = f"{counted(stream.calls, 'call')} for {counted(stream.bytes, 'byte')}"
    return f"**{stream.stream}**, {sink_words(stream.sink)}: {seen}{wanted}{why}. {problem}."


def _symbols(evidence: SymbolsEvidence) -> str:
    forbidden = f"Must not be called: {_names(evidence.forbidden)}" if evidence.forbidden else ""
    missing = (f"The compiled program calls none of these: {_names(group)}" for group in evidence.missing)
    unused = (f"Most bytes do not go through these: {_names(group)}" for group in evidence.unused)
    wanted = f"It calls, of those asked for: {_names(evidence.found)}" if evidence.found else ""
    instead = f"It calls instead: {_names(evidence.instead)}" if evidence.instead else ""
    return paragraph(forbidden, *missing, *unused, wanted, instead)


def _names(names: Iterable[str]) -> str:
    return ", ".join(code(name, 40) for name in [*names][:20])
