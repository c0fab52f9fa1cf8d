"""Choose the lines of a source that have to do with a symptom: what they do is known, not that they are wrong."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from collections.abc import Set as AbstractSet

from grader.diagnose.sentences_on_operands import OF_OPERANDS
from grader.diagnose.sentences_on_outputs import OF_OUTPUTS
from grader.model.report import (
    ALSO_TO_STANDARD_ERROR,
    CallsEvidence,
    CaseResult,
    CasesEvidence,
    Check,
    RelatedLine,
    Report,
    Stream,
    SymbolsEvidence,
    Symptom,
)

MAX_LINES = 3
"""Most lines of one symptom: more of them lead nowhere."""

MESSAGE_CHARS = 4
"""Shortest text by which a string in the source is recognised in what the program wrote."""

ROLES = {
    "reads": "reads the input",
    "waits": "waits",
    "buffers": "changes or empties a buffer",
    "writes": "writes",
    "partners": "takes a byte of an array",
    "argc": "looks at argc",
    "lengths": "compares lengths",
    "compares": "compares two bytes",
    "searches": "searches for a byte",
    "names": "gives an operand a name",
    "operands": "takes an operand",
    "text": "has this text",
}
"""What the lines of each pattern do, in words."""

PATTERNS = {
    "reads": """
        ((call_expression) @line
          (#library-call? @line "getchar" "getc" "fgetc" "getchar_unlocked" "read" "fread" "fgets" "scanf" "getline"))
    """,
    "waits": """
        ((call_expression) @line
          (#library-call? @line "pause" "sleep" "usleep" "nanosleep" "wait" "waitpid" "poll" "select" "sigsuspend"))
    """,
    "buffers": """
        ((call_expression) @line
          (#library-call? @line "setvbuf" "setbuf" "setbuffer" "setlinebuf" "fflush"))
    """,
    "writes": """
        ((call_expression) @line
          (#library-call? @line "putchar" "putc" "fputc" "putchar_unlocked" "write" "fwrite" "puts" "printf" "fputs")
          (#not-message? @line "stdout")
          (#not-message? @line "stderr"))
    """,
    "partners": """
        ((assignment_expression right: (subscript_expression)) @line)
        ((assignment_expression right: (pointer_expression operator: "*")) @line)
    """,
    "argc": """
        ((binary_expression left: (identifier) @name) @line (#name? @name "argc" "ac"))
        ((binary_expression right: (identifier) @name) @line (#name? @name "argc" "ac"))
    """,
    "lengths": """
        ((binary_expression
          left: (call_expression) @left operator: _ right: (call_expression) @right) @line
          (#library-call? @left "strlen")
          (#library-call? @right "strlen"))
        ((binary_expression
          left: (identifier) @left operator: ["==" "!=" "<" ">" "<=" ">="] right: (call_expression) @right) @line
          (#not-in-loop? @line)
          (#library-call? @right "strlen"))
        ((binary_expression
          left: (call_expression) @left operator: ["==" "!=" "<" ">" "<=" ">="] right: (identifier) @right) @line
          (#not-in-loop? @line)
          (#library-call? @left "strlen"))
    """,
    "compares": """
        ((binary_expression
          left: (subscript_expression) operator: ["==" "!="] right: (subscript_expression)) @line)
    """,
    "searches": '((call_expression) @line (#library-call? @line "strchr" "strrchr" "memchr" "index"))',
    "names": """
        ((init_declarator value: (subscript_expression argument: (identifier) @name)) @line
          (#name? @name "argv" "av"))
        ((assignment_expression right: (subscript_expression argument: (identifier) @name)) @line
          (#name? @name "argv" "av"))
    """,
    "operands": '((subscript_expression argument: (identifier) @name) @line (#name? @name "argv" "av"))',
    "text": "((string_literal) @line)",
}
"""What to look for in a source; see diagnose/patterns.py."""

_WRITTEN = frozenset({
    "refuses-valid-operands", "writes-message-instead", "continues-after-message", "message-and-more",
    "message-but-status-0", "message-on-stdout", "extra-before", "refused-while-copying",
})  # fmt: skip
"""Symptoms in which the program wrote a text of its own."""

_NOT_REFUSED = frozenset(OF_OPERANDS) - _WRITTEN
_COPIES = (frozenset(OF_OUTPUTS) - _WRITTEN) | {"never-ends", "writes-without-end", "writes-nothing"}
_ENDS = frozenset({"never-ends", "writes-without-end", "extra-after", "loses-first-byte", "loses-first-line"})
"""Symptoms of loops that end at the wrong time: of these, the lines that read are enough."""

_PARTNERS = frozenset({
    "next-partner", "previous-partner", "first-partner-for-all", "last-partner-for-all", "wrong-partners",
})  # fmt: skip
"""Symptoms of a wrong index or pointer into the second operand."""

_WRITES = _PARTNERS | {
    "extra-after-each", "more-after-each", "each-byte-repeated", "one-for-each-pair", "both-bytes", "extra-between",
    "copies-to-stderr", "other-order", "writes-nothing", "wrong-bytes",
}  # fmt: skip
"""Symptoms of which the lines that write come first."""

_OTHERWISE = frozenset({"searches", "operands"})
"""What matters only if no line does what comes first: a program that compares bytes of an operand with each other
searches for those of the input, and one that gives operands names uses those."""

_LITERAL = re.compile(r'"((?:[^"\\]|\\.)*)"')
_PIECE = re.compile(r"%[-+ #0-9.*]*[hlzjt]*[a-zA-Z%]|\\.")


def related_lines(
    symptom: Symptom, report: Report, file: str, source: Sequence[str], found: Mapping[str, Sequence[int]]
) -> tuple[RelatedLine, ...]:
    """Return the lines of `source`, of those that were found for each of PATTERNS, that concern a symptom."""
    if symptom.id == "functions":
        calls = sorted({number for role in ("reads", "buffers", "writes") for number in found.get(role, ())})
        return tuple(_calls(calls, file, source, _unwanted(symptom, report)))[:MAX_LINES]
    chosen: list[RelatedLine] = []
    for role in _roles(symptom, report):
        if role in _OTHERWISE and chosen:
            continue
        numbers = found.get(role, ())
        if role == "text":
            numbers = _with_text(numbers, source, _written(symptom, report))
        if role == "buffers":
            numbers = _of_streams(numbers, source, _wrong_streams(symptom, report))
        named = {line.number for line in chosen}
        new = [number for number in dict.fromkeys(numbers) if number not in named]
        # A few lines of each kind, or none: a choice of ours would be arbitrary.
        if len(new) <= MAX_LINES:
            chosen += [
                RelatedLine(file=file, number=number, text=source[number - 1], does=ROLES[role]) for number in new
            ]
    return tuple(chosen[:MAX_LINES])


def _unwanted(symptom: Symptom, report: Report) -> list[str]:
    """Return the functions that the program calls and must not use, or calls instead of those that it should."""
    return [
        name
        for check in _checks(symptom, report)
        if isinstance(check.evidence, SymbolsEvidence)
        for name in (*check.evidence.forbidden, *check.evidence.instead)
    ]


def _calls(numbers: Sequence[int], file: str, source: Sequence[str], names: Sequence[str]) -> Iterator[RelatedLine]:
    for number in numbers:
        text = source[number - 1]
        name = next((name for name in names if re.search(rf"\b{re.escape(name)}\s*\(", text)), None)
        if name is not None:
            yield RelatedLine(file=file, number=number, text=text, does=f"calls {name}")


def _roles(symptom: Symptom, report: Report) -> Iterator[str]:
    if symptom.id in _WRITTEN or _has_own_messages(symptom, report):
        yield "text"
    elif symptom.id in _NOT_REFUSED:
        yield from _roles_of_operands([case.operands for case in _cases(symptom, report)])
    elif symptom.id == "system-calls":
        streams = _wrong_streams(symptom, report)
        yield "buffers"
        yield from (role for stream, role in (("stdin", "reads"), ("stdout", "writes")) if stream in streams)
    elif symptom.id == "operands-swapped":
        yield from ("names", "operands")
    elif symptom.id in _COPIES:
        if symptom.id == "never-ends":
            yield "waits"
        if symptom.id == "writes-without-end":
            yield "text"
        if symptom.id in _PARTNERS:
            yield "partners"
        yield from ("writes", "reads") if symptom.id in _WRITES else ("reads",)
        if symptom.id not in _ENDS | _WRITES:
            yield "writes"


def _wrong_streams(symptom: Symptom, report: Report) -> AbstractSet[Stream]:
    """Return the streams with wrong system calls."""
    return {
        stream.stream
        for check in _checks(symptom, report)
        if isinstance(check.evidence, CallsEvidence)
        for stream in check.evidence.streams
        if not stream.passed
    }


def _of_streams(numbers: Sequence[int], source: Sequence[str], streams: AbstractSet[Stream]) -> list[int]:
    """Return the lines that name one of these streams, or none of both."""
    others = {"stdin", "stdout"} - streams
    return [number for number in numbers if not any(other in source[number - 1] for other in others)]


def _roles_of_operands(operands: Sequence[tuple[bytes, ...]]) -> Iterator[str]:
    pairs = [one for one in operands if len(one) == 2]  # noqa: PLR2004 - a pair
    if operands and not pairs:
        yield "argc"
    if pairs and all(len(before) != len(after) for before, after in pairs):
        yield "lengths"
    if pairs and all(len({*before}) < len(before) and len(before) == len(after) for before, after in pairs):
        yield from ("compares", "searches")


def _checks(symptom: Symptom, report: Report) -> list[Check]:
    return [check for check in report.checks if check.id in symptom.checks]


def _cases(symptom: Symptom, report: Report) -> list[CaseResult]:
    """Return the cases of a symptom that students see."""
    cases = _cases_of(_checks(symptom, report))
    return [case for case in cases if not case.passed and case.case in symptom.cases]


def _cases_of(checks: Sequence[Check]) -> Iterator[CaseResult]:
    """Yield the cases of checks that students see."""
    for check in checks:
        if isinstance(check.evidence, CasesEvidence):
            yield from (case for case in check.evidence.cases if not case.hidden)


def _has_own_messages(symptom: Symptom, report: Report) -> bool:
    """Return whether the calls could not be counted because the program writes to standard error."""
    return any(
        isinstance(check.evidence, CallsEvidence) and ALSO_TO_STANDARD_ERROR in check.message
        for check in _checks(symptom, report)
    )


def _written(symptom: Symptom, report: Report) -> AbstractSet[bytes]:
    cases = _cases(symptom, report)
    if _has_own_messages(symptom, report):
        copies = [check for check in report.checks if check.program == symptom.program]
        cases = [case for case in _cases_of(copies) if case.expect == "reference-output"]
    outputs = {case.difference.actual.data for case in cases if case.difference is not None}
    return outputs | {case.stderr for case in cases} | {case.stdout for case in cases}


def _with_text(numbers: Sequence[int], source: Sequence[str], written: AbstractSet[bytes]) -> list[int]:
    """Return the lines with a string of which the longest piece was written, up to escapes and conversions."""
    chosen = []
    for number in numbers:
        for literal in _LITERAL.findall(source[number - 1]):
            piece = max(_PIECE.split(literal), key=len).encode("utf-8", "replace")
            if len(piece) >= MESSAGE_CHARS and any(piece in text for text in written):
                chosen.append(number)
    return chosen
